import { runInCall, type ServiceBus } from '@parley/messaging';
import type { z } from 'zod';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { parseInput } from './complaints';
import { dressed } from './envelopes';
import { gatewayCall } from './gateway-call';
import { inputs } from './inputs';
import type { Route } from './route';

/** What handlers work with. */
export interface Desk {
  readonly bus: ServiceBus;
}

/** How a handler answers one request. */
export type Answer = (desk: Desk, request: FastifyRequest, reply: FastifyReply) => Promise<object>;

/** What a row does with a request. Whatever depends on the row alone is settled here, once. */
export function answerOf(row: Route): Answer {
  const { contract } = row;
  const inputOf = inputs[row.input];
  const dress = dressed[row.envelope];
  return async ({ bus }, request, reply) => {
    const input = onceBy(row, request, await inputOf(request));
    // Checked, not replaced: the service parses again, and a schema that transforms would do so twice.
    parseInput(contract.request, input);
    const call = gatewayCall(request, reply, contract.timeoutMs);
    return dress(await runInCall(call, () => bus.ask(contract, input)));
  };
}

/** Names an effect by its Idempotency-Key, for a service that then does it once even when this gateway dies in between. */
function onceBy({ onceBy: field }: Route, { chargeId }: FastifyRequest, input: z.input<Route['contract']['request']>): unknown {
  return field && chargeId ? { [field]: chargeId, ...Object(input) } : input;
}
