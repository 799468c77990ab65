import { Controller, type DynamicModule, Module } from '@nestjs/common';
import { type BodyOf, organizationDeleted, removalInConversation, type ReplyOf } from '@parley/contracts';
import { type SchemaDefinition, TenantScope } from '@parley/database';
import { type Call, Consumes, Handles, ServiceBus } from '@parley/messaging';
import {
  defineService,
  Lifetime,
  Logger,
  OrganizationKeysModule,
  OrganizationRemoval,
  OrganizationTimeZones,
  RegularTasks,
} from '@parley/service-kit';
import type { z } from 'zod';
import { type ConversationConfig, ConversationVariables } from './config';
import { CreateConversation1763700000000 } from './database/migrations/1763700000000-create-conversation';
import { DiscardTurns1763800000000 } from './database/migrations/1763800000000-discard-turns';
import { FindTurnsOfOrganization1763800400000 } from './database/migrations/1763800400000-find-turns-of-organization';
import { TellUnansweredTurns1763800500000 } from './database/migrations/1763800500000-tell-unanswered-turns';
import { TellOfForgottenTurns1764700000000, TellOfTurns1763900000000 } from './database/migrations/1763900000000-tell-of-turns';
import { KeepProviderErrors1764100000000 } from './database/migrations/1764100000000-keep-provider-errors';
import { MarkRetention1764400000000 } from './database/migrations/1764400000000-mark-retention';
import {
  KeepSoundOfLines1764500000000,
  KeepTimeOfLines1764600000000,
} from './database/migrations/1764500000000-keep-sound-of-lines';
import { Agents, AgentEventsController } from './answers/agents';
import { BaseTexts, Knowledge, KnowledgeEventsController, WholeKnowledgeLimit } from './answers/knowledge';
import { LogsController, LogsService } from './logs/logs.service';
import { ConfiguredModels, Models, ProviderSecrets } from './answers/configured-models';
import { CallResults, CallResultsController } from './results/call-results';
import { Session, Turn } from './sessions/session.entity';
import { SessionEnding, SessionLookup, SessionOpening, SessionsController } from './sessions/sessions';
import { IdleSweep, Retention } from './turns/old-conversations';
import { PromptPreview, PromptsController } from './answers/prompt-preview';
import { Toolbox, ToolServers } from './answers/toolbox';
import { TurnPayment } from './turns/draft';
import { SessionClaims, TurnGate, TurnPatience, TurnsUnderWay } from './turns/turn-gate';
import { Composer } from './turns/composer';
import { QuestionTranscription, TurnsController, TurnsService } from './turns/turns.service';
import { Leases, TurnLane, TurnRecord } from './turns/turn-record';
import { ModelLoop } from './turns/model-loop';
import { PaidTurns, PaidTurnsController, TurnCorrections, TurnLookup } from './turns/turn-lookup';
import { TurnFacts, TurnFactsController, UnansweredTurnsController } from './turns/turn-facts';

/** The tables of this service. */
export const conversationSchema: SchemaDefinition = {
  schema: 'conversation',
  entities: [Session, Turn],
  migrations: [
    CreateConversation1763700000000,
    DiscardTurns1763800000000,
    FindTurnsOfOrganization1763800400000,
    TellUnansweredTurns1763800500000,
    TellOfTurns1763900000000,
    KeepProviderErrors1764100000000,
    MarkRetention1764400000000,
    KeepSoundOfLines1764500000000,
    KeepTimeOfLines1764600000000,
    TellOfForgottenTurns1764700000000,
  ],
};

const sessions = [SessionLookup, SessionOpening, SessionEnding];
const turns = [
  TurnsService,
  TurnGate,
  TurnLane,
  SessionClaims,
  Leases,
  TurnRecord,
  TurnLookup,
  TurnCorrections,
  TurnsUnderWay,
  PaidTurns,
  TurnFacts,
  QuestionTranscription,
  Composer,
  ModelLoop,
  TurnPayment,
  Toolbox,
];

/** Learns of deleted organizations, and tells the operator how far their removal is here. */
@Controller()
class RemovalController {
  constructor(
    private readonly removal: OrganizationRemoval,
    tenants: TenantScope,
  ) {
    removal.with({ settle: (orgId) => openTurns(tenants, orgId) });
  }

  @Handles(removalInConversation)
  tell(asked: BodyOf<typeof removalInConversation>, call: Call): Promise<ReplyOf<typeof removalInConversation>> {
    return this.removal.tell(asked, call);
  }

  @Consumes(organizationDeleted)
  learn(deleted: z.output<typeof organizationDeleted.payload>): Promise<void> {
    return this.removal.learn(deleted);
  }
}

/** Answers that are being given, which end as usual: their charges refer to them. */
async function openTurns(tenants: TenantScope, orgId: number): Promise<string | null> {
  const [row] = await tenants.read(orgId, (manager) =>
    manager.query<{ count: number }[]>('SELECT count(*)::int AS count FROM sessions WHERE org_id = $1 AND busy_until > now()', [
      orgId,
    ]),
  );
  return row && row.count > 0 ? `${row.count} answers in progress` : null;
}

/** Root of the conversation service. */
@Module({
  imports: [OrganizationKeysModule],
  controllers: [
    AgentEventsController,
    CallResultsController,
    KnowledgeEventsController,
    PromptsController,
    SessionsController,
    TurnsController,
    PaidTurnsController,
    TurnFactsController,
    LogsController,
    RemovalController,
    UnansweredTurnsController,
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
    OrganizationTimeZones,
    ProviderSecrets,
  ],
})
export class ConversationModule {
  /** Tests replace the models. */
  static with(config: ConversationConfig, models?: Models): DynamicModule {
    const { CONVERSATION_IDLE: idleMs, LLM_FIRST_TOKEN: firstEventMs } = config;
    const idleSweep = {
      provide: IdleSweep,
      inject: [SessionEnding, TenantScope, RegularTasks],
      useFactory: (ending: SessionEnding, tenants: TenantScope, tasks: RegularTasks) =>
        new IdleSweep({ idleMs }, ending, tenants, tasks),
    };
    const retention = {
      provide: Retention,
      inject: [ServiceBus, TenantScope, Logger, Lifetime, RegularTasks],
      useFactory: (bus: ServiceBus, tenants: TenantScope, log: Logger, lifetime: Lifetime, tasks: RegularTasks) =>
        new Retention({ months: config.CONVERSATION_MONTHS }, bus, tenants, { log, lifetime, tasks }),
    };
    const chosenModels = {
      provide: Models,
      inject: [ProviderSecrets],
      useFactory: (secrets: ProviderSecrets) => models ?? new ConfiguredModels(config, secrets, { firstEventMs }),
    };
    const patience = { provide: TurnPatience, useValue: new TurnPatience(config.CONVERSATION_BUSY) };
    const wholeKnowledge = { provide: WholeKnowledgeLimit, useValue: new WholeKnowledgeLimit(config.KNOWLEDGE_WHOLE_TOKENS) };
    return { module: ConversationModule, providers: [chosenModels, idleSweep, retention, patience, wholeKnowledge] };
  }
}

/** Everything that is text: sessions, turns, memory and their logs. */
export const conversation = defineService({
  name: 'conversation',
  config: ConversationVariables,
  database: conversationSchema,
  module: (config) => ConversationModule.with(config),
});
