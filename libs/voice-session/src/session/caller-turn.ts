import type { SpokenLanguage } from '@parley/ports';

/** A final this long before the voice was found to end still covers it: recognizers are sometimes quicker than the voice detector. */
const finalLeadMs = 100;
/** What one turn may hold; the contract of a question is the same. */
const questionMax = 8000;

/** The transcript of one turn of the caller. */
export class CallerTurn {
  language: SpokenLanguage | undefined;
  /** The missing transcript was requested. */
  isTranscriptionAsked = false;
  lastWordsMs: number | undefined;
  /** A guess that was asked for, and has not come. */
  guessAskedAtMs: number | undefined;
  /** When a guess came last that had been asked for. */
  guessedAtMs: number | undefined;
  /** Answers begun on suspicion in this turn. */
  speculations = 0;
  private readonly finals: string[] = [];
  private partial = '';
  private lastFinalMs = Number.NEGATIVE_INFINITY;

  /** How often transcripts had been asked for when this turn began: those are of earlier turns, however late they come. */
  constructor(private readonly afterTurns = 0) {}

  /** Whether a transcript that follows so many others is of this turn. */
  holds(afterTurns = this.afterTurns): boolean {
    return afterTurns >= this.afterTurns;
  }

  /** The turn begins again: words that are still missing belong to it. */
  again(): CallerTurn {
    return new CallerTurn(this.afterTurns);
  }

  get text(): string {
    return [...this.finals, this.partial].join(' ').trim().slice(0, questionMax);
  }

  get finalAtMs(): number {
    return this.lastFinalMs;
  }

  noteGuess(text: string, nowMs: number): void {
    const guess = text.trim();
    // An engine may tell the same again for as long as a noise lasts.
    if (guess && guess !== this.partial) this.lastWordsMs = nowMs;
    this.partial = guess;
    if (this.guessAskedAtMs === undefined) return;
    this.guessAskedAtMs = undefined;
    this.guessedAtMs = nowMs;
  }

  noteFinal(text: string, nowMs: number): void {
    const said = text.trim();
    this.partial = '';
    this.lastFinalMs = nowMs;
    if (!said || this.text.length >= questionMax) return;
    this.finals.push(said);
    this.lastWordsMs = nowMs;
  }

  /** What the caller had said before, when the answer to it was never heard. */
  precede(said: string): void {
    this.finals.unshift(said);
  }

  /** No more transcript will come: what is there counts as final. */
  settle(nowMs: number): void {
    this.noteFinal(this.partial, nowMs);
  }

  /** Whether everything up to the end of the voice has been written down for good. */
  isSettled(voiceEndMs: number): boolean {
    return this.partial === '' && this.lastFinalMs >= voiceEndMs - finalLeadMs;
  }
}

/** Two wordings that differ in nothing that would change the answer. */
export function isSameQuestion(one: string, other: string): boolean {
  return plain(one) === plain(other);
}

export function wordCount(text: string): number {
  return text.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
}

function plain(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}]+/gu, ' ')
    .trim();
}
