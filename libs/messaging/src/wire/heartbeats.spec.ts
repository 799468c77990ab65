import { limits } from '../limits';
import { Heartbeats } from './heartbeats';

describe('heartbeats', () => {
  let heartbeats: Heartbeats;

  beforeEach(() => {
    jest.useFakeTimers();
    heartbeats = new Heartbeats();
  });
  afterEach(() => {
    heartbeats.close();
    jest.useRealTimers();
  });

  /** A peer that records each beat, and when it was given up. */
  const listen = () => {
    const said: string[] = [];
    return { said, watch: heartbeats.watch({ beat: () => said.push('beat'), silent: () => said.push('silent') }) };
  };

  it('gives a peer up two seconds after its last sign of life, once', () => {
    const { said, watch } = listen();
    jest.advanceTimersByTime(1_200);
    watch.heard();
    jest.advanceTimersByTime(1_999);
    expect(said).toEqual(Array(7).fill('beat'));
    jest.advanceTimersByTime(1);
    expect(said.slice(7)).toEqual(['beat', 'silent']);
    jest.advanceTimersByTime(10_000);
    expect(said).toHaveLength(9);
  });

  it('never gives up a peer heard from at the agreed pace', () => {
    const { said, watch } = listen();
    for (let beat = 0; beat < 100; beat += 1) {
      jest.advanceTimersByTime(limits.beatMs);
      watch.heard();
    }
    expect(said).toEqual(Array(100).fill('beat'));
  });

  it('does not take a peer for dead after it was itself paused', () => {
    const { said } = listen();
    jest.setSystemTime(Date.now() + 60_000);
    jest.advanceTimersByTime(limits.beatMs);
    expect(said).toEqual(['beat']);
  });

  it('sends no heartbeat for work that has just started', () => {
    const { said: early } = listen();
    jest.advanceTimersByTime(limits.beatMs / 2 + 1);
    const { said: late } = listen();
    jest.advanceTimersByTime(limits.beatMs / 2 - 1);
    expect([early, late]).toEqual([['beat'], []]);
    jest.advanceTimersByTime(limits.beatMs);
    expect([early, late]).toEqual([['beat', 'beat'], ['beat']]);
  });

  it('has no timer without anything to watch', () => {
    const { watch } = listen();
    watch.stop();
    jest.advanceTimersByTime(limits.beatMs);
    expect(jest.getTimerCount()).toBe(0);
  });

  describe('of a live line', () => {
    /** How long a line lasts in silence after signs of life this far apart, in beats. */
    const lastsMs = (silences: readonly number[]): number => {
      const silent = jest.fn();
      const watch = heartbeats.watch({ beat: () => undefined, silent, isUrgent: true });
      for (const beats of silences) {
        jest.advanceTimersByTime(beats * limits.beatMs);
        watch.heard();
      }
      let passedMs = 0;
      for (; silent.mock.calls.length === 0 && passedMs < 10_000; passedMs += 10) jest.advanceTimersByTime(10);
      return passedMs;
    };
    const steady = new Array<number>(30).fill(1);

    it('gives up after 1.6 seconds a peer that was always in time', () => {
      expect(lastsMs(steady)).toBe(1600);
    });

    it.each([
      ['has not been heard for long', [1, 1, 1]],
      ['has been late before', [...steady, 3, ...steady]],
    ])('waits two seconds for a peer that %s', (_, silences) => {
      expect(lastsMs(silences)).toBe(2000);
    });
  });
});
