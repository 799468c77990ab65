import type { AnswerEvent } from '../call/surroundings';
import { SpeechChunks } from './speech-chunks';
import type { TurnClock } from './turn-clock';
import type { Utterance } from './utterance';

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
