import { SentenceCutter } from '@parley/language';
import type { AnswerEvent } from '../call/surroundings';
import { heardTextOf } from './heard-text';
import type { Talk } from './talk';
import { partsOf, type TurnClock } from './turn-clock';
import type { Utterance } from './utterance';

const firstClauseMin = 20;
const keptEveryMs = 2000;

const clause = new RegExp(`^[^]{${firstClauseMin},}?[,;:—–](?=\\s)`, 'u');

export type Done = Extract<AnswerEvent, { kind: 'done' }>;

/** One question on its way to being answered. */
export class Answer {
  turnUUID: string | undefined;
  text = '';
  done: Done | undefined;
  /** No further step will come. */
  isOver = false;
  /** Some of it was dropped on purpose, or could not be made audible. */
  isIncomplete = false;
  utterance: Utterance | undefined;
  isLatencyKept = false;
  readonly chunks = new SpeechChunks();
  /** What came while it was not certain that the answer is wanted. */
  readonly withheld: AnswerEvent[] = [];
  firstTokenAtMs: number | undefined;
  lastStepMs: number;
  /** When history was told last how far it is. */
  keptAtMs = Number.NEGATIVE_INFINITY;
  /** Absent while the caller may still go on. */
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

/** Cuts an answer into what a voice says at a time: sentences, but the very first as soon as a clause is there. */
class SpeechChunks {
  private readonly cutter = new SentenceCutter();
  private opening: string | undefined = '';

  push(text: string): string[] {
    if (this.opening === undefined) return this.cutter.push(text);
    this.opening += text;
    const [whole] = new SentenceCutter().push(this.opening);
    const first = whole === undefined ? clause.exec(this.opening)?.[0] : undefined;
    if (whole === undefined && first === undefined) return [];
    const rest = this.opening.slice(first?.length ?? 0);
    this.opening = undefined;
    return [...(first === undefined ? [] : [first.trim()]), ...this.cutter.push(rest)];
  }

  flush(): string[] {
    const rest = this.opening === undefined ? [] : this.cutter.push(this.opening);
    this.opening = undefined;
    return [...rest, ...this.cutter.flush()];
  }
}

/** Once the first sound has been played and the figures of the mind are there. */
export function keepLatency(talk: Talk, answer: Answer): void {
  const { clock, done, turnUUID } = answer;
  if (answer.isLatencyKept || !turnUUID || !done || clock?.firstPlayedAtMs === undefined) return;
  answer.isLatencyKept = true;
  talk.do({ kind: 'keep-latency', turn: { turnUUID, latency: partsOf(clock, done.latency.retrievalMs) } });
}

/** History is told how much of an answer was heard. */
export function keepHeard(talk: Talk, { turnUUID, utterance }: Pick<Answer, 'turnUUID' | 'utterance'>): void {
  if (turnUUID === undefined) return;
  talk.do({ kind: 'keep-heard', heard: { turnUUID, ...heardIn(talk, utterance?.sent ?? 0, utterance) } });
}

/** What is asked and heard of an answer that its mind is still making is kept as it is said: this process may die. */
export function keepSoFar(talk: Talk, answer: Answer): void {
  const { turnUUID, question, utterance, done, keptAtMs } = answer;
  if (turnUUID === undefined || done || talk.nowMs < keptAtMs + keptEveryMs) return;
  answer.keptAtMs = talk.nowMs;
  const samples = talk.output.current === utterance ? talk.output.heard(talk.nowMs) : 0;
  talk.do({ kind: 'keep-heard-so-far', heard: { turnUUID, question, ...heardIn(talk, samples, utterance) } });
}

function heardIn({ settings }: Talk, samples: number, utterance: Utterance | undefined) {
  const heardText = heardTextOf(utterance?.pieces ?? [], samples, settings.sampleRate);
  return { heardText, playedMs: Math.round((samples * 1000) / settings.sampleRate) };
}
