import { Fault, type Principal } from '@parley/contracts';
import { isObservable, lastValueFrom } from 'rxjs';
import type { Call } from '../call';
import type { CallHeaders } from '../wire/question';

/**
 * The call that a handler works for. Its signal comes into being when somebody asks for it: most handlers are done
 * before anything could be cancelled.
 */
export class ServedCall implements Call {
  readonly requestId: string;
  readonly principal?: Principal;
  readonly traceparent?: string;
  deadlineAtMs: number;
  private controller: AbortController | undefined;
  private timer: NodeJS.Timeout | undefined;
  private reason: Fault | undefined;

  constructor({ requestId, leftMs, principal, traceparent }: CallHeaders) {
    this.requestId = requestId;
    this.deadlineAtMs = Date.now() + leftMs;
    if (principal) this.principal = principal;
    if (traceparent) this.traceparent = traceparent;
  }

  get signal(): AbortSignal {
    if (!this.controller) {
      this.controller = new AbortController();
      if (this.reason) this.controller.abort(this.reason);
      else this.startClock();
    }
    return this.controller.signal;
  }

  /** Why the work is not wanted any more, if so. */
  get abandoned(): Fault | undefined {
    if (!this.reason && Date.now() >= this.deadlineAtMs) this.reason = new Fault('DEADLINE_EXCEEDED');
    return this.reason;
  }

  abort(reason: Fault): void {
    this.reason ??= reason;
    clearTimeout(this.timer);
    this.controller?.abort(this.reason);
  }

  /** From here on the work lasts as long as both sides want. */
  withoutDeadline(): void {
    this.deadlineAtMs = Number.POSITIVE_INFINITY;
    clearTimeout(this.timer);
  }

  end(): void {
    clearTimeout(this.timer);
  }

  private startClock(): void {
    if (this.deadlineAtMs === Number.POSITIVE_INFINITY) return;
    this.timer = setTimeout(() => this.abort(new Fault('DEADLINE_EXCEEDED')), Math.max(0, this.deadlineAtMs - Date.now()));
  }
}

/** A handler as Nest wraps it: guards, interceptors and filters are inside. */
export type Handler = (...args: unknown[]) => unknown;

/** Runs a handler. Nest answers with an observable when an interceptor or a filter had a hand in it. */
export async function invoke(handler: Handler, ...args: unknown[]): Promise<unknown> {
  const result = await handler(...args);
  return isObservable(result) ? lastValueFrom(result, { defaultValue: undefined }) : result;
}
