interface Place {
  readonly children: Map<string, Place>;
  /** The piece that ends here, if any. */
  index: number;
  score: number;
}

const noPiece = -1;
const unknown = 0;
/** The first pieces of the vocabulary are control tokens. */
const reservedCount = 6;
const space = '\u2581';

/** Cuts text into the pieces of a vocabulary that are likeliest together. What no piece covers is one unknown piece. */
export class SentencePieces {
  private readonly root = emptyPlace();

  /** The vocabulary in its order: each piece with the logarithm of how likely it is. */
  constructor(vocabulary: readonly (readonly [string, number])[]) {
    vocabulary.forEach(([piece, score], index) => {
      if (index >= reservedCount) this.insert(piece, score, index);
    });
  }

  /** The pieces of a text, by their places in the vocabulary. */
  encode(text: string): number[] {
    const normal = text.normalize('NFKC');
    if (normal === '') return [];
    const letters = Array.from(space + normal.replaceAll(' ', space));
    const ends = this.bestEnds(letters);
    const pieces: number[] = [];
    for (let at = letters.length; at > 0;) {
      const { index = unknown, length = 1 } = ends[at] ?? {};
      if (index !== unknown || pieces.at(-1) !== unknown) pieces.push(index);
      at -= length;
    }
    return pieces.reverse();
  }

  /** For each place between letters the piece that ends there on the likeliest way to it. */
  private bestEnds(letters: readonly string[]): { index: number; length: number; score: number }[] {
    const ends = [{ index: unknown, length: 0, score: 0 }];
    for (let start = 0; start < letters.length; start += 1) {
      const before = ends[start]?.score ?? 0;
      const offer = (end: number, index: number, score: number): void => {
        const known = ends[end];
        // Of ways that are as likely the later one counts, as the model was trained.
        if (!known || known.score === 0 || score >= known.score) ends[end] = { index, length: end - start, score };
      };
      let isCovered = false;
      let place = this.root.children.get(letters[start] ?? '');
      for (let end = start + 1; place; end += 1) {
        if (place.index !== noPiece) offer(end, place.index, before + place.score);
        isCovered ||= place.index !== noPiece;
        place = place.children.get(letters[end] ?? '');
      }
      if (!isCovered) offer(start + 1, unknown, before);
    }
    return ends;
  }

  private insert(piece: string, score: number, index: number): void {
    let place = this.root;
    for (const letter of piece) {
      const next = place.children.get(letter) ?? emptyPlace();
      place.children.set(letter, next);
      place = next;
    }
    place.index = index;
    place.score = score;
  }
}

function emptyPlace(): Place {
  return { children: new Map(), index: noPiece, score: 0 };
}
