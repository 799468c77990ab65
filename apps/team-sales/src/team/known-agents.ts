import { Injectable } from '@nestjs/common';
import { Fault, findAgents, type saveInvite } from '@parley/contracts';
import { ServiceBus } from '@parley/messaging';
import type { BodyOf } from '../message-types';

/** Which agents there are to give access to, as their own service knows them. */
@Injectable()
export class KnownAgents {
  constructor(private readonly bus: ServiceBus) {}

  /** The agents of a body that the organization does not have. Nobody is asked where no agent is named. */
  async unknownIn({ agentAccessScope, agentIds }: BodyOf<typeof saveInvite>): Promise<number[]> {
    if (agentAccessScope === 'ALL' || agentIds.length === 0) return [];
    const { AgentIDs } = await this.bus.ask(findAgents, { AgentIDs: agentIds });
    const known = new Set(AgentIDs);
    return agentIds.filter((id) => !known.has(id));
  }
}

/** Refuses to give access to what is not there; an agent that was deleted since may stay where it was given. */
export function requireNoneUnknown(unknown: readonly number[], given: readonly number[] = []): void {
  const missing = unknown.filter((id) => !given.includes(id));
  if (missing.length === 0) return;
  const details = missing.map((id) => ({ field: 'agentIds', message: `There is no agent ${id}.` }));
  throw new Fault('NOT_FOUND', { message: `There is no agent ${missing.join(', ')}.`, details });
}
