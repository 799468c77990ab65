import { Fault, type FaultCode, type Principal, type ServiceName } from '@parley/contracts';
import { isObservable, lastValueFrom } from 'rxjs';
import { type Call, runInCall } from '../call';
import { Addressed, cancelSubject, readCancellation, type TransportEndpoint } from '../endpoint';
import { StartQueue } from '../fairness/fair-queue';
import { limits } from '../limits';
import { inTraceOf, traceIncoming } from '../tracing';
import { inboxRoot, type Packet, type Subscription } from '../transport/transport';
import { asRequestFault, callerFault, type CallHeaders, decodeRequest, encodeFault, textOf, unavailable } from '../wire/body';
import { encodeFrame } from '../wire/frame';

/** A request, and the address for its answer. */
export interface Request {
  readonly subject: string;
  readonly reply: string;
  readonly body: Uint8Array;
}

/** Counts answered requests. `code` is `OK` or the fault. */
export interface RequestCounter {
  requestHandled(request: { subject: string; code: FaultCode | 'OK'; seconds: number }): void;
}

/** A request in progress or waiting for its turn. */
interface Accepted {
  readonly request: Request;
  readonly headers: CallHeaders;
  readonly call: ServedCall;
  readonly work: Work;
}

/** How many organizations without a request in progress keep their entry. */
const idleEntriesMax = 1_000;

/** How to handle one kind of request, within its call. A thrown fault is the answer. */
export type Work = (request: Request, call: ServedCall) => Promise<void>;

/**
 * Runs the requests that a service has accepted: starts work in turns by organization, cancels it, reports its failures, and
 * drains when the service stops.
 */
export class AcceptedRequests {
  private readonly underWay = new Addressed<ServedCall>();
  private readonly ofOrganization = new Map<number, number>();
  private readonly starts = new StartQueue(limits.callsMax);
  private readonly cancellations: Subscription;
  private idle: (() => void) | undefined;

  constructor(
    readonly endpoint: TransportEndpoint,
    service: ServiceName,
    private readonly meter?: RequestCounter,
  ) {
    this.cancellations = endpoint.transport.subscribe(cancelSubject(service), ({ data }) => {
      const { address, isLost } = readCancellation(textOf(data));
      this.underWay.get(address)?.abort(isLost ? unavailable('its caller lost the answer') : new Fault('CANCELLED'));
    });
  }

  /** Accepts a packet. Every failure is answered to the caller; nothing is thrown here. */
  take({ subject, reply, data }: Packet, work: Work): void {
    // Answers go to inboxes only. Any other reply address would make this service publish there under its own name.
    if (!reply?.startsWith(`${inboxRoot}.`)) return;
    let headers: CallHeaders | undefined;
    try {
      const decoded = decodeRequest(data, this.endpoint.transport.principals);
      ({ headers } = decoded);
      this.requireRoom(headers.principal?.orgId);
      this.accept({ subject, reply, body: decoded.body }, headers, work);
    } catch (error) {
      this.answerFault({ subject, reply }, error, headers);
    }
  }

  /** Resolves when no request is in progress; work that takes too long is aborted. */
  async drain(waitMs: number): Promise<void> {
    const timer = setTimeout(() => this.abortAll(), waitMs);
    if (this.underWay.size > 0) await new Promise<void>((resolve) => (this.idle = resolve));
    clearTimeout(timer);
    this.cancellations.stop();
  }

  /** Keeps one organization from taking all places, however long its work lasts. */
  private requireRoom(organization: number | undefined): void {
    if (this.underWay.size >= limits.callsMax) throw unavailable('too many calls under way');
    if (organization === undefined || (this.ofOrganization.get(organization) ?? 0) < limits.callsOfOneMax) return;
    throw unavailable('too many calls of one organization under way');
  }

  private accept(request: Request, headers: CallHeaders, work: Work): void {
    const { transport, heartbeats } = this.endpoint;
    const call = new ServedCall(headers);
    // A caller that receives nothing for two seconds considers this process dead.
    const watch = heartbeats.watch({ beat: () => transport.publish(request.reply, encodeFrame('beat', 0)) });
    const organization = headers.principal?.orgId;
    const end = (): void => {
      watch.stop();
      call.end();
      this.underWay.remove(request.reply);
      this.count(organization, -1);
      if (this.underWay.size === 0) this.idle?.();
    };
    this.underWay.add(request.reply, call);
    this.count(organization, 1);
    const refuse = (): void => {
      this.answerFault(request, unavailable('too many calls wait'), headers);
      end();
    };
    const begin = (): void => void this.run({ request, headers, call, work }).finally(end);
    this.starts.take(organization, { begin, refuse });
  }

  private async run({ request, headers, call, work }: Accepted): Promise<void> {
    const startedAt = performance.now();
    let code: FaultCode | 'OK' = 'OK';
    try {
      // The caller may have left before its turn came.
      if (call.abandoned) throw call.abandoned;
      await traceIncoming(request.subject, headers, () => runInCall(call, () => work(request, call)));
    } catch (error) {
      code = this.answerFault(request, error, headers);
    } finally {
      const seconds = (performance.now() - startedAt) / 1_000;
      // The line of the client's 504 names this service, and this one what took so long.
      if (code === 'DEADLINE_EXCEEDED' || Date.now() >= call.deadlineAtMs) {
        this.endpoint.log.warn({ subject: request.subject, seconds, ...namesOf(headers) }, 'A handler passed its deadline');
      }
      inTraceOf(headers, () => this.meter?.requestHandled({ subject: request.subject, code, seconds }));
    }
  }

  private count(organization: number | undefined, change: 1 | -1): void {
    if (organization === undefined) return;
    const underWay = (this.ofOrganization.get(organization) ?? 0) + change;
    // If there are few organizations, a zero is kept: entries that come and go cost more (see `Addressed`).
    if (underWay > 0 || this.ofOrganization.size <= idleEntriesMax) this.ofOrganization.set(organization, underWay);
    else this.ofOrganization.delete(organization);
  }

  private answerFault({ subject, reply }: Omit<Request, 'body'>, error: unknown, call?: CallHeaders): FaultCode {
    const fault = callerFault(asRequestFault(error));
    if (fault.code === 'INTERNAL')
      this.endpoint.log.error({ err: fault.cause ?? fault, subject, ...namesOf(call) }, 'A handler failed');
    this.endpoint.transport.publish(reply, encodeFrame('fault', 0, encodeFault(fault)));
    return fault.code;
  }

  // Work that ignores its signal is no longer waited for either.
  private abortAll(): void {
    for (const call of this.underWay.values()) call.abort(unavailable('the service stops'));
    setImmediate(() => this.idle?.());
  }
}

/**
 * The call that a handler works for. Its signal is created on first use: most handlers finish before anything could be cancelled.
 */
export class ServedCall implements Call {
  readonly requestId: string;
  readonly principal?: Principal;
  readonly traceparent?: string;
  deadlineAtMs: number;
  onlyReads = false;
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

  /** Why the work is no longer wanted; undefined if it is. */
  get abandoned(): Fault | undefined {
    // Checks the deadline itself, because the call may end before its timer fires; listeners are then told here.
    if (!this.reason && Date.now() >= this.deadlineAtMs) this.abort(new Fault('DEADLINE_EXCEEDED'));
    return this.reason;
  }

  abort(reason: Fault): void {
    this.reason ??= reason;
    clearTimeout(this.timer);
    this.controller?.abort(this.reason);
  }

  /** Removes the call's deadline; from now on either side ends it. */
  withoutDeadline(): void {
    this.deadlineAtMs = Number.POSITIVE_INFINITY;
    clearTimeout(this.timer);
  }

  end(): void {
    // Work that outlives the answer, such as a timer started by a call, may write.
    this.onlyReads = false;
    clearTimeout(this.timer);
  }

  private startClock(): void {
    if (this.deadlineAtMs === Number.POSITIVE_INFINITY) return;
    this.timer = setTimeout(() => this.abort(new Fault('DEADLINE_EXCEEDED')), Math.max(0, this.deadlineAtMs - Date.now()));
  }
}

/** What a log line says of a call, so that it is found from the answer that a client was given. */
export function namesOf(call?: Pick<CallHeaders, 'requestId' | 'principal'>): object {
  const { requestId, principal } = call ?? {};
  return { ...(requestId && { requestId }), ...(principal && { orgId: principal.orgId, keyId: principal.keyId }) };
}

/** A handler as wrapped by Nest, including guards, interceptors and filters. */
export type Handler = (...args: unknown[]) => unknown;

/** Runs a handler. Nest returns an observable if an interceptor or a filter is involved. */
export async function invoke(handler: Handler, ...args: unknown[]): Promise<unknown> {
  const result = await handler(...args);
  return isObservable(result) ? lastValueFrom(result, { defaultValue: undefined }) : result;
}
