import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { Fault } from '@parley/contracts';
import type { FastifyRequest } from 'fastify';
import { FailedKeys } from '../rate-limit/failed-keys';
import { Principals } from './principals';
import { accessOf } from './required-access';

const keyLengthMax = 200;

/** Finds out who holds the key of a request, and leaves the holder on it. What they may do is asked behind the limits. */
@Injectable()
export class AccessGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly principals: Principals,
    private readonly failed: FailedKeys,
  ) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const access = accessOf(context, this.reflector);
    if (!access) throw new Fault('SCOPE_MISSING', { cause: new Error(`${context.getHandler().name} says no access`) });
    if (access.keys === 'public') return true;
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const principal = this.principals.principalOf(apiKeyOf(request), request);
    return principal instanceof Promise ? principal.then((found) => this.admit(request, found)) : this.admit(request, principal);
  }

  private admit(request: FastifyRequest, principal: FastifyRequest['principal']): boolean {
    if (!principal) {
      this.failed.note(request.ip);
      throw new Fault('API_KEY_INVALID');
    }
    request.principal = principal;
    return true;
  }
}

function apiKeyOf(request: FastifyRequest): string {
  const key = request.headers['x-api-key'];
  if (typeof key !== 'string' || key === '') throw new Fault('API_KEY_MISSING');
  if (key.length > keyLengthMax) throw new Fault('API_KEY_INVALID');
  return key;
}
