import type { TimedWord } from '@parley/ports';
import type { Slice } from './events';

/** A sentence on its way to the caller. Counts are samples of the line. */
export interface Piece {
  readonly id: number;
  readonly text: string;
  /** Whether the utterance begins with it. */
  readonly isFirst: boolean;
  /** It bridges a wait, and is no part of what is being said. */
  readonly isAside: boolean;
  readonly words: TimedWord[];
  /** When its sound was requested. */
  askedAtMs: number | undefined;
  lastSoundMs: number | undefined;
  made: number;
  /** Samples of silence that its sound begins with. */
  silent: number;
  isMade: boolean;
  hasFailed: boolean;
  /** Its sound was given up. */
  isForgotten: boolean;
  /** Where in the utterance its first sample stands, once it was handed over. */
  startsAt: number | undefined;
  sent: number;
}

export type Purpose = 'answer' | 'line' | 'filler';

const piecesMax = 500;

/** Something the agent says: sentences that follow one another, handed over in whole frames. */
export class Utterance {
  readonly pieces: Piece[] = [];
  /** No further sentence will come. */
  isComplete = false;
  /** Handed over and not taken back, silence that filled frames included. */
  sent = 0;
  private at = 0;

  constructor(
    readonly generation: number,
    readonly about: { readonly purpose: Purpose; readonly turnUUID: string; readonly isProtected: boolean },
  ) {}

  /** False when the utterance is too long already. */
  add(id: number, text: string, isAside = false): boolean {
    if (this.pieces.length >= piecesMax) return false;
    const nothing = { made: 0, silent: 0, isMade: false, hasFailed: false, isForgotten: false, sent: 0 };
    const isFirst = this.pieces.length === 0;
    this.pieces.push({
      id,
      text,
      isFirst,
      isAside,
      words: [],
      askedAtMs: undefined,
      lastSoundMs: undefined,
      startsAt: undefined,
      ...nothing,
    });
    return true;
  }

  /** The current sentence and the next: no more is synthesized ahead. */
  get soon(): Piece[] {
    return this.pieces.slice(this.at, this.at + 2);
  }

  /** Whether everything that will ever be said has been handed over. */
  get isSent(): boolean {
    return this.isComplete && this.isSpoken;
  }

  /** Whether everything that was to be said so far has been handed over. */
  get isSpoken(): boolean {
    return this.pieces.every((piece) => piece.isMade && piece.sent === piece.made);
  }

  /** Sentences that have not begun are dropped. */
  cutShort(): Piece[] {
    this.isComplete = true;
    return this.pieces.splice(this.at + 1);
  }

  /** Samples that could be handed over now, and whether they end where a frame may be filled with silence. */
  available(): { samples: number; mayPad: boolean } {
    let samples = 0;
    for (let i = this.at; ; i++) {
      const piece = this.pieces[i];
      if (!piece) return { samples, mayPad: true };
      samples += piece.made - piece.sent;
      if (!piece.isMade) return { samples, mayPad: piece.made === 0 };
    }
  }

  /** Takes so many samples, from as many pieces as they reach over. */
  cut(samples: number): Slice[] {
    const slices: Slice[] = [];
    for (let left = samples; ;) {
      const piece = this.pieces[this.at];
      if (!piece) return slices;
      const taken = Math.min(left, piece.made - piece.sent);
      if (taken > 0) slices.push({ piece: piece.id, from: piece.sent, samples: taken });
      piece.startsAt ??= taken > 0 ? this.sent : undefined;
      piece.sent += taken;
      this.sent += taken;
      left -= taken;
      if (!piece.isMade || piece.sent < piece.made) return slices;
      this.at++;
    }
  }

  /** Rewinds to this position, so that what follows is sent again. */
  rewindTo(place: number): void {
    for (const [index, piece] of this.pieces.entries()) {
      if (piece.startsAt === undefined) continue;
      const keeps = Math.min(piece.sent, Math.max(0, place - piece.startsAt));
      if (keeps < piece.sent) this.at = Math.min(this.at, index);
      piece.sent = keeps;
      if (keeps === 0) piece.startsAt = undefined;
    }
    this.sent = Math.min(this.sent, place);
  }

  /** Pieces whose sound cannot be wanted again once so much has been heard. */
  heardOut(heard: number): Piece[] {
    return this.pieces.slice(0, this.at).filter(({ startsAt, sent }) => startsAt === undefined || startsAt + sent <= heard);
  }
}
