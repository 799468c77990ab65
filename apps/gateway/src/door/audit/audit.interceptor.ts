import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import { type FaultCode, withoutSecrets } from '@parley/contracts';
import { runInCall, ServiceBus } from '@parley/messaging';
import { Logger } from '@parley/service-kit';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { from, lastValueFrom, type Observable } from 'rxjs';
import { faultOf } from '../faults';
import { endpointIn } from '../../endpoint/endpoint';
import { gatewayCall } from '../../endpoint/gateway-call';
import { type Action, ActionTrail, attemptOf, endingOf, inputOf } from './attempt';

const beforeMs = 2_000;
/** Refused before any service was asked. */
const untried: readonly FaultCode[] = [
  'VALIDATION_FAILED',
  'MALFORMED_JSON',
  'UNSUPPORTED_MEDIA_TYPE',
  'PAYLOAD_TOO_LARGE',
  'NOT_IMPLEMENTED',
];

/** Puts every management action into the audit log: who, with which key, what was there before, what was asked, how it ended. */
@Injectable()
export class AuditInterceptor implements NestInterceptor {
  constructor(
    private readonly trail: ActionTrail,
    private readonly bus: ServiceBus,
    private readonly log: Logger,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const endpoint = endpointIn(context);
    const http = context.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const { principal } = request;
    if (!principal || !endpoint) return next.handle();
    return from(this.record({ endpoint, request, principal, reply: http.getResponse<FastifyReply>() }, next));
  }

  private async record(action: Answering, next: CallHandler): Promise<unknown> {
    const { orgId } = action.principal;
    const intent = await this.trail.begin(attemptOf(action, await this.before(action)));
    try {
      const answer: unknown = await lastValueFrom(next.handle());
      await this.close(() => this.trail.finish(orgId, intent, endingOf(action.endpoint, answer)));
      return answer;
    } catch (error) {
      const { code } = faultOf(error);
      await this.close(() =>
        untried.includes(code) ? this.trail.drop(orgId, intent) : this.trail.finish(orgId, intent, { outcome: code }),
      );
      throw error;
    }
  }

  /** What is there now, where the row says how to ask; whatever goes wrong with that is no reason to refuse the action. */
  private async before({ endpoint, request, reply, ...action }: Answering): Promise<unknown> {
    const contract = 'before' in endpoint ? endpoint.before : undefined;
    const input = inputOf({ request, ...action });
    if (!contract || !contract.request.safeParse(input).success) return null;
    const call = gatewayCall(request, reply, beforeMs);
    const found = await runInCall(call, () => this.bus.ask(contract, input)).catch(() => null);
    return withoutSecrets(contract.reply, found);
  }

  /** What could not be closed stays noted as begun, and the sweep writes it down. */
  private async close(write: () => Promise<void>): Promise<void> {
    await write().catch((error: unknown) => this.log.error('The end of a management action was not written', { err: error }));
  }
}

type Answering = Action & { readonly reply: FastifyReply };
