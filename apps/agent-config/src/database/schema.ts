import type { SchemaDefinition } from '@parley/database';
import { Agent } from '../agents/agent.entity';
import { LinkedKnowledgeBase } from '../knowledge/linked-knowledge-base.entity';
import { Lookup } from '../lookups/lookup.entity';
import { AgentVersion } from '../versions/agent-version.entity';
import { CreateAgents1763800000000 } from './migrations/1763800000000-create-agents';
import { CreateLookups1763800100000 } from './migrations/1763800100000-create-lookups';

/** Everything that this service keeps. */
export const agentsSchema: SchemaDefinition = {
  schema: 'agents',
  entities: [Agent, AgentVersion, LinkedKnowledgeBase, Lookup],
  migrations: [CreateAgents1763800000000, CreateLookups1763800100000],
};
