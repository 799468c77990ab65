import type { ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyRequest } from 'fastify';
import type { HandWritten } from './hand-written';
import type { ChargedAccess, Route } from './route';

/** One endpoint of the public API, whether a table row or a handler written by hand answers it. */
export type Endpoint = Route | HandWritten;

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The endpoint that a route serves; absent on pages and documents. */
    endpoint?: Endpoint;
  }
}

/** Who may ask for a page or a document, on a controller. Endpoints say it themselves. */
export const RequiredAccess = Reflector.createDecorator<ChargedAccess>();

/** The endpoint that a request is for; nothing for pages and documents. */
export function endpointOf({ routeOptions }: FastifyRequest): Endpoint | undefined {
  return routeOptions.config.endpoint;
}

/** The endpoint that the request of a context is for. */
export function endpointIn(context: ExecutionContext): Endpoint | undefined {
  return endpointOf(context.switchToHttp().getRequest<FastifyRequest>());
}
