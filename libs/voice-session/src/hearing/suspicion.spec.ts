import { suspectedIn, Suspicion } from './speech-detector';

const windowMs = 32;

function changesOf(probabilities: readonly number[], isDoubtful = false): (string | undefined)[] {
  const suspicion = new Suspicion();
  return probabilities.map((probability, index) => {
    const startMs = index * windowMs;
    return suspicion.hear({ startMs, endMs: startMs + windowMs, probability, isDoubtful });
  });
}

describe('Suspicion', () => {
  it('is raised by the first likely window, once', () => {
    expect(changesOf([0, 0.1, 0.4, 0.6, 0.4])).toEqual([undefined, undefined, 'raised', undefined, undefined]);
  });

  it('is dismissed if no voice begins within 320 ms, and can be raised again', () => {
    const changes = changesOf([0.4, ...new Array<number>(12).fill(0), 0.4]);
    expect(changes.filter(Boolean)).toEqual(['raised', 'dismissed', 'raised']);
    expect(changes.indexOf('dismissed') * windowMs).toBe(320);
  });

  it('needs three very likely windows where it may be an echo', () => {
    expect(changesOf([0.9, 0.9, 0.7, 0.9, 0.9, 0.9], true)).toEqual([...new Array<undefined>(5).fill(undefined), 'raised']);
  });

  it('is raised by any sound only if any voice interrupts at once', () => {
    expect([suspectedIn({ minSpeechMs: 0 }), suspectedIn({ minSpeechMs: 300 })]).toEqual(['sound', 'voice']);
  });
});
