import { Readable, type ReadableOptions } from 'node:stream';
import { Fault, type Principal } from '@parley/contracts';
import type { Call } from '@parley/messaging';
import type { FastifyReply, FastifyRequest } from 'fastify';

declare module 'fastify' {
  interface FastifyRequest {
    /** Who holds the key of this request; set by the access guard, absent on public routes. */
    principal: Principal | undefined;
    /** Aborts when the right to the answer ends; only on requests that may last. */
    ended: AbortSignal | undefined;
  }
}

/** Knows who holds an API key. */
export abstract class Principals {
  /** The holder, or nothing when the key is unknown, expired, revoked or not allowed from where the request comes. */
  abstract principalOf(
    apiKey: string,
    request: Pick<FastifyRequest, 'ip'>,
  ): Principal | undefined | Promise<Principal | undefined>;
}

/** The caller. Throws for work without one rather than guess. */
export function callerOf({ principal }: Call): Principal {
  if (!principal) throw new Fault('INTERNAL', { cause: new Error('no principal in this call') });
  return principal;
}

const sampledTraceparent = /^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/;

/** The call that one HTTP request makes: its signal aborts when the client goes away before the answer is out. */
export function gatewayCall(request: FastifyRequest, reply: FastifyReply, timeoutMs: number): Call {
  const { principal } = request;
  const traceparent = traceparentOf(request);
  return {
    requestId: request.id,
    deadlineAtMs: Date.now() + timeoutMs,
    signal: signalOf(reply),
    ...(principal && { principal }),
    ...(traceparent && { traceparent }),
  };
}

/** Aborts when the connection closes while the answer is still owed, and when the right to it has ended. */
function signalOf(reply: FastifyReply): AbortSignal {
  const abort = new AbortController();
  const { raw, request } = reply;
  // Who sends an Idempotency-Key comes back for the answer, so it must be there.
  if (request.chargeId !== undefined) return abort.signal;
  const { ended } = request;
  if (raw.destroyed || ended?.aborted) abort.abort();
  ended?.addEventListener('abort', () => abort.abort(), { once: true });
  raw.once('close', () => {
    if (!raw.writableFinished) abort.abort();
  });
  return abort.signal;
}

/**
 * An answer that is sent while it is made. The first item is requested at once: a generator that was never started does not run its
 * `finally`, so a client that disconnects before the first byte would leave the stream behind it open.
 */
export function bodyOf<Item>(items: AsyncGenerator<Item>, options?: ReadableOptions): Readable {
  let first: Promise<IteratorResult<Item>> | undefined = items.next();
  first.catch(() => undefined);
  const next = (): Promise<IteratorResult<Item>> => {
    const result = first ?? items.next();
    first = undefined;
    return result;
  };
  const begun: AsyncIterator<Item> = { next, return: (value: unknown) => items.return(value) };
  return Readable.from({ [Symbol.asyncIterator]: () => begun }, options);
}

function traceparentOf(request: FastifyRequest): string | undefined {
  const given = request.headers.traceparent;
  return typeof given === 'string' && sampledTraceparent.test(given) ? given : undefined;
}

/** What a chat says outside of a form: its body, and the agent that its address names where the body names none. */
export function chatInput({ body, query }: Pick<FastifyRequest, 'body' | 'query'>): unknown {
  const { AgentKeyID } = fieldsOf(query);
  return AgentKeyID === undefined ? body : { AgentKeyID, ...fieldsOf(body) };
}

/** The fields of unparsed input, for code that must look before the contract does; empty if it has none. */
export function fieldsOf(unparsed: unknown): Readonly<Record<string, unknown>> {
  return typeof unparsed === 'object' && unparsed !== null ? { ...unparsed } : {};
}
