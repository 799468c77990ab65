import { type DynamicModule, Module } from '@nestjs/common';
import { type AskPublicServer, askPublicServer, SealedSecrets } from '@parley/service-kit';
import { AgentList, AgentReader } from './agents/agent-reader';
import { AgentsController } from './agents/agents.controller';
import { AgentsService, References } from './agents/agents.service';
import { Drafting } from './agents/drafting';
import type { AgentConfiguration } from './config';
import { KnowledgeBases, KnowledgeController } from './definition/knowledge-bases';
import { LookupLists } from './lookups/lookup-lists';
import { LookupTables } from './lookups/lookup-tables';
import { LookupsController } from './lookups/lookups.controller';
import { TimeZoneClock } from './lookups/time-zone-clock';
import { AgentPrompts } from './prompts/agent-prompts';
import { PublicServers } from './providers/key-checks';
import { ProviderKeys } from './providers/provider-keys.service';
import { ProviderKeysController } from './providers/provider-keys.controller';
import { Configuration, ProviderSettings } from './providers/provider-settings';
import { ProvidersController } from './providers/providers.controller';
import { RuntimeCheck } from './runtime/runtime-check';
import { RuntimeConfigController, RuntimeConfigs } from './runtime/runtime-configs.service';
import { RuntimeSecrets } from './definition/runtime-secrets';
import { SecretStore } from './secrets/secret-store';
import { AgentHistory } from './definition/agent-history';
import { AgentVersionsController } from './agents/agent-versions.controller';
import { AgentVersions } from './agents/agent-versions.service';

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

/** Root of the agent service. */
@Module({
  controllers: [
    AgentsController,
    AgentVersionsController,
    KnowledgeController,
    LookupsController,
    ProviderKeysController,
    ProvidersController,
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
