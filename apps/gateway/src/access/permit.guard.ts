import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { Fault } from '@parley/contracts';
import type { FastifyRequest } from 'fastify';
import { chatInput } from '../routes/chat-input';
import { permits } from './permits';
import { accessOf } from './required-access';

/** Lets a request in when the holder of its key may make the call. Stands behind the limits, so that refusals count. */
@Injectable()
export class PermitGuard implements CanActivate {
  constructor(private readonly reflector: Reflector) {}

  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const { principal } = request;
    const access = accessOf(context, this.reflector);
    if (access?.keys === 'public') return true;
    if (!access || !principal) throw new Fault('SCOPE_MISSING');
    const said = access.charges?.includes('TTT_API') ? chatInput(request) : (request.body ?? request.query);
    const verdict = permits(principal, access, said);
    if (!verdict.granted) throw new Fault('SCOPE_MISSING', { message: verdict.reason });
    return true;
  }
}
