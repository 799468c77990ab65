import { Controller, type DynamicModule, Module } from '@nestjs/common';
import { type BodyOf, organizationDeleted, removalInAgentConfig, type ReplyOf } from '@parley/contracts';
import type { SchemaDefinition } from '@parley/database';
import { type Call, Consumes, Handles } from '@parley/messaging';
import { type AskPublicServer, askPublicServer, defineService, OrganizationRemoval, SealedSecrets } from '@parley/service-kit';
import type { z } from 'zod';
import { AgentList, AgentReader } from './agents/agent-reader';
import { AgentVersions, AgentVersionsController } from './agents/agent-versions.service';
import { AgentsController, AgentsService, References } from './agents/agents.service';
import { type AgentConfiguration, AgentConfigVariables } from './config';
import { CreateAgents1763800000000 } from './database/migrations/1763800000000-create-agents';
import { CreateLookups1763800100000 } from './database/migrations/1763800100000-create-lookups';
import { CreateSecrets1763800200000 } from './database/migrations/1763800200000-create-secrets';
import {
  ForgetBusinessSummaries1763800400000,
  NameOwnModels1763800300000,
} from './database/migrations/1763800300000-name-models-and-forget-summaries';
import { AgentHistory, AgentVersion } from './definition/agent-history';
import { Agent } from './definition/agent.entity';
import { KnowledgeBases, DeletedBasesController, LinkedKnowledgeBase } from './definition/knowledge-bases';
import { RuntimeSecrets } from './definition/runtime-secrets';
import { LookupLists, LookupsController, TimeZoneClock } from './lookups/lookup-lists';
import { Lookup, LookupTables } from './lookups/lookup-tables';
import { AgentPrompts, Drafting } from './definition/agent-prompts';
import { PublicServers } from './providers/catalogue';
import { ProviderKeys, ProviderKeysController } from './providers/provider-keys.service';
import { Configuration, ProviderKey, ProviderSettings } from './providers/provider-settings';
import { ProvidersController } from './providers/providers.controller';
import { RuntimeCheck, RuntimeConfigController, RuntimeConfigs } from './runtime/runtime-configs.service';
import { Secret, SecretStore } from './secrets/secret-store';

/** The tables of this service. */
const agentsSchema: SchemaDefinition = {
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

/** Agents, their versions, templates, runtime configuration and providers. */
export const agentConfig = defineService({
  name: 'agent-config',
  config: AgentConfigVariables,
  database: agentsSchema,
  module: (config) => AgentConfigModule.with(config),
});

const agents = [
  AgentHistory,
  AgentList,
  AgentPrompts,
  AgentReader,
  AgentsService,
  AgentVersions,
  Drafting,
  KnowledgeBases,
  References,
];
const lookups = [LookupLists, LookupTables, TimeZoneClock];
const models = [ProviderKeys, ProviderSettings, RuntimeCheck, RuntimeConfigs, RuntimeSecrets, SecretStore];

/** Learns of deleted organizations, and tells the operator how far their removal is here. */
@Controller()
class RemovalController {
  constructor(private readonly removal: OrganizationRemoval) {}

  @Handles(removalInAgentConfig)
  tell(asked: BodyOf<typeof removalInAgentConfig>, call: Call): Promise<ReplyOf<typeof removalInAgentConfig>> {
    return this.removal.tell(asked, call);
  }

  @Consumes(organizationDeleted)
  learn(deleted: z.output<typeof organizationDeleted.payload>): Promise<void> {
    return this.removal.learn(deleted);
  }
}

/** Root of the agent service. */
@Module({
  controllers: [
    AgentsController,
    AgentVersionsController,
    DeletedBasesController,
    LookupsController,
    ProviderKeysController,
    ProvidersController,
    RemovalController,
    RuntimeConfigController,
  ],
  providers: [...agents, ...lookups, ...models],
})
export class AgentConfigModule {
  static with(config: AgentConfiguration, ask: AskPublicServer = askPublicServer): DynamicModule {
    const seals = new SealedSecrets({ secretKey: config.PARLEY_SECRET_KEY, oldSecretKeys: config.PARLEY_SECRET_KEYS_OLD });
    return {
      module: AgentConfigModule,
      providers: [
        { provide: Configuration, useValue: config },
        { provide: SealedSecrets, useValue: seals },
        { provide: PublicServers, useValue: ask },
      ],
    };
  }
}
