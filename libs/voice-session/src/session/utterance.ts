import type { TimedWord } from '@parley/ports';
import type { Slice } from './events';

/** A sentence or clause that is synthesized and sent as one. Counts are samples at the line's rate. */
export interface Piece {
  readonly id: number;
  readonly text: string;
  /** Whether the utterance begins with it. */
  readonly isFirst: boolean;
  /** Whether it only fills a wait and is not part of the answer. */
  readonly isAside: boolean;
  readonly words: TimedWord[];
  /** When its synthesis was requested. */
  askedAtMs: number | undefined;
  lastSoundMs: number | undefined;
  made: number;
  /** Samples of silence before its voice begins. */
  silent: number;
  isMade: boolean;
  hasFailed: boolean;
  /** Its sound was released. */
  isForgotten: boolean;
  /** The position of its first sample in the utterance, once that was sent. */
  startsAt: number | undefined;
  sent: number;
}

export type Purpose = 'answer' | 'line' | 'filler';

const piecesMax = 500;

/** Something the agent says: consecutive sentences, sent in whole frames. */
export class Utterance {
  readonly pieces: Piece[] = [];
  /** No further sentence will be added. */
  isComplete = false;
  /** Samples sent and not rewound, including the silence that fills frames. */
  sent = 0;
  private at = 0;

  constructor(
    readonly generation: number,
    readonly about: { readonly purpose: Purpose; readonly turnUUID: string; readonly isProtected: boolean },
  ) {}

  /** False if the utterance is already too long. */
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

  /** The current sentence and the next; no more than that is synthesized ahead. */
  get upcoming(): Piece[] {
    return this.pieces.slice(this.at, this.at + 2);
  }

  /** Whether the utterance is complete and all of it was sent. */
  get isSent(): boolean {
    return this.isComplete && this.isSpoken;
  }

  /** Whether all sentences added so far were sent. */
  get isSpoken(): boolean {
    return this.pieces.every((piece) => piece.isMade && piece.sent === piece.made);
  }

  /** Ends the utterance after the current sentence, and returns the sentences dropped. */
  cutShort(): Piece[] {
    this.isComplete = true;
    return this.pieces.splice(this.at + 1);
  }

  /** Samples that can be sent now, and whether they end where silence may fill the frame. */
  available(): { samples: number; mayPad: boolean } {
    let samples = 0;
    for (let i = this.at; ; i++) {
      const piece = this.pieces[i];
      if (!piece) return { samples, mayPad: true };
      samples += piece.made - piece.sent;
      if (!piece.isMade) return { samples, mayPad: piece.made === 0 };
    }
  }

  /** Takes this many samples, across pieces if necessary. */
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

  /** Rewinds to this position; what follows will be sent again. */
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

  /** Pieces that are heard completely once this many samples are heard. */
  heardCompletely(heard: number): Piece[] {
    return this.pieces.slice(0, this.at).filter(({ startsAt, sent }) => startsAt === undefined || startsAt + sent <= heard);
  }
}
