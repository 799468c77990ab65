import { Fault, type FaultCode, type ServiceName } from '@parley/contracts';
import { runInCall } from '../call';
import { cancelSubject, type Endpoint } from '../endpoint';
import { limits } from '../limits';
import { traceIncoming } from '../tracing';
import type { Packet, Subscription } from '../transport/transport';
import { asRequestFault, textOf } from '../wire/body';
import type { CallHeaders } from '../wire/call-headers';
import { unavailable } from '../wire/unavailable';
import { encodeFault, faultOf } from '../wire/fault-body';
import { encodeFrame } from '../wire/frame';
import { decodeQuestion } from '../wire/question';
import { ServedCall } from './served-call';

/** What somebody asked, and where they wait for the answer. */
export interface Request {
  readonly subject: string;
  readonly reply: string;
  readonly body: Uint8Array;
}

/** Counts what a service has answered. `code` is `OK` or what went wrong. */
export interface RequestMeter {
  requestHandled(request: { subject: string; code: FaultCode | 'OK'; seconds: number }): void;
}

/** One kind of work: what to do with a request, inside its call. A fault that it throws is the answer. */
export type Work = (request: Request, call: ServedCall) => Promise<void>;

/** Everything that a service has under way: it starts work, cancels it, tells of its failures, and can wait until all is done. */
export class Desk {
  private readonly underWay = new Map<string, ServedCall>();
  private readonly cancellations: Subscription;
  private idle: (() => void) | undefined;

  constructor(
    readonly endpoint: Endpoint,
    service: ServiceName,
    private readonly meter?: RequestMeter,
  ) {
    this.cancellations = endpoint.transport.subscribe(cancelSubject(service), ({ data }) => {
      this.underWay.get(textOf(data))?.abort(new Fault('CANCELLED'));
    });
  }

  /** Takes a packet in: whatever becomes of it, the caller is answered and nothing is thrown here. */
  take({ subject, reply, data }: Packet, work: Work): void {
    if (reply === undefined) return;
    try {
      const { headers, body } = decodeQuestion(data, this.endpoint.transport.principals);
      if (this.underWay.size >= limits.callsMax) throw unavailable('too many calls under way');
      void this.run({ subject, reply, body }, headers, work);
    } catch (error) {
      this.answerFault({ subject, reply }, error);
    }
  }

  /** Resolves when nothing is under way any more; what is not done in time is aborted. */
  async drain(waitMs: number): Promise<void> {
    const timer = setTimeout(() => this.abortAll(), waitMs);
    if (this.underWay.size > 0) await new Promise<void>((resolve) => (this.idle = resolve));
    clearTimeout(timer);
    this.cancellations.stop();
  }

  private async run(request: Request, headers: CallHeaders, work: Work): Promise<void> {
    const call = new ServedCall(headers);
    const { transport, pulse } = this.endpoint;
    // A caller that hears nothing for two seconds takes this process for dead.
    const watch = pulse.watch({ beat: () => transport.publish(request.reply, encodeFrame('beat', 0)) });
    this.underWay.set(request.reply, call);
    const startedAt = performance.now();
    let code: FaultCode | 'OK' = 'OK';
    try {
      await traceIncoming(request.subject, headers, () => runInCall(call, () => work(request, call)));
    } catch (error) {
      code = this.answerFault(request, error);
    } finally {
      this.meter?.requestHandled({ subject: request.subject, code, seconds: (performance.now() - startedAt) / 1_000 });
      watch.stop();
      call.end();
      this.underWay.delete(request.reply);
      if (this.underWay.size === 0) this.idle?.();
    }
  }

  private answerFault({ subject, reply }: Omit<Request, 'body'>, error: unknown): FaultCode {
    const fault = faultOf(asRequestFault(error));
    if (fault.code === 'INTERNAL') this.endpoint.log.error({ err: fault.cause ?? fault, subject }, 'A handler failed');
    this.endpoint.transport.publish(reply, encodeFrame('fault', 0, encodeFault(fault)));
    return fault.code;
  }

  // Work that ignores its signal is not waited for any longer either.
  private abortAll(): void {
    for (const call of this.underWay.values()) call.abort(unavailable('the service stops'));
    setImmediate(() => this.idle?.());
  }
}
