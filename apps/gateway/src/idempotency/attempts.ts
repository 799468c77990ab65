import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Logger } from '@parley/service-kit';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Claim } from './claim';
import { ClaimKeeper } from './claim-keeper';
import { Claims } from './claims';
import { RecordedAnswer, type SeenAnswer } from './recorded-answer';
import { worthOf } from './worth-keeping';

/** The largest answer that is kept. A larger one is given anew to a repetition, which is not charged again. */
export const answerBytesMax = 4 * 1024 * 1024;
const keepAttempts = 5;
const keepPauseMs = 200;
/** Time for an error to become an answer after its handler has ended and its client has gone. */
const abandonAfterMs = 2_000;

/** One request that is being answered under a claim, which has to hear when its handler is through. */
export interface Attempt {
  handlerEnded(): void;
}

/** Sees claimed requests to their end: the answer is kept before its last byte leaves. */
@Injectable()
export class Attempts {
  constructor(
    private readonly claims: Claims,
    private readonly keeper: ClaimKeeper,
    private readonly log: Logger,
  ) {}

  begin(claim: Claim, request: FastifyRequest, { raw }: FastifyReply): Attempt {
    this.keeper.hold(claim);
    request.chargeId = claim.chargeId;
    const hash = (): Buffer | null => request.bodyTap?.whole ?? null;
    const answer = new RecordedAnswer(raw, { bytesMax: answerBytesMax, beforeEnd: (seen) => this.end(claim, seen, hash()) });
    const abandonLater = (): void => {
      setTimeout(() => {
        if (!answer.isEnded) void this.end(claim, undefined, hash());
      }, abandonAfterMs).unref();
    };
    return {
      // A stream that its client left is never ended; it may be asked for again.
      handlerEnded: () => (raw.destroyed ? abandonLater() : raw.once('close', abandonLater)),
    };
  }

  private async end(claim: Claim, seen: SeenAnswer | undefined, bodyHash: Buffer | null): Promise<void> {
    for (let attempt = 1; attempt <= keepAttempts; attempt += 1) {
      try {
        await this.conclude(claim, seen, bodyHash);
        break;
      } catch (error) {
        this.log.warn('An answer could not be kept for its Idempotency-Key', { attempt, error });
        await delay(keepPauseMs * attempt);
      }
    }
    this.keeper.drop(claim);
  }

  private conclude(claim: Claim, seen: SeenAnswer | undefined, bodyHash: Buffer | null): Promise<void> {
    if (!seen) return this.claims.forget(claim);
    const { body, ...head } = seen;
    const worth = worthOf(seen);
    if (worth === 'nothing') return this.claims.forget(claim);
    if (worth === 'another try' || !body) return this.claims.letGo(claim, bodyHash);
    return this.claims.answer(claim, { ...head, body }, bodyHash);
  }
}
