import type { Call } from '@parley/messaging';

const answerMs = 120_000;
const choreMs = 10_000;

/** The calls that a live line makes on behalf of whoever opened it. The line has no deadline; each of these has. */
export class LineCall {
  constructor(private readonly opened: Call) {}

  /** Waiting for an answer, for as long as somebody wants to hear it. */
  answering(signal: AbortSignal): Call {
    return this.within(answerMs, signal);
  }

  /** What must be written down also when the line is gone already. */
  chore(): Call {
    return this.within(choreMs, AbortSignal.timeout(choreMs));
  }

  private within(forMs: number, signal: AbortSignal): Call {
    const { requestId, principal, traceparent } = this.opened;
    return {
      requestId, signal, deadlineAtMs: Date.now() + forMs, ...(principal && { principal }), ...(traceparent && { traceparent }),
    };
  }
}
