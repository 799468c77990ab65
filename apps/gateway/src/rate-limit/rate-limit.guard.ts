import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { normalizeIp, ThrottlerGuard } from '@nestjs/throttler';
import { Fault } from '@parley/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Endpoint } from '../routes/endpoint';
import { type RateClass, rateClassOf } from './rate-class';
import { type Limited, RateLimits } from './rate-limits';

type Handler = ReturnType<ExecutionContext['getHandler']>;

/** The package's own guard, for what the gateway serves beside its endpoints. */
@Injectable()
export class AddressGuard extends ThrottlerGuard {
  protected override throwThrottlingException(
    _context: ExecutionContext,
    { timeToBlockExpire }: { timeToBlockExpire: number },
  ): Promise<void> {
    return Promise.reject(new Fault('RATE_LIMITED', { retryAfterSeconds: timeToBlockExpire }));
  }
}

/**
 * Holds requests to the limits of their key and organization. Endpoints of the API take a short way: the package's own
 * guard looks up a dozen settings and awaits a store for every limit. What else the gateway serves takes that one.
 */
@Injectable()
export class RateLimitGuard implements CanActivate {
  private readonly classes = new WeakMap<Handler, RateClass>();

  constructor(
    private readonly others: AddressGuard,
    private readonly reflector: Reflector,
    private readonly limits: RateLimits,
  ) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const rateClass = this.classOf(context.getHandler());
    if (!rateClass) return this.others.canActivate(context);
    const http = context.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const { principal } = request;
    holdTo(
      principal ? this.limits.take(principal, rateClass) : this.limits.takePublic(normalizeIp(request.ip)),
      http.getResponse(),
    );
    return true;
  }

  private classOf(handler: Handler): RateClass | undefined {
    const known = this.classes.get(handler);
    if (known) return known;
    const endpoint = this.reflector.get(Endpoint, handler);
    if (!endpoint) return undefined;
    const rateClass = rateClassOf(endpoint);
    this.classes.set(handler, rateClass);
    return rateClass;
  }
}

/** Says on the reply where its caller stands, and turns it away when there is nothing left. */
export function holdTo({ isGranted, retrySeconds, policy, state }: Limited, reply: FastifyReply): void {
  reply.header('ratelimit-policy', policy);
  reply.header('ratelimit', state);
  if (!isGranted) throw new Fault('RATE_LIMITED', { retryAfterSeconds: retrySeconds });
}
