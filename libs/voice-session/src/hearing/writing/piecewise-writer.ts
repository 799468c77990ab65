import type { SpokenLanguage } from '@parley/ports';
import { Piece, type PieceRequest } from './piece';
import { deafCode, type TurnWriter, type WrittenEvent } from './turn-writer';

/** A voice that comes back within this belongs to the same piece: engines hear whole phrases best. */
const samePieceMs = 700;
const pieceSecondsMax = 30;
/** Sound kept at all while an engine is behind; what comes above it is lost, and said to be. */
const keptSecondsMax = 120;

/** Has each stretch of voice written down when it pauses, by an engine that takes whole sounds. */
export class PiecewiseWriter implements TurnWriter {
  private pieces: Piece[] = [];
  private finishing: Promise<void> = Promise.resolve();
  private finishingSeconds = 0;
  private endMs = Number.NEGATIVE_INFINITY;
  private isBehind = false;
  private isClosed = false;

  constructor(
    private readonly request: PieceRequest,
    private readonly tell: (event: WrittenEvent) => void,
  ) {}

  begin(atMs: number): void {
    const last = this.pieces.at(-1);
    if (last && atMs - this.endMs < samePieceMs) return;
    this.pieces.push(new Piece(atMs, this.request));
    this.endMs = atMs;
  }

  add(samples: Int16Array): void {
    let piece = this.pieces.at(-1);
    if (!piece) return;
    if (this.keptSeconds >= keptSecondsMax) return this.complain();
    this.isBehind = false;
    if (piece.seconds >= this.secondsMax) {
      this.write(piece);
      piece = new Piece(this.endMs, this.request);
      this.pieces.push(piece);
    }
    piece.add(samples);
    this.endMs += (samples.length * 1000) / this.request.sampleRate;
  }

  pause(): void {
    const piece = this.pieces.at(-1);
    if (piece) this.write(piece);
  }

  finishTurn(): void {
    const { pieces } = this;
    this.pieces = [];
    const seconds = pieces.reduce((sum, piece) => sum + piece.seconds, 0);
    this.finishingSeconds += seconds;
    const written = Promise.allSettled(pieces.map((piece) => piece.write()));
    // One after the other, so that what was said first is told first.
    this.finishing = this.finishing.then(async () => {
      const outcomes = await written;
      this.finishingSeconds -= seconds;
      if (outcomes.some(({ status }) => status === 'rejected')) this.say({ kind: 'deaf', code: deafCode });
      this.say({ kind: 'final', ...textOf(pieces), ...wordsOf(pieces) });
      for (const piece of pieces) piece.release();
    });
  }

  close(): void {
    this.isClosed = true;
    for (const piece of this.pieces) piece.release();
  }

  private get secondsMax(): number {
    return Math.min(pieceSecondsMax, this.request.engine.capabilities.secondsMax);
  }

  private get keptSeconds(): number {
    return this.pieces.reduce((sum, piece) => sum + piece.seconds, this.finishingSeconds);
  }

  private write(piece: Piece): void {
    const { pieces } = this;
    piece.write().then(
      () => {
        if (pieces !== this.pieces || !pieces.some(({ text }) => text)) return;
        this.say({ kind: 'partial', ...textOf(pieces) });
      },
      () => {
        // The end of the turn asks again, and tells if that fails too.
      },
    );
  }

  /** Said once, not for every block that is lost. */
  private complain(): void {
    if (!this.isBehind) this.say({ kind: 'deaf', code: deafCode });
    this.isBehind = true;
  }

  private say(event: WrittenEvent): void {
    if (!this.isClosed) this.tell(event);
  }
}

function textOf(pieces: readonly Piece[]): { readonly text: string; readonly language?: SpokenLanguage } {
  const text = pieces.map((piece) => piece.text).filter(Boolean).join(' ');
  const language = pieces.findLast((piece) => piece.text)?.language;
  return { text, ...(language && { language }) };
}

function wordsOf(pieces: readonly Piece[]): Pick<Piece, 'words'> | undefined {
  const words = pieces.flatMap((piece) => piece.words);
  return words.length > 0 ? { words } : undefined;
}
