import type { RuntimeConfig } from '@parley/contracts';
import type { Agent } from '../agents/agent.entity';
import { effectiveRuntime } from './effective-runtime';
import { masked } from './secret-headers';

/** The runtime configuration of an agent as its builder reads it. */
export function publicRuntime(agent: Agent): RuntimeConfig {
  const settings = effectiveRuntime(agent);
  const { keyId: AgentKeyID, version: Version } = agent;
  return { ...settings, Tools: masked(settings.Tools), AgentKeyID, Version, UpdatedOn: agent.updatedOn.toISOString() };
}
