import type { SchemaDefinition } from '@parley/database';
import { Agent } from '../definition/agent.entity';
import { LinkedKnowledgeBase } from '../definition/knowledge-bases';
import { Lookup } from '../lookups/lookup-tables';
import { ProviderKey } from '../providers/provider-settings';
import { Secret } from '../secrets/secret-store';
import { AgentVersion } from '../definition/agent-history';
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
