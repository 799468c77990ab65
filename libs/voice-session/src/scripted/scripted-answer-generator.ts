import type { AnswerGenerator, AnswerRequest } from '../call/surroundings';
import { type Clock, wait } from '../clock';
import type { AnswerEvent, AnswerLatency, HeardAnswer, HeardSoFar } from '../session/events';

interface Script {
  /** Time until `begun`. */
  readonly begunMs?: number;
  readonly firstTokenMs?: number;
  readonly wordMs?: number;
  readonly retrievalMs?: number;
  readonly wantsToEnd?: boolean;
  readonly transferTo?: string;
}

const usage = { promptTokens: 10, completionTokens: 5, totalTokens: 15 };
const nothing = { endOfTurnMs: null, transcriptionMs: null, firstTokenMs: null, firstAudioMs: null, pacingMs: null };

/** A fake generator: answers word by word on the given clock, and records its input. */
export class ScriptedAnswerGenerator implements AnswerGenerator {
  readonly asked: AnswerRequest[] = [];
  readonly heard: HeardAnswer[] = [];
  readonly soFar: HeardSoFar[] = [];
  readonly latencies: AnswerLatency[] = [];
  readonly discarded: string[] = [];
  readonly unanswered: string[] = [];
  private readonly failures: Error[] = [];

  constructor(
    private readonly clock: Clock,
    private readonly answerTo: (question: string) => string,
    private readonly script: Script = {},
  ) {}

  failNext(failure: Error): void {
    this.failures.push(failure);
  }

  async *answer(request: AnswerRequest): AsyncGenerator<AnswerEvent> {
    const turnUUID = `00000000-0000-4000-8000-${String(this.asked.push(request)).padStart(12, '0')}`;
    const { begunMs = 0, firstTokenMs = 0, wordMs = 0, retrievalMs = 0, wantsToEnd = false, transferTo } = this.script;
    await wait(this.clock, begunMs, request.signal);
    yield { kind: 'begun', turnUUID };
    await wait(this.clock, firstTokenMs, request.signal);
    const failure = this.failures.shift();
    if (failure) throw failure;
    for (const word of this.answerTo(request.question).split(/(?<= )/)) {
      if (request.signal.aborted) return;
      yield { kind: 'delta', text: word };
      if (wordMs > 0) await wait(this.clock, wordMs, request.signal);
    }
    const latency = { ...nothing, retrievalMs, totalMs: firstTokenMs };
    yield { kind: 'done', usage, latency, language: undefined, wantsToEnd, ...(transferTo && { transferTo }) };
  }

  async keepHeard(heard: HeardAnswer): Promise<void> {
    this.heard.push(heard);
  }

  async keepHeardSoFar(heard: HeardSoFar): Promise<void> {
    this.soFar.push(heard);
  }

  async keepUnanswered(question: string): Promise<void> {
    this.unanswered.push(question);
  }

  async keepLatency(turn: AnswerLatency): Promise<void> {
    this.latencies.push(turn);
  }

  async discard(turnUUID: string): Promise<void> {
    this.discarded.push(turnUUID);
  }
}
