import { createHash } from 'node:crypto';
import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Fault } from '@parley/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Claimed, RequestKey } from './claim';
import { Attempts } from './attempts';
import { Claims } from './claims';
import { idempotencyKeyOf, scopeOf } from './request-key';
import { Replay } from './replay.filter';

const retryAfterSeconds = 1;
/** Of an upload that is only read to be compared: no route takes more. */
const comparedBytesMax = 32 * 1024 * 1024;

/**
 * Answers a POST that carries an Idempotency-Key once, and every repetition of it with that answer. A guard behind all others:
 * an interceptor would put every request through observables, also those that carry no key.
 */
@Injectable()
export class IdempotencyGuard implements CanActivate {
  constructor(
    private readonly claims: Claims,
    private readonly attempts: Attempts,
  ) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const key = idempotencyKeyOf(request);
    if (key === undefined || !request.principal) return true;
    const { orgId } = request.principal;
    return this.claim({ orgId, route: request.routeOptions.url ?? '', key }, request, http.getResponse<FastifyReply>());
  }

  private async claim(key: RequestKey, request: FastifyRequest, reply: FastifyReply): Promise<true> {
    const bodyHash = request.bodyTap ? null : hashOf(request);
    const claimed = await this.claims.take(key, bodyHash);
    if (claimed.state !== 'mine') throw await outcomeOf(claimed, request);
    request.attempt = this.attempts.begin(claimed.claim, request, reply);
    return true;
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
