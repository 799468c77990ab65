import { fewLines, gatheringMs } from './callable-worker';

describe('what a thread is asked', () => {
  const usualMs = 8;

  it('does not wait if there is only one line', () => {
    expect(gatheringMs(1, usualMs, { nowMs: 3 })).toBe(0);
  });

  it('waits as long as usual for a few lines, and never longer than twice that for many', () => {
    expect(gatheringMs(fewLines, usualMs, { nowMs: 3 })).toBe(usualMs);
    for (let nowMs = 0; nowMs < 40; nowMs += 0.7) {
      const waitMs = gatheringMs(fewLines + 1, usualMs, { nowMs });
      expect(waitMs).toBeGreaterThan(0);
      expect(waitMs).toBeLessThanOrEqual(2 * usualMs);
    }
  });

  it('is asked at the same moment as the other threads, whenever its lines brought their sound', () => {
    const asked = [17, 20.5, 24, 31.9].map((nowMs) => nowMs + gatheringMs(30, usualMs, { nowMs }));
    expect(asked.map(Math.round)).toEqual([32, 32, 32, 32]);
  });

  it('is asked at every second such moment if all of it may wait', () => {
    const asked = [17, 31.9, 33, 50].map((nowMs) => nowMs + gatheringMs(30, usualMs, { nowMs, mayWait: true }));
    expect(asked.map(Math.round)).toEqual([32, 32, 64, 64]);
    expect(gatheringMs(fewLines, usualMs, { nowMs: 3, mayWait: true })).toBe(usualMs);
  });

  it('does not wait at all if told not to', () => {
    expect(gatheringMs(30, 0, { nowMs: 3 })).toBe(0);
  });
});
