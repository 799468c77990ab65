import type { ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FaultCode, MessageContract } from '@parley/contracts';
import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';
import type { ChargedAccess, Envelope, Route } from './route';

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

/** One form of an answer: dressed JSON, server-sent events, or bytes, which have no schemas. */
export interface AnswerForm {
  readonly contentType: string;
  readonly schemas: readonly z.ZodType[];
  /** How JSON is dressed. */
  readonly envelope?: Envelope;
}

/** How a WebSocket is entered beside an `x-api-key` header. */
export type SocketCredential = 'session-token' | 'widget-token' | 'origin';

/** An endpoint that leaves the tables: it streams, takes a file, answers bytes or is a socket. */
export type HandWritten = ChargedAccess & {
  readonly method: 'GET' | 'POST' | 'WS';
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
  readonly tag: string;
  readonly contract: MessageContract;
  /** What the client sends, where it is not the request of the contract. */
  readonly body?: z.ZodType;
  readonly accepts: readonly ('application/json' | 'multipart/form-data')[];
  readonly answers: readonly AnswerForm[];
  readonly credentials?: readonly SocketCredential[];
  readonly faults: readonly FaultCode[];
  /** Another limit than the gateway's own for a JSON body of this endpoint. */
  readonly bodyLimitBytes?: number;
};

/** Whether a request to an endpoint is a management action: it changes something that the organization keeps. */
export function changesSomething(endpoint: Endpoint): boolean {
  if (endpoint.method === 'DELETE') return true;
  return endpoint.method === 'POST' && !endpoint.charges && endpoint.needs !== 'key-kind' && !onlyViews(endpoint);
}

/** Lists, searches and exports are asked for by POST where their filters are long. They need no more than the right to look. */
function onlyViews({ needs }: Endpoint): boolean {
  return typeof needs === 'string' && needs.endsWith('.CanView');
}
