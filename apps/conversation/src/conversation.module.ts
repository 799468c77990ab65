import { type DynamicModule, Module } from '@nestjs/common';
import { TenantScope } from '@parley/database';
import { Logger, OrganizationKeysModule } from '@parley/service-kit';
import { Agents } from './agents/agents';
import { AgentsController } from './agents/agents.controller';
import type { ConversationConfig } from './config';
import { BaseTexts, WholeKnowledgeRoom } from './knowledge/base-texts';
import { Knowledge } from './knowledge/knowledge';
import { KnowledgeController } from './knowledge/knowledge.controller';
import { LogsController } from './logs/logs.controller';
import { LogsService } from './logs/logs.service';
import { TimeZones } from './logs/time-zones';
import { ConfiguredModels } from './models/configured-models';
import { Models } from './models/models';
import { ProviderSecrets } from './models/provider-secrets';
import { CallResults, CallResultsController } from './results/call-results';
import { IdleSweep } from './sessions/idle-sweep';
import { SessionEnding } from './sessions/session-ending';
import { SessionLookup } from './sessions/session-lookup';
import { SessionOpening } from './sessions/session-opening';
import { SessionsController } from './sessions/sessions.controller';
import { PromptPreview } from './prompts/prompt-preview';
import { PromptsController } from './prompts/prompts.controller';
import { Toolbox, ToolServers } from './tools/toolbox';
import { Claims } from './turns/claims';
import { Composer } from './turns/composer';
import { Hearing } from './turns/hearing';
import { Leases } from './turns/leases';
import { ModelLoop } from './turns/model-loop';
import { TurnCorrections } from './turns/turn-corrections';
import { TurnGate, TurnPatience } from './turns/turn-gate';
import { TurnFacts, TurnFactsController } from './turns/turn-facts';
import { TurnLane } from './turns/turn-lane';
import { TurnLookup } from './turns/turn-lookup';
import { TurnPayment } from './turns/turn-payment';
import { TurnRecord } from './turns/turn-record';
import { TurnsController } from './turns/turns.controller';
import { TurnsService } from './turns/turns.service';
import { UnansweredController } from './unanswered/unanswered.controller';
import { TurnsUnderWay } from './turns/turns-under-way';

const sessions = [SessionLookup, SessionOpening, SessionEnding];
const turns = [
  TurnsService,
  TurnGate,
  TurnLane,
  Claims,
  Leases,
  TurnRecord,
  TurnLookup,
  TurnCorrections,
  TurnsUnderWay,
  TurnFacts,
  Hearing,
  Composer,
  ModelLoop,
  TurnPayment,
  Toolbox,
];

/** Root of the conversation service. */
@Module({
  imports: [OrganizationKeysModule],
  controllers: [
    AgentsController,
    CallResultsController,
    KnowledgeController,
    PromptsController,
    SessionsController,
    TurnsController,
    TurnFactsController,
    LogsController,
    UnansweredController,
  ],
  providers: [
    Agents,
    BaseTexts,
    CallResults,
    Knowledge,
    PromptPreview,
    ToolServers,
    ...sessions,
    ...turns,
    LogsService,
    TimeZones,
    ProviderSecrets,
  ],
})
export class ConversationModule {
  /** Tests bring models of their own. */
  static with(config: ConversationConfig, models?: Models): DynamicModule {
    const { CONVERSATION_IDLE: idleMs, LLM_FIRST_TOKEN: firstEventMs } = config;
    const idleSweep = {
      provide: IdleSweep,
      inject: [SessionEnding, TenantScope, Logger],
      useFactory: (ending: SessionEnding, tenants: TenantScope, log: Logger) => new IdleSweep({ idleMs }, ending, tenants, log),
    };
    const chosenModels = {
      provide: Models,
      inject: [ProviderSecrets],
      useFactory: (secrets: ProviderSecrets) => models ?? new ConfiguredModels(config, secrets, { firstEventMs }),
    };
    const patience = { provide: TurnPatience, useValue: new TurnPatience(config.CONVERSATION_BUSY) };
    const room = { provide: WholeKnowledgeRoom, useValue: new WholeKnowledgeRoom(config.KNOWLEDGE_WHOLE_TOKENS) };
    return { module: ConversationModule, providers: [chosenModels, idleSweep, patience, room] };
  }
}
