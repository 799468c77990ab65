import { Fault } from '@parley/contracts';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Chargeable } from './charging';
import type { Amounts } from './operation';

const NamesAgent = z.object({ AgentKeyID: z.guid() });

/** What `Charging` must know of a request: who pays, for which agent, and under which Idempotency-Key. */
export function chargeableOf(request: FastifyRequest, estimate: Amounts): Chargeable {
  const { principal, id: requestId, chargeId, body } = request;
  if (!principal) throw new Fault('INTERNAL', { cause: new Error('a public route cannot charge') });
  const named = principal.kind === 'wsk' ? NamesAgent.safeParse(body).data : undefined;
  return { principal, estimate, requestId, chargeId, ...(named && { agentKeyId: named.AgentKeyID }) };
}
