import { createHash } from 'node:crypto';
import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import { Fault } from '@parley/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { finalize, type Observable } from 'rxjs';
import type { Claimed, RequestKey } from './claim';
import { Attempts } from './attempts';
import { Claims } from './claims';
import { idempotencyKeyOf, scopeOf } from './request-key';
import { Replay } from './replay.filter';

const retryAfterSeconds = 1;
/** Of an upload that is only read to be compared: no route takes more. */
const comparedBytesMax = 32 * 1024 * 1024;

/** Answers a POST that carries an Idempotency-Key once, and every repetition of it with that answer. */
@Injectable()
export class IdempotencyInterceptor implements NestInterceptor {
  constructor(
    private readonly claims: Claims,
    private readonly attempts: Attempts,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> | Promise<Observable<unknown>> {
    const http = context.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const key = idempotencyKeyOf(request);
    if (key === undefined || !request.principal) return next.handle();
    const { orgId } = request.principal;
    return this.once({ orgId, route: request.routeOptions.url ?? '', key }, request, http.getResponse<FastifyReply>(), next);
  }

  private async once(key: RequestKey, request: FastifyRequest, reply: FastifyReply, next: CallHandler): Promise<Observable<unknown>> {
    const bodyHash = request.bodyTap ? null : hashOf(request);
    const claimed = await this.claims.take(key, bodyHash);
    if (claimed.state !== 'mine') throw await outcomeOf(claimed, request);
    const attempt = this.attempts.begin(claimed.claim, request, reply);
    return next.handle().pipe(finalize(() => attempt.handlerEnded()));
  }
}

/** What a repetition gets: the stored answer, or the reason why there is none. */
async function outcomeOf(claimed: Exclude<Claimed, { state: 'mine' }>, { bodyTap }: FastifyRequest): Promise<Error> {
  if (claimed.state === 'inFlight') return new Fault('IDEMPOTENCY_KEY_IN_FLIGHT', { retryAfterSeconds });
  if (claimed.state === 'otherBody') return new Fault('IDEMPOTENCY_KEY_REUSED');
  if (!bodyTap) return new Replay(claimed.answer);
  const bodyHash = await bodyTap.drain(comparedBytesMax);
  if (bodyHash === 'tooLarge') return new Fault('PAYLOAD_TOO_LARGE');
  const isSame = claimed.bodyHash === null || claimed.bodyHash.equals(bodyHash);
  return isSame ? new Replay(claimed.answer) : new Fault('IDEMPOTENCY_KEY_REUSED');
}

function hashOf(request: FastifyRequest): Buffer {
  return createHash('sha256').update(scopeOf(request)).update(JSON.stringify(request.body) ?? '').digest();
}
