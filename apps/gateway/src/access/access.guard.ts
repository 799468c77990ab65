import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { Fault } from '@parley/contracts';
import type { FastifyRequest } from 'fastify';
import type { Access } from '../routes/route';
import { permits } from './permits';
import { Principals } from './principals';

/** What a caller must hold to pass, on a handler or its controller. A handler without it lets nobody in. */
export const RequiredAccess = Reflector.createDecorator<Access>();

const keyLengthMax = 200;

/** Lets a request in when its key's holder may make the call, and leaves the holder on the request. */
@Injectable()
export class AccessGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly principals: Principals,
  ) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const access = this.reflector.getAllAndOverride(RequiredAccess, [context.getHandler(), context.getClass()]);
    if (!access) throw new Fault('SCOPE_MISSING', { cause: new Error(`${context.getHandler().name} says no access`) });
    if (access.keys === 'public') return true;
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const principal = this.principals.principalOf(apiKeyOf(request), request);
    return principal instanceof Promise
      ? principal.then((found) => admit(request, access, found))
      : admit(request, access, principal);
  }
}

function apiKeyOf(request: FastifyRequest): string {
  const key = request.headers['x-api-key'];
  if (typeof key !== 'string' || key === '') throw new Fault('API_KEY_MISSING');
  if (key.length > keyLengthMax) throw new Fault('API_KEY_INVALID');
  return key;
}

function admit(request: FastifyRequest, access: Access, principal: FastifyRequest['principal']): boolean {
  if (!principal) throw new Fault('API_KEY_INVALID');
  const verdict = permits(principal, access, request.body ?? request.query);
  if (!verdict.granted) throw new Fault('SCOPE_MISSING', { message: verdict.reason });
  request.principal = principal;
  return true;
}
