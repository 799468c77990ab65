import type { LatencyParts } from '@parley/contracts';
import { SentenceCutter } from '@parley/language';
import type { z } from 'zod';
import type { AnswerEvent } from './events';
import type { Piece, Utterance } from './utterance';

const firstClauseMin = 20;
const openingMax = 300;

const clause = new RegExp(`^[^]{${firstClauseMin},}?[,;:—–](?=\\s)`, 'u');

type Done = Extract<AnswerEvent, { kind: 'done' }>;

/** A question and its answer in progress. */
export class OpenAnswer {
  turnUUID: string | undefined;
  text = '';
  done: Done | undefined;
  /** Whether the generator is done. */
  isOver = false;
  /** Part of it was cut off, or could not be synthesized. */
  isIncomplete = false;
  utterance: Utterance | undefined;
  isLatencyKept = false;
  readonly chunks = new SpeechChunks();
  /** Steps that arrived while the answer was speculative. */
  readonly withheld: AnswerEvent[] = [];
  firstTokenAtMs: number | undefined;
  lastStepMs: number;
  /** When history was last updated; never before if it does not have the question. */
  keptAtMs = Number.NEGATIVE_INFINITY;
  /** Absent while the caller may still continue. */
  clock: TurnClock | undefined;

  constructor(
    readonly id: number,
    readonly question: string,
    readonly askedAtMs: number,
  ) {
    this.lastStepMs = askedAtMs;
  }

  get isSpeculative(): boolean {
    return this.clock === undefined;
  }
}

/** Cuts an answer into sentences to synthesize; the first piece may be a mere clause, so that sound begins sooner. */
class SpeechChunks {
  private readonly cutter = new SentenceCutter();
  private opening: string | undefined = '';

  push(text: string): string[] {
    if (this.opening === undefined) return this.cutter.push(text);
    this.opening = (this.opening + text).trimStart();
    // A table is spoken as a whole. A text this long without a sentence end is not scanned again on every push.
    if (this.opening.startsWith('|') || this.opening.length > openingMax) return this.flushOpening();
    const [whole] = new SentenceCutter().push(this.opening);
    const first = whole === undefined ? clause.exec(this.opening)?.[0] : undefined;
    if (whole === undefined && first === undefined) return [];
    const rest = this.opening.slice(first?.length ?? 0);
    this.opening = undefined;
    if (first !== undefined) this.cutter.follow(first);
    return [...(first === undefined ? [] : [first.trim()]), ...this.cutter.push(rest)];
  }

  flush(): string[] {
    return [...this.flushOpening(), ...this.cutter.flush()];
  }

  private flushOpening(): string[] {
    const { opening = '' } = this;
    this.opening = undefined;
    return opening === '' ? [] : this.cutter.push(opening);
  }
}

/** The assumed speed of a voice without timings: rather slow, so that no word is counted as heard too early. */
const msPerCharacter = 80;
/** Where a word's end is only estimated, it counts once playback has reached this share of the next word. */
const doubtedShare = 0.5;

/**
 * The text whose sound was heard: by word timings if the voice reports them, else in proportion to the number of letters. A word
 * that was cut off does not count.
 */
export function heardTextOf(pieces: readonly Piece[], heardSamples: number, sampleRate: number): string {
  const texts: string[] = [];
  for (const piece of pieces) {
    if (piece.startsAt === undefined) continue;
    const heard = Math.min(piece.sent, heardSamples - piece.startsAt);
    if (heard <= 0) break;
    if (piece.isAside) continue;
    const isWhole = piece.isMade && !piece.hasFailed && heard >= piece.made;
    texts.push(isWhole ? piece.text : wordsWithin(piece, (heard * 1000) / sampleRate, (piece.made * 1000) / sampleRate));
  }
  return texts.filter(Boolean).join(' ');
}

function wordsWithin(piece: Piece, heardMs: number, madeMs: number): string {
  const words = piece.text.split(/\s+/).filter(Boolean);
  const isTimed = piece.words.length > 0;
  const heard = isTimed ? timedCount(piece, words.length, heardMs) : shareCount(piece, words, { heardMs, madeMs });
  return words.slice(0, heard).join(' ');
}

/** A voice may report other words than were written ("three" for "3"), so words are matched by position, not by spelling. */
function timedCount({ words, isMade }: Piece, written: number, heardMs: number): number {
  const heard = words.filter(({ endMs }) => endMs <= heardMs).length;
  if (words.length === written || !isMade) return Math.min(heard, written);
  return Math.floor((heard * written) / words.length);
}

function shareCount(piece: Piece, words: readonly string[], { heardMs, madeMs }: { heardMs: number; madeMs: number }): number {
  const wholeMs = piece.isMade && !piece.hasFailed ? madeMs : Math.max(madeMs, piece.text.length * msPerCharacter);
  const lettersHeard = (piece.text.length * heardMs) / wholeMs;
  let at = 0;
  for (const [index, word] of words.entries()) {
    const startsAt = piece.text.indexOf(word, at);
    at = startsAt + word.length;
    // Voices speak unevenly, so a word counts as heard only once the position is well within the next one.
    if (lettersHeard < startsAt + word.length * doubtedShare) return Math.max(0, index - 1);
    if (lettersHeard < at) return index;
  }
  return words.length;
}

type Parts = z.output<typeof LatencyParts>;

/** When each stage of a turn was reached, on the session's timeline. */
export interface TurnClock {
  /** When the caller's voice ended; for typed text, when it arrived. */
  readonly endedAtMs: number;
  readonly isSpoken: boolean;
  readonly decidedAtMs: number;
  readonly writtenAtMs: number;
  askedAtMs: number;
  firstTokenAtMs?: number;
  firstSoundAtMs?: number;
  /** The first sound after the question; a filler counts too. */
  firstPlayedAtMs?: number;
}

/**
 * The silence between question and answer in consecutive parts, whose sum is the whole silence. Work that was done before the
 * turn was over counts as no time.
 */
export function partsOf(clock: TurnClock, retrievalMs: number | null): Parts {
  const playedMs = clock.firstPlayedAtMs;
  const endMs = playedMs ?? clock.firstSoundAtMs ?? clock.firstTokenAtMs ?? clock.writtenAtMs;
  const tokenAtMs = clock.firstTokenAtMs ?? playedMs;
  const soundAtMs = clock.firstSoundAtMs ?? playedMs;
  const decidedMs = within(clock.decidedAtMs, clock.endedAtMs, endMs);
  const writtenMs = within(clock.writtenAtMs, decidedMs, endMs);
  const tokenMs = within(tokenAtMs ?? writtenMs, writtenMs, endMs);
  const foundMs = within(clock.askedAtMs + (retrievalMs ?? 0), writtenMs, tokenMs);
  const soundMs = within(soundAtMs ?? tokenMs, tokenMs, endMs);
  return {
    endOfTurnMs: clock.isSpoken ? decidedMs - clock.endedAtMs : null,
    transcriptionMs: clock.isSpoken ? writtenMs - decidedMs : null,
    retrievalMs: retrievalMs === null ? null : foundMs - writtenMs,
    firstTokenMs: tokenAtMs === undefined ? null : tokenMs - (retrievalMs === null ? writtenMs : foundMs),
    firstAudioMs: soundAtMs === undefined ? null : soundMs - tokenMs,
    pacingMs: playedMs === undefined ? null : endMs - soundMs,
    totalMs: endMs - clock.endedAtMs,
  };
}

function within(momentMs: number, fromMs: number, toMs: number): number {
  return Math.min(Math.max(momentMs, fromMs), Math.max(fromMs, toMs));
}
