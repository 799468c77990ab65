import { SpeechDetector, type SpeechDetectorOptions, type SpeechEdge } from './speech-detector';

const windowMs = 32;

function edgesOf(probabilities: readonly number[], options?: SpeechDetectorOptions, isDoubtful = false): SpeechEdge[] {
  const detector = new SpeechDetector(options);
  return probabilities.flatMap((probability, index) => {
    const startMs = index * windowMs;
    return detector.hear({ startMs, endMs: startMs + windowMs, probability, isDoubtful }) ?? [];
  });
}

describe('SpeechDetector', () => {
  it('places a voice where it began and ended, not where it became certain', () => {
    expect(edgesOf([0, 0, 0.9, 0.9, 0.9, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1])).toEqual([
      { kind: 'speech-started', atMs: 2 * windowMs },
      { kind: 'speech-stopped', atMs: 5 * windowMs },
    ]);
  });

  it('ignores a click shorter than the minimum speech', () => {
    expect(edgesOf([0, 0.99, 0, 0.99, 0, 0, 0.99])).toEqual([]);
  });

  it('continues a voice between the two thresholds, but does not start one there', () => {
    expect(edgesOf(new Array(50).fill(0.45))).toEqual([]);
    expect(edgesOf([0.9, 0.9, ...new Array(50).fill(0.4)]).map(({ kind }) => kind)).toEqual(['speech-started']);
  });

  it('does not end a voice at a gap shorter than the minimum silence', () => {
    expect(edgesOf([0.9, 0.9, 0, 0, 0, 0.9, 0.9, 0, 0, 0, 0.9], { silenceMinMs: 150 })).toHaveLength(1);
  });

  it('needs more evidence of a voice while the agent may be heard', () => {
    expect(edgesOf([0.7, 0.7, 0.7, 0.7, 0.7, 0.7], {}, true)).toEqual([]);
    expect(edgesOf([0.9, 0.9], {}, true)).toEqual([]);
    expect(edgesOf([0.9, 0.9, 0.9, 0.9], {}, true)).toHaveLength(1);
  });
});
