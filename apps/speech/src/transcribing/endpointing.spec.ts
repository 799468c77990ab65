import { Endpointing } from './line-writing';

const windowMs = 32;

function heard(...stretches: readonly (readonly [windows: number, probability: number])[]): string[] {
  const endpointing = new Endpointing();
  const windows = stretches.flatMap(([count, probability]) => Array.from({ length: count }, () => probability));
  return windows.flatMap((probability, index) => {
    const utterance = endpointing.push({ startMs: index * windowMs, endMs: (index + 1) * windowMs, probability });
    return utterance ? [`${utterance.kind} ${utterance.atMs}`] : [];
  });
}

describe('endpointing', () => {
  it('reports where speech began and ended, not when that became certain', () => {
    expect(heard([10, 0.1], [30, 0.9], [30, 0.2])).toEqual(['started 320', 'ended 1280']);
  });

  it('does not mistake a click or a short pause for a turn', () => {
    expect(heard([10, 0], [1, 1], [30, 0])).toEqual([]);
    expect(heard([10, 0], [10, 1], [15, 0], [10, 1], [30, 0])).toEqual(['started 320', 'ended 1440']);
  });
});
