import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { type FaultCode, type Principal } from '@parley/contracts';
import { runInCall, ServiceBus } from '@parley/messaging';
import { Logger } from '@parley/service-kit';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { from, lastValueFrom, type Observable } from 'rxjs';
import { faultOf } from '../faults/fault-of';
import { Endpoint } from '../routes/endpoint';
import { gatewayCall } from '../routes/gateway-call';
import type { Route } from '../routes/route';
import type { HandWritten } from '../routes/hand-written';
import { ActionTrail, type Attempt } from './action-trail';
import { redacted } from './redacted';
import { subjectOf } from './subject-of';

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
    private readonly reflector: Reflector,
    private readonly trail: ActionTrail,
    private readonly bus: ServiceBus,
    private readonly log: Logger,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const endpoint = this.reflector.get(Endpoint, context.getHandler());
    const http = context.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const { principal } = request;
    if (!principal) return next.handle();
    return from(this.record({ endpoint, request, principal, reply: http.getResponse<FastifyReply>() }, next));
  }

  private async record(action: Action, next: CallHandler): Promise<unknown> {
    const { orgId } = action.principal;
    const intent = await this.trail.begin(await this.attemptOf(action));
    try {
      const answer: unknown = await lastValueFrom(next.handle());
      const reply = redacted(answer);
      await this.close(() => this.trail.finish(orgId, intent, { outcome: 'OK', reply, ...subjectIn(answer) }));
      return answer;
    } catch (error) {
      const { code } = faultOf(error);
      await this.close(() =>
        untried.includes(code) ? this.trail.drop(orgId, intent) : this.trail.finish(orgId, intent, { outcome: code }),
      );
      throw error;
    }
  }

  private async attemptOf({ endpoint, request, principal, reply }: Action): Promise<Attempt> {
    const input = { ...Object(request.body), ...Object(request.params) };
    return {
      orgId: principal.orgId,
      action: endpoint.contract.subject,
      memberId: principal.memberId ?? null,
      integrationKeyId: principal.keyId,
      subject: subjectOf(input) ?? '',
      request: redacted(input),
      before: redacted(await this.before(endpoint, input, { request, reply })),
      requestId: request.id,
    };
  }

  /** What is there now, where the row says how to ask; whatever goes wrong with that is no reason to refuse the action. */
  private async before(
    endpoint: Action['endpoint'],
    input: object,
    { request, reply }: Pick<Action, 'request' | 'reply'>,
  ): Promise<unknown> {
    const contract = 'before' in endpoint ? endpoint.before : undefined;
    if (!contract || !contract.request.safeParse(input).success) return null;
    const call = gatewayCall(request, reply, beforeMs);
    return runInCall(call, () => this.bus.ask(contract, input)).catch(() => null);
  }

  /** What could not be closed stays noted as begun, and the sweep writes it down. */
  private async close(write: () => Promise<void>): Promise<void> {
    await write().catch((error: unknown) => this.log.error('The end of a management action was not written', { err: error }));
  }
}

interface Action {
  readonly endpoint: Route | HandWritten;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly principal: Principal;
}

function subjectIn(answer: unknown): { subject?: string } {
  const subject = subjectOf(answer);
  return subject ? { subject } : {};
}
