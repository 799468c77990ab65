import { MediaWatch } from './media-watch';

const format = { encoding: 'mulaw', sampleRate: 8000 } as const;
const voice = new Uint8Array(160).fill(0x33);
const silence = new Uint8Array(160).fill(0xff);

describe('the sound of a call', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  const watching = () => new MediaWatch(format, 30_000);
  const hear = (watch: MediaWatch, frames: number, { bytes = voice, everyMs = 20 } = {}) => {
    for (let count = 0; count < frames; count += 1) {
      jest.advanceTimersByTime(everyMs);
      watch.heard(bytes);
    }
  };

  it('is reported lost once after thirty seconds, but not while the carrier holds the call', () => {
    const watch = watching();
    const told = jest.fn();
    watch.start(told);
    hear(watch, 100);
    jest.advanceTimersByTime(29_000);
    watch.pause();
    jest.advanceTimersByTime(60_000);
    watch.resume();
    jest.advanceTimersByTime(29_000);
    expect(told).not.toHaveBeenCalled();
    jest.advanceTimersByTime(2_000);
    expect(told).toHaveBeenCalledTimes(1);
    jest.advanceTimersByTime(120_000);
    expect(told).toHaveBeenCalledTimes(1);
  });

  it('counts silence from the carrier’s last packet, ignoring filled-in frames', () => {
    const watch = watching();
    const told = jest.fn();
    watch.start(told);
    hear(watch, 75);
    for (let count = 0; count < 250; count += 1) {
      jest.advanceTimersByTime(20);
      watch.heard(silence, true);
    }
    jest.advanceTimersByTime(24_000);
    expect(told).not.toHaveBeenCalled();
    jest.advanceTimersByTime(2_000);
    expect(told).toHaveBeenCalledTimes(1);
  });

  it('is dropped if it arrives faster than speech, but not when it catches up after a stall', () => {
    const watch = watching();
    const taken = (frames: number) => Array.from({ length: frames }, () => watch.heard(voice)).filter(Boolean).length;
    hear(watch, 500);
    jest.advanceTimersByTime(20_000);
    expect(taken(1_000)).toBe(1_000);
    expect(taken(1_000)).toBe(150);
    let inASecond = 0;
    for (let at = 0; at < 50; at += 1) {
      jest.advanceTimersByTime(20);
      inASecond += taken(60);
    }
    expect(inASecond).toBe(50);
    jest.advanceTimersByTime(3_600_000);
    expect(taken(10_000)).toBe((30_000 + 3_000) / 20);
  });

  it('is one-way if the caller is digitally silent, or was never spoken to', () => {
    const deaf = watching();
    hear(deaf, 600, { bytes: silence });
    deaf.sent(voice);
    expect(deaf.remarks()).toEqual(['ONE_WAY_AUDIO_IN']);
    expect(deaf.quality(undefined).isOneWay).toBe(true);
    const mute = watching();
    hear(mute, 600);
    expect(mute.remarks()).toEqual(['ONE_WAY_AUDIO_OUT']);
    const both = watching();
    hear(both, 600);
    both.sent(voice);
    expect(both.remarks()).toEqual([]);
    const short = watching();
    hear(short, 100, { bytes: silence });
    short.sent(voice);
    expect(short.remarks()).toEqual([]);
  });

  it('has no late frames and no jitter if it arrives evenly', () => {
    const watch = watching();
    hear(watch, 500);
    watch.sent(voice);
    expect(watch.quality(undefined)).toEqual({ frames: 500, lateFrames: 0, jitterMs: 0, isOneWay: false });
  });

  it('is late during a stall, but not for the rest of the call', () => {
    const watch = watching();
    hear(watch, 500);
    jest.advanceTimersByTime(400);
    // What was held back arrives at once, then all continues as before.
    for (let count = 0; count < 20; count += 1) watch.heard(voice);
    hear(watch, 500);
    const { frames, lateFrames, jitterMs } = watch.quality(undefined);
    expect(frames).toBe(1020);
    expect(lateFrames).toBeGreaterThanOrEqual(10);
    expect(lateFrames).toBeLessThanOrEqual(20);
    expect(jitterMs).toBeGreaterThan(0);
  });

  it('uses the media’s own figures where packets are visible', () => {
    const reception = { frames: 3000, lateFrames: 3, lostFrames: 12, jitterMs: 4.256 };
    expect(watching().quality({ reception })).toEqual({ ...reception, jitterMs: 4.26, isOneWay: false });
  });
});
