import { VirtualClock } from '../call/surroundings';
import { earsInTurns } from './ears-in-turns';
import type { Ears, HeardEvent } from './heard';
import { ruleJudge } from './rule-judge';

const sampleRate = 8000;

describe('earsInTurns', () => {
  let clock: VirtualClock;
  let tell: (event: HeardEvent) => void;
  let finished: number[];
  let events: HeardEvent[];
  let ears: Ears;

  beforeEach(async () => {
    clock = new VirtualClock();
    finished = [];
    events = [];
    const open = earsInTurns(
      async (listener) => {
        tell = listener;
        return {
          hear: () => undefined,
          noticeOwnVoice: () => undefined,
          guessNow: () => undefined,
          judgeEnd: () => undefined,
          finishTurn: () => finished.push(clock.now()),
          close: () => undefined,
        };
      },
      { judge: ruleJudge, clock, sampleRate, language: 'english', endOfTurn: { silenceMs: 600, dictationSilenceMs: 2500 } },
    );
    ears = await open((event) => events.push(event));
  });

  /** A second of voice and what is known of it once 160 ms of silence are certain. */
  function say(text: string): void {
    tell({ kind: 'speech-started', atMs: 0 });
    ears.hear(new Int16Array(sampleRate + (sampleRate * 160) / 1000));
    tell({ kind: 'speech-stopped', atMs: 1000 });
    tell({ kind: 'partial', text });
  }

  it('ends the turn once the silence was long enough, counted from the end of the voice', async () => {
    say('the blue one');
    await clock.pass(439);
    expect(finished).toEqual([]);
    await clock.pass(2);
    expect(finished).toEqual([440]);
  });

  it('waits longer for what is broken off, and longest while a number is dictated', async () => {
    say('I would like to');
    await clock.pass(1300);
    expect(finished).toEqual([]);
    tell({ kind: 'partial', text: 'my number is nine eight' });
    await clock.pass(2300);
    expect(finished).toEqual([]);
    await clock.pass(100);
    expect(finished).toHaveLength(1);
  });

  it('does not end a turn that goes on', async () => {
    say('the blue one');
    tell({ kind: 'speech-started', atMs: 1300 });
    await clock.pass(10_000);
    expect(finished).toEqual([]);
  });

  it('asks once a turn, forgets its words with it, and passes everything on', async () => {
    say('my number is nine eight');
    await clock.pass(2500);
    tell({ kind: 'final', text: 'my number is nine eight' });
    await clock.pass(10_000);
    expect(finished).toHaveLength(1);
    say('what time is it');
    await clock.pass(600);
    expect(finished).toHaveLength(2);
    expect(events.map(({ kind }) => kind)).toEqual([
      'speech-started',
      'speech-stopped',
      'partial',
      'final',
      'speech-started',
      'speech-stopped',
      'partial',
    ]);
  });

  it('ends nothing more once it is closed', async () => {
    say('the blue one');
    ears.close();
    await clock.pass(10_000);
    expect(finished).toEqual([]);
  });
});
