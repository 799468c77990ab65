import type { SpokenLanguage } from '@parley/ports';

/** A final that was not asked for may precede the detected end of the voice: recognizers are sometimes quicker than its detector. */
const finalLeadMs = 100;
/** The same limit as in the contract of a question. */
export const questionMax = 8000;

/** The transcript of one turn of the caller. */
export class CallerTurn {
  language: SpokenLanguage | undefined;
  /** When the last words arrived. */
  lastWordsMs: number | undefined;
  /** When they were said: as the engine reports, or when they arrived. */
  saidUntilMs: number | undefined;
  /** How long voices that are over have brought no words since. */
  wordlessMs = 0;
  /** Voices that bring no words go on after what was said, and are ignored until the turn is answered. */
  isAmidNoise = false;
  /** It began among voices that had brought no words. */
  isAmongVoices = false;
  /** When a partial transcript was requested that has not arrived yet. */
  guessAskedAtMs: number | undefined;
  /** Up to when the partial transcript that was requested last covers the sound, once it has arrived. */
  guessedUntilMs: number | undefined;
  /** Its words may be the agent's own, returned by the line. */
  isOverEcho = false;
  /** Answers started speculatively in this turn. */
  speculations = 0;
  private readonly finals: string[] = [];
  /** How many of the finals are earlier questions. */
  private preceding = 0;
  private partial = '';
  /** What was typed while the words before it were being transcribed. */
  private typed: { readonly text: string; readonly atMs: number } | undefined;
  private lastFinalMs = Number.NEGATIVE_INFINITY;
  /** Up to when the final transcripts cover the sound. */
  private writtenUntilMs = Number.NEGATIVE_INFINITY;

  /** @param afterTurns How many transcripts had been requested before this turn; those belong to earlier turns, however late they arrive. */
  constructor(private readonly afterTurns = 0) {}

  /** Whether a transcript preceded by this many others belongs to this turn. */
  holds(afterTurns = this.afterTurns): boolean {
    return afterTurns >= this.afterTurns;
  }

  /** The turn restarts empty; a transcript requested for it still belongs to it. */
  restarted(): CallerTurn {
    return new CallerTurn(this.afterTurns);
  }

  get text(): string {
    const parts = [...this.finals, this.partial, this.typed?.text].filter(Boolean);
    return parts.join(' ').trim().slice(0, questionMax);
  }

  get finalAtMs(): number {
    return this.lastFinalMs;
  }

  notePartial(text: string, nowMs: number, untilMs = nowMs): void {
    const guess = text.trim();
    // An engine may repeat the same words for as long as a noise lasts.
    // What was asked for holds no later words.
    if (guess && guess !== this.partial) this.noteWords(nowMs, Math.min(untilMs, this.guessAskedAtMs ?? untilMs));
    this.partial = guess;
    this.noteGuess();
  }

  /** @param askedAtMs When it was requested. Absent: it was reported unasked, and holds what was said until now. */
  noteFinal(text: string, nowMs: number, askedAtMs?: number): void {
    const words = text.trim();
    const isRepeated = words === this.partial;
    this.partial = '';
    this.lastFinalMs = nowMs;
    this.writtenUntilMs = Math.max(this.writtenUntilMs, askedAtMs ?? nowMs + finalLeadMs);
    this.noteGuess();
    if (this.typed && askedAtMs !== undefined && askedAtMs > this.typed.atMs) {
      this.finals.push(this.typed.text);
      this.typed = undefined;
    }
    if (!words || this.text.length >= questionMax) return;
    this.finals.push(words);
    if (isRepeated) this.lastWordsMs = nowMs;
    else this.noteWords(nowMs, askedAtMs ?? nowMs);
  }

  /** A final transcript answers a guess as well, which is not reported any more then. */
  private noteGuess(): void {
    if (this.guessAskedAtMs === undefined) return;
    this.guessedUntilMs = this.guessAskedAtMs;
    this.guessAskedAtMs = undefined;
  }

  private noteWords(nowMs: number, untilMs: number): void {
    this.lastWordsMs = nowMs;
    this.saidUntilMs = Math.min(nowMs, untilMs);
    this.wordlessMs = 0;
  }

  /** A text that comes after words which are still being transcribed. */
  noteTyped(text: string, atMs: number): void {
    this.typed = { text: [this.typed?.text, text].filter(Boolean).join(' '), atMs };
  }

  /** Prepends an earlier question whose answer was never heard. */
  precede(said: string): void {
    this.finals.unshift(said);
    this.preceding++;
  }

  /** The words of this turn itself. */
  get said(): string {
    return [...this.finals.slice(this.preceding), this.partial].join(' ').trim();
  }

  /** Its words were the agent's own. */
  forgetSaid(): void {
    this.finals.length = this.preceding;
    this.forgetPartial();
  }

  forgetPartial(): void {
    this.partial = '';
  }

  /** No more transcript will come, so the partial one becomes final. */
  finalize(nowMs: number): void {
    this.noteFinal(this.partial, nowMs);
  }

  /** Whether the final transcript covers the voice to its end. */
  isTranscribed(voiceEndMs: number): boolean {
    return this.partial === '' && this.writtenUntilMs >= voiceEndMs;
  }
}

/** Whether two questions differ only in case and punctuation. */
export function isSameQuestion(one: string, other: string): boolean {
  return plain(one) === plain(other);
}

const ownWordsMin = 3;
const ownWordsLooked = 200;
/** A word or two may be the agent's own only if it has just said them. */
const ownWordsJustSaid = 12;
/** More than a voice over the agent says before it is judged. */
const saidWordsMax = 60;

/**
 * What was said but for this many words in a row of the agent's own, whose first and last may be incomplete, and one of which may be
 * misheard.
 */
export function withoutOwnWords(text: string, agentText: string, wordsMin = ownWordsMin): string {
  const said = plain(text).split(' ');
  if (said.length > saidWordsMax) return text;
  const own = plain(agentText)
    .split(' ')
    .slice(wordsMin < ownWordsMin ? -ownWordsJustSaid : -ownWordsLooked);
  const left: string[] = [];
  for (let at = 0; at < said.length;) {
    const rest = said.slice(at);
    const length = Math.max(...own.map((_, from) => sameWords(rest, own.slice(from))));
    if (length < wordsMin) left.push(...rest.slice(0, 1));
    at += length < wordsMin ? 1 : length;
  }
  return left.join(' ');
}

function sameWords(said: readonly string[], own: readonly string[]): number {
  const isSame = (word: string, at: number): boolean =>
    word === own[at] || (at === 0 && own[at]?.endsWith(word)) || (at === said.length - 1 && own[at]?.startsWith(word)) || false;
  const differs = said.findIndex((word, at) => !isSame(word, at));
  if (differs < 0) return said.length;
  const later = said.findIndex((word, at) => at > differs && !isSame(word, at));
  const length = later < 0 ? said.length : later;
  // A misheard word is one among others of the agent's own; what differs at the end was said by the caller.
  return length - differs > 1 && length > ownWordsMin ? length : differs;
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
