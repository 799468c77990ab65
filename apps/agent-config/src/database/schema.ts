import type { SchemaDefinition } from '@parley/database';
import { Agent } from '../agents/agent.entity';
import { LinkedKnowledgeBase } from '../knowledge/linked-knowledge-base.entity';
import { Lookup } from '../lookups/lookup.entity';
import { ProviderKey } from '../provider-keys/provider-key.entity';
import { Secret } from '../secrets/secret.entity';
import { AgentVersion } from '../versions/agent-version.entity';
import { CreateAgents1763800000000 } from './migrations/1763800000000-create-agents';
import { CreateLookups1763800100000 } from './migrations/1763800100000-create-lookups';
import { CreateSecrets1763800200000 } from './migrations/1763800200000-create-secrets';
import { ForgetBusinessSummaries1763800400000 } from './migrations/1763800400000-forget-business-summaries';
import { NameOwnModels1763800300000 } from './migrations/1763800300000-name-own-models';

/** Everything that this service keeps. */
export const agentsSchema: SchemaDefinition = {
  schema: 'agents',
  entities: [Agent, AgentVersion, LinkedKnowledgeBase, Lookup, ProviderKey, Secret],
  migrations: [
    CreateAgents1763800000000,
    CreateLookups1763800100000,
    CreateSecrets1763800200000,
    NameOwnModels1763800300000,
    ForgetBusinessSummaries1763800400000,
  ],
};
