import { inspect } from 'node:util';
import type { Clock } from '../clock';
import { DigitCollector, type DigitCollectorOptions, type KeyedDigits } from './digit-collector';

class HandClock implements Clock {
  private nowMs = 0;
  private alarms: { readonly atMs: number; readonly wake: () => void }[] = [];

  now(): number {
    return this.nowMs;
  }

  wakeAt(atMs: number, wake: () => void): () => void {
    const alarm = { atMs, wake };
    this.alarms.push(alarm);
    return () => {
      this.alarms = this.alarms.filter((other) => other !== alarm);
    };
  }

  pass(ms: number): void {
    this.nowMs += ms;
    const due = this.alarms.filter(({ atMs }) => atMs <= this.nowMs);
    this.alarms = this.alarms.filter(({ atMs }) => atMs > this.nowMs);
    for (const { wake } of due) wake();
  }
}

describe('DigitCollector', () => {
  let clock: HandClock;
  let keyed: KeyedDigits[];

  function collector(options?: DigitCollectorOptions): DigitCollector {
    return new DigitCollector(clock, (digits) => keyed.push(digits), options);
  }

  function press(digits: DigitCollector, keys: string, everyMs = 400): void {
    for (const key of keys) {
      digits.press(key);
      clock.pass(everyMs);
    }
  }

  beforeEach(() => {
    clock = new HandClock();
    keyed = [];
  });

  it('ends at the terminator, which is not part of the digits', () => {
    press(collector(), '1234#');
    expect(keyed).toMatchObject([{ digits: '1234', endedBy: 'terminator' }]);
  });

  it('ends after a timeout that every key restarts', () => {
    press(collector({ interDigitMs: 1000 }), '12', 900);
    expect(keyed).toEqual([]);
    clock.pass(100);
    expect(keyed).toMatchObject([{ digits: '12', endedBy: 'timeout' }]);
  });

  it('ends at the known length, and starts over with the next digit', () => {
    press(collector({ lengthMax: 4 }), '12345678');
    expect(keyed.map(({ digits }) => digits)).toEqual(['1234', '5678']);
  });

  it('counts a key reported by message and tone once, and one pressed twice twice', () => {
    const digits = collector();
    digits.press('5', 'message');
    clock.pass(60);
    digits.press('5', 'tone');
    clock.pass(60);
    digits.press('5', 'message');
    clock.pass(400);
    digits.press('5', 'tone');
    digits.press('#');
    expect(keyed[0]?.digits).toBe('555');
  });

  it('ignores what is not on a keypad, and a terminator without digits', () => {
    const digits = collector();
    for (const key of ['', 'E', '12', '#', 'ⅷ', '٣']) digits.press(key);
    expect(digits.isCollecting).toBe(false);
    expect(keyed).toEqual([]);
  });

  it('logs no digits', () => {
    press(collector(), '907#');
    const [digits] = keyed;
    expect(JSON.stringify(digits)).toBe('{"digits":"•••","endedBy":"terminator"}');
    expect(`${digits}`).toBe('•••');
    expect(inspect(digits)).not.toContain('907');
  });

  it('completes an entry that has begun when it is closed, and reports nothing after that', () => {
    const digits = collector();
    press(digits, '12');
    digits.close();
    expect(keyed).toMatchObject([{ digits: '12', endedBy: 'closed' }]);
    clock.pass(10_000);
    digits.close();
    expect(keyed).toHaveLength(1);
  });
});
