/** The special pieces of a vocabulary. */
interface PiecesOptions {
  /** How many pieces at the beginning do not stand for text. */
  readonly reservedCount: number;
  readonly unknown: number;
  readonly unknownScore: number;
}

const space = '\u2581';

/** Splits text into the likeliest sequence of pieces of a vocabulary. Text that no piece covers becomes one unknown piece. */
export class SentencePieces {
  private readonly places = new Map<string, number>();
  private readonly scores: readonly number[];
  private readonly unknown: number;
  private readonly unknownScore: number;
  private readonly lettersMax: number;

  /** @param vocabulary The pieces in order, each with the logarithm of its probability. */
  constructor(vocabulary: readonly (readonly [string, number])[], { reservedCount, unknown, unknownScore }: PiecesOptions) {
    let lettersMax = 1;
    vocabulary.forEach(([piece], index) => {
      if (index < reservedCount) return;
      this.places.set(piece, index);
      lettersMax = Math.max(lettersMax, Array.from(piece).length);
    });
    this.scores = vocabulary.map(([, score]) => score);
    this.unknown = unknown;
    this.unknownScore = unknownScore;
    this.lettersMax = lettersMax;
  }

  /** The pieces of a text, as indices in the vocabulary. */
  encode(text: string): number[] {
    const normal = text.normalize('NFKC');
    if (normal === '') return [];
    const letters = Array.from(space + normal.replaceAll(' ', space));
    const ends = this.bestEnds(letters);
    const pieces: number[] = [];
    for (let at = letters.length; at > 0;) {
      const { index = this.unknown, length = 1 } = ends[at] ?? {};
      if (index !== this.unknown || pieces.at(-1) !== this.unknown) pieces.push(index);
      at -= length;
    }
    return pieces.reverse();
  }

  /** For each position, the piece that ends there on the likeliest path to it. */
  private bestEnds(letters: readonly string[]): { index: number; length: number; score: number }[] {
    const ends = [{ index: this.unknown, length: 0, score: 0 }];
    for (let start = 0; start < letters.length; start += 1) {
      const before = ends[start]?.score ?? 0;
      const offer = (end: number, index: number, score: number): void => {
        const known = ends[end];
        // Of equally likely paths the later one is used, as in the model's training.
        if (!known || known.score === 0 || score >= known.score) ends[end] = { index, length: end - start, score };
      };
      let isCovered = false;
      let piece = '';
      for (let end = start + 1; end <= letters.length && end - start <= this.lettersMax; end += 1) {
        piece += letters[end - 1] ?? '';
        const index = this.places.get(piece);
        if (index === undefined) continue;
        offer(end, index, before + (this.scores[index] ?? 0));
        isCovered = true;
      }
      if (!isCovered) offer(start + 1, this.unknown, before + this.unknownScore);
    }
    return ends;
  }
}
