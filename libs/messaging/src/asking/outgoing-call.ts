import { randomUUID } from 'node:crypto';
import { Fault, type MessageContract, type Principal } from '@parley/contracts';
import { lineMs } from '../access/signed-principals';
import { type Call, currentCall } from '../call';
import type { AskOptions } from '../service-bus';
import { type MessageSpan, startOutgoing } from '../tracing';
import type { CallHeaders } from '../wire/call-headers';

interface Asked {
  readonly kind: MessageContract['kind'];
  readonly subject: string;
  readonly timeoutMs: number;
}

/** What one message takes along from the call that it is sent in, and the moment at which nobody waits for it any more. */
export class OutgoingCall {
  readonly headers: CallHeaders;
  private readonly leftMs: number;
  private readonly span: MessageSpan;
  private readonly signals: AbortSignal[];
  private timer: NodeJS.Timeout | undefined;
  private abandon: (() => void) | undefined;

  constructor(contract: Asked, options: AskOptions, parent: Call | undefined = currentCall()) {
    this.leftMs = leftFor(contract, options, parent);
    this.signals = [parent?.signal, options.signal].filter((signal) => signal !== undefined);
    const gone = this.signals.find(({ aborted }) => aborted);
    if (gone) throw givenUp(gone);
    this.span = startOutgoing(contract.subject);
    this.headers = {
      requestId: parent?.requestId ?? randomUUID(),
      leftMs: this.leftMs,
      ...principalFor(options, parent),
      ...(contract.kind === 'channel' ? { principalMs: lineMs } : {}),
      ...(this.span.traceparent ? { traceparent: this.span.traceparent } : {}),
      ...(this.span.tracestate ? { tracestate: this.span.tracestate } : {}),
    };
  }

  /** Calls back once, when the deadline passes or the caller goes away. */
  onGivenUp(listener: (fault: Fault) => void): void {
    this.timer = setTimeout(() => listener(new Fault('DEADLINE_EXCEEDED')), this.leftMs);
    this.abandon = () => listener(givenUp(this.signals.find(({ aborted }) => aborted)));
    for (const signal of this.signals) signal.addEventListener('abort', this.abandon, { once: true });
  }

  /** The answer has begun to last longer than its deadline may: a channel, once accepted. */
  stopClock(): void {
    clearTimeout(this.timer);
  }

  end(error?: unknown): void {
    clearTimeout(this.timer);
    const { abandon } = this;
    if (abandon) for (const signal of this.signals) signal.removeEventListener('abort', abandon);
    this.span.end(error);
  }
}

function leftFor(contract: { timeoutMs: number }, options: AskOptions, parent: Call | undefined): number {
  const ofParent = parent ? parent.deadlineAtMs - Date.now() : Number.POSITIVE_INFINITY;
  const leftMs = Math.min(contract.timeoutMs, options.timeoutMs ?? contract.timeoutMs, ofParent);
  if (leftMs <= 0) throw new Fault('DEADLINE_EXCEEDED');
  return leftMs;
}

function principalFor(options: AskOptions, parent: Call | undefined): { principal?: Principal } {
  const principal = options.principal ?? parent?.principal;
  return principal ? { principal } : {};
}

// A signal may carry the reason as a fault, as the signal of a served call does: an exceeded deadline stays one.
function givenUp(signal: AbortSignal | undefined): Fault {
  const reason: unknown = signal?.reason;
  return reason instanceof Fault ? reason : new Fault('CANCELLED', { cause: reason });
}
