import { Fault, type Principal } from '@parley/contracts';
import type { Call } from '@parley/messaging';
import type { FastifyRequest } from 'fastify';

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

/** Who asks. Refuses to guess: work that nobody asked for has no caller. */
export function callerOf({ principal }: Call): Principal {
  if (!principal) throw new Fault('INTERNAL', { cause: new Error('no principal in this call') });
  return principal;
}
