import { type DynamicModule, Module } from '@nestjs/common';
import { TenantScope } from '@parley/database';
import { ServiceBus } from '@parley/messaging';
import { Logger } from '@parley/service-kit';
import { DataSource } from 'typeorm';
import type { DashboardsConfig } from './config';
import { ExportsService } from './exports/exports.service';
import { EventsController } from './feed/events.controller';
import { LatestRecords } from './feed/latest-records';
import { TurnFeed } from './feed/turn-feed';
import { AgentScope } from './scope/agent-scope';
import { CallCountsService, TodayWatch } from './figures/call-counts.service';
import { CampaignsService } from './figures/campaigns.service';
import { ConversationsService } from './figures/conversations.service';
import { AgentFiguresController, CallFiguresController, SalesFiguresController } from './figures/figures.controller';
import { LatencyService } from './figures/latency.service';
import { Representatives } from './figures/representatives';
import { SalesTargets } from './figures/sales-targets';
import { SalesService } from './figures/sales.service';
import { Spans } from './scope/spans';
import { Sums } from './figures/sums';
import { UsageService } from './figures/usage.service';
import { VoiceQualityService } from './figures/voice-quality.service';
import { Projection } from './projection/projection';
import { FactRetention } from './projection/retention';
import { FaqHitsService } from './questions/faq-hits.service';
import { QuestionMeanings } from './questions/meanings';
import { QuestionsController } from './questions/questions.controller';
import { UnansweredService } from './questions/unanswered.service';

const reading = [Sums, Spans, AgentScope, Representatives, SalesTargets, QuestionMeanings];
const figures = [
  CallCountsService,
  CampaignsService,
  SalesService,
  LatencyService,
  UsageService,
  ConversationsService,
  VoiceQualityService,
  FaqHitsService,
  UnansweredService,
];

/** Root of the dashboards. */
@Module({
  controllers: [EventsController, CallFiguresController, AgentFiguresController, SalesFiguresController, QuestionsController],
  providers: [Projection, LatestRecords, ...reading, ...figures, TodayWatch, ExportsService],
})
export class DashboardsModule {
  static with(config: DashboardsConfig): DynamicModule {
    const kept = { factMonths: config.DASHBOARDS_FACTS_MONTHS, figureMonths: config.DASHBOARDS_FIGURES_MONTHS };
    const retention = {
      provide: FactRetention,
      inject: [DataSource, TenantScope, Logger],
      useFactory: (source: DataSource, tenants: TenantScope, log: Logger) => new FactRetention(kept, source, tenants, log),
    };
    const turnFeed = {
      provide: TurnFeed,
      inject: [DataSource, ServiceBus, Projection, Logger],
      useFactory: (source: DataSource, bus: ServiceBus, projection: Projection, log: Logger) =>
        new TurnFeed(config.DASHBOARDS_TURNS_EVERY, { source, bus, projection, log }),
    };
    return { module: DashboardsModule, providers: [retention, turnFeed] };
  }
}
