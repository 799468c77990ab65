import { Fault } from '@parley/contracts';
import type { UntimedEvent, SessionAction } from '../session/events';
import type { Clock, Mind } from './surroundings';

/** How long the next question waits for history to be corrected after an interruption. */
const correctionMsMax = 2000;

type Ask = Extract<SessionAction, { kind: 'answer' }>;

interface Run {
  readonly stop: AbortController;
  turnUUID: string | undefined;
  isDiscarded: boolean;
}

/** The questions that a session has put to its mind, and what became of them. */
export class AnswerRuns {
  private readonly runs = new Map<number, Run>();
  private readonly corrections = new Set<Promise<void>>();

  constructor(
    private readonly mind: Mind,
    private readonly clock: Clock,
    private readonly tell: (step: UntimedEvent) => void,
  ) {}

  ask({ answer, question, language, isSpeculative }: Ask): void {
    const run: Run = { stop: new AbortController(), turnUUID: undefined, isDiscarded: false };
    this.runs.set(answer, run);
    void this.follow(answer, run, { question, language, isSpeculative, signal: run.stop.signal });
  }

  stop(answer: number): void {
    this.runs.get(answer)?.stop.abort();
  }

  /** Stops it and has its traces removed, also those that only become known later. */
  discard(answer: number): void {
    const run = this.runs.get(answer);
    if (!run) return;
    run.isDiscarded = true;
    run.stop.abort();
    this.forgetTurn(run);
    this.runs.delete(answer);
  }

  keepHeard(heard: Parameters<Mind['keepHeard']>[0]): void {
    this.correct(this.mind.keepHeard(heard));
  }

  keepHeardSoFar(heard: Parameters<Mind['keepHeardSoFar']>[0]): void {
    this.correct(this.mind.keepHeardSoFar(heard), { isWaitedFor: false });
  }

  keepLatency(turn: Parameters<Mind['keepLatency']>[0]): void {
    this.correct(this.mind.keepLatency(turn), { isWaitedFor: false });
  }

  /** Resolves once history has been corrected, or could not be. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.corrections);
  }

  close(): void {
    for (const { stop } of this.runs.values()) stop.abort();
    this.runs.clear();
  }

  private async follow(answer: number, run: Run, request: Parameters<Mind['answer']>[0]): Promise<void> {
    try {
      if (this.corrections.size > 0) await this.correctionsOrTimeout();
      if (run.stop.signal.aborted) return;
      for await (const step of this.mind.answer(request)) {
        if (step.kind === 'begun') run.turnUUID = step.turnUUID;
        if (run.isDiscarded) this.forgetTurn(run);
        if (run.stop.signal.aborted) return;
        this.tell({ kind: 'answered', answer, step });
      }
    } catch (failure) {
      if (!run.stop.signal.aborted) this.fail(answer, failure);
    }
  }

  private fail(answer: number, failure: unknown): void {
    const fault = failure instanceof Fault ? failure : new Fault('INTERNAL', { cause: failure });
    this.tell({ kind: 'answer-failed', answer, code: fault.code, message: fault.message });
  }

  private forgetTurn(run: Run): void {
    if (run.turnUUID === undefined) return;
    this.correct(this.mind.discard(run.turnUUID));
    run.turnUUID = undefined;
  }

  private async correctionsOrTimeout(): Promise<void> {
    const { clock } = this;
    let forget = (): void => undefined;
    const timeout = new Promise<void>((resolve) => {
      forget = clock.wakeAt(clock.now() + correctionMsMax, resolve);
    });
    await Promise.race([this.settled(), timeout]);
    forget();
  }

  private correct(work: Promise<void>, { isWaitedFor = true } = {}): void {
    // A correction that fails leaves too much in history, which is no reason to end a call.
    const quiet = work.catch(() => undefined);
    if (!isWaitedFor) return;
    this.corrections.add(quiet);
    void quiet.finally(() => this.corrections.delete(quiet));
  }
}
