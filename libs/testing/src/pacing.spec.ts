import { paced, type PacingTime } from './pacing';

class HandTurnedTime implements PacingTime {
  ms = 1000;
  now = (): number => this.ms;
  wait = async (ms: number): Promise<void> => {
    this.ms += ms;
  };
}

async function* frames(count: number, before?: (index: number) => void): AsyncGenerator<number> {
  for (let i = 0; i < count; i++) {
    before?.(i);
    yield i;
  }
}

async function departures(source: AsyncIterable<number>, time: HandTurnedTime, leadMs = 60): Promise<number[]> {
  const at: number[] = [];
  for await (const _frame of paced(source, { time, leadMs })) at.push(time.ms - 1000);
  return at;
}

describe('paced', () => {
  it('sends the lead at once and then one frame every twenty milliseconds', async () => {
    expect(await departures(frames(8), new HandTurnedTime())).toEqual([0, 0, 0, 0, 20, 40, 60, 80]);
  });

  it('makes up for a late frame instead of delaying all that follow', async () => {
    const time = new HandTurnedTime();
    const lateOnce = frames(8, (i) => {
      if (i === 5) time.ms += 15;
    });
    expect(await departures(lateOnce, time)).toEqual([0, 0, 0, 0, 20, 40, 60, 80].map((ms, i) => (i === 5 ? 40 : ms)));
  });

  it('does not rush after a gap in the source', async () => {
    const time = new HandTurnedTime();
    const withGap = frames(7, (i) => {
      if (i === 2) time.ms += 500;
    });
    expect(await departures(withGap, time, 20)).toEqual([0, 0, 500, 500, 520, 540, 560]);
  });
});
