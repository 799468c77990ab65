import { type DynamicModule, Module } from '@nestjs/common';
import { type AskPublicServer, askPublicServer, SealedSecrets } from '@parley/service-kit';
import { AgentList } from './agents/agent-list';
import { AgentReader } from './agents/agent-reader';
import { AgentsController } from './agents/agents.controller';
import { AgentsService } from './agents/agents.service';
import { Drafting } from './agents/drafting';
import { References } from './agents/references';
import type { AgentConfiguration } from './config';
import { KnowledgeBases } from './knowledge/knowledge-bases';
import { KnowledgeController } from './knowledge/knowledge.controller';
import { LookupLists } from './lookups/lookup-lists';
import { LookupTables } from './lookups/lookup-tables';
import { LookupsController } from './lookups/lookups.controller';
import { TimeZoneClock } from './lookups/time-zone-clock';
import { AgentPrompts } from './prompts/agent-prompts';
import { PublicServers } from './provider-keys/key-test';
import { ProviderKeys } from './provider-keys/provider-keys.service';
import { ProviderKeysController } from './provider-keys/provider-keys.controller';
import { Configuration, ProviderSettings } from './providers/provider-settings';
import { ProvidersController } from './providers/providers.controller';
import { RuntimeCheck } from './runtime/runtime-check';
import { RuntimeConfigController } from './runtime/runtime-config.controller';
import { RuntimeConfigs } from './runtime/runtime-configs.service';
import { RuntimeSecrets } from './runtime/runtime-secrets';
import { SecretStore } from './secrets/secret-store';
import { AgentHistory } from './versions/agent-history';
import { AgentVersionsController } from './versions/agent-versions.controller';
import { AgentVersions } from './versions/agent-versions.service';

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
