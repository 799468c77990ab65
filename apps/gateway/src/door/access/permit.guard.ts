import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { Fault } from '@parley/contracts';
import type { FastifyRequest } from 'fastify';
import { chatInput } from '../../endpoint/chat-input';
import { endpointOf, RequiredAccess } from '../../endpoint/endpoint';
import { permits } from './permits';

/**
 * Asks whether the holder of a key may make this very call, once its body is there. A form is read by its handler, which
 * then asks `requirePermit` itself. What is neither an endpoint nor says that it is public lets nobody in.
 */
@Injectable()
export class PermitGuard implements CanActivate {
  constructor(private readonly reflector: Reflector) {}

  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const endpoint = endpointOf(request);
    if (!endpoint) return this.requirePublic(context);
    if (endpoint.keys === 'public' || request.isMultipart()) return true;
    requirePermit(request, endpoint.charges?.includes('TTT_API') ? chatInput(request) : (request.body ?? request.query));
    return true;
  }

  private requirePublic(context: ExecutionContext): boolean {
    const access = this.reflector.getAllAndOverride(RequiredAccess, [context.getHandler(), context.getClass()]);
    if (access?.keys === 'public') return true;
    throw new Fault('SCOPE_MISSING', { cause: new Error(`${context.getHandler().name} says no access`) });
  }
}

/** Refuses a call that the holder of the request's key may not make with these fields. */
export function requirePermit(request: FastifyRequest, fields: unknown): void {
  const endpoint = endpointOf(request);
  const { principal } = request;
  if (!endpoint || !principal) throw new Fault('SCOPE_MISSING');
  const verdict = permits(principal, endpoint, fields);
  if (!verdict.granted) throw new Fault('SCOPE_MISSING', { message: verdict.reason });
}
