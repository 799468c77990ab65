import fc from 'fast-check';
import { heardTextOf } from './answer';
import { type Piece, Utterance } from './utterance';

const sampleRate = 8000;

function piece(text: string, ms: number, told: Partial<Piece> = {}): Piece {
  const utterance = new Utterance(1, { purpose: 'answer', turnUUID: '', isProtected: false });
  utterance.add(1, text);
  const [made] = utterance.pieces;
  if (!made) throw new Error('an utterance keeps what is added');
  return Object.assign(made, { made: ms * 8, sent: ms * 8, isMade: true, startsAt: 0, ...told });
}

const heardAfter = (ms: number, ...pieces: Piece[]): string => heardTextOf(pieces, ms * 8, sampleRate);

describe('the heard text', () => {
  it('is empty when no frame was played', () => {
    expect(heardAfter(0, piece('Within three days.', 900))).toBe('');
    expect(heardAfter(500, piece('Within three days.', 900, { startsAt: undefined, sent: 0 }))).toBe('');
  });

  it('counts a word once its end was heard, by word timings if there are any', () => {
    const ends = [0, 600, 700, 900];
    const words = ['Within', 'three', 'days.'].map((text, i) => ({ text, startMs: ends[i] ?? 0, endMs: ends[i + 1] ?? 0 }));
    expect(heardAfter(599, piece('Within three days.', 900, { words }))).toBe('');
    expect(heardAfter(600, piece('Within three days.', 900, { words }))).toBe('Within');
    expect(heardAfter(899, piece('Within three days.', 900, { words }))).toBe('Within three');
  });

  it('keeps its place when a number is spoken in more words than written', () => {
    const words = ['two', 'hundred', 'and', 'ten'].map((text, i) => ({ text, startMs: i * 100, endMs: i * 100 + 100 }));
    expect(heardAfter(200, piece('210 rupees', 400, { words }))).toBe('210');
  });

  it('underestimates while the end of a sentence is not synthesized yet', () => {
    const begun = piece('Within three days.', 900, { isMade: false });
    expect(heardAfter(900, begun)).toBe('Within');
    expect(heardAfter(900, piece('Within three days.', 900))).toBe('Within three days.');
  });

  it('is a prefix of the text, never longer for less sound', () => {
    const words = fc.array(fc.stringMatching(/^[a-zऀ-ॿ]{1,9}$/), { minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(words, fc.nat(5000), fc.nat(5000), (said, one, other) => {
        const less = heardAfter(Math.min(one, other), piece(said.join(' '), 4000));
        const more = heardAfter(Math.max(one, other), piece(said.join(' '), 4000));
        expect(said.join(' ').startsWith(more)).toBe(true);
        expect(more.startsWith(less)).toBe(true);
      }),
    );
  });
});
