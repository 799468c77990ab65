import { Controller, type DynamicModule, Module } from '@nestjs/common';
import { type BodyOf, organizationDeleted, removalInDashboards, type ReplyOf } from '@parley/contracts';
import { TenantScope } from '@parley/database';
import { type Call, Consumes, Handles, ServiceBus } from '@parley/messaging';
import {
  defineService,
  Lifetime,
  OrganizationRemoval,
  OrganizationTimeZones,
  RegularTasks,
  ServiceMetrics,
} from '@parley/service-kit';
import { DataSource } from 'typeorm';
import type { z } from 'zod';
import { type DashboardsConfig, DashboardsVariables } from './config';
import { dashboardsSchema } from './database/schema';
import { ExportsService } from './exports/exports.service';
import { EventsController, LatestRecords, TurnFeed } from './feed/events.controller';
import { CallCountsService, CampaignsService, TodayWatch } from './figures/call-figures.service';
import { ConversationsService, LatencyService, UsageService, VoiceQualityService } from './figures/agent-figures.service';
import { AgentFiguresController, CallFiguresController, SalesFiguresController } from './figures/figures.controller';
import { Representatives, SalesService, SalesTargets } from './figures/sales.service';
import { Sums } from './figures/sums';
import { Projection } from './projection/projection';
import { FactRetention } from './projection/retention';
import { FaqHitsService, QuestionsController, UnansweredService } from './questions/unanswered.service';
import { QuestionMeanings } from './questions/meanings';
import { AgentScope, Spans } from './scope/spans';

export { dashboardsSchema } from './database/schema';
export type { FactTable } from './facts/fact-table';
export { factTables } from './facts/facts';
export { openMonth } from './projection/retention';
export { Rebuilding } from './rebuild/rebuilding';

/** Statistics, counted from events. */
export const dashboards = defineService({
  name: 'dashboards',
  config: DashboardsVariables,
  database: dashboardsSchema,
  standbyUrl: ({ DATABASE_READ_URL }) => DATABASE_READ_URL,
  module: (config) => DashboardsModule.with(config),
});

const reading = [Sums, OrganizationTimeZones, Spans, AgentScope, Representatives, SalesTargets, QuestionMeanings];
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

/** Learns of deleted organizations, and tells the operator how far their removal is here. */
@Controller()
class RemovalController {
  constructor(private readonly removal: OrganizationRemoval) {}

  @Handles(removalInDashboards)
  tell(asked: BodyOf<typeof removalInDashboards>, call: Call): Promise<ReplyOf<typeof removalInDashboards>> {
    return this.removal.tell(asked, call);
  }

  @Consumes(organizationDeleted)
  learn(deleted: z.output<typeof organizationDeleted.payload>): Promise<void> {
    return this.removal.learn(deleted);
  }
}

/** Root of the dashboards. */
@Module({
  controllers: [
    EventsController,
    CallFiguresController,
    AgentFiguresController,
    SalesFiguresController,
    QuestionsController,
    RemovalController,
  ],
  providers: [Projection, LatestRecords, ...reading, ...figures, TodayWatch, ExportsService],
})
class DashboardsModule {
  static with(config: DashboardsConfig): DynamicModule {
    const kept = { factMonths: config.DASHBOARDS_FACTS_MONTHS, figureMonths: config.DASHBOARDS_FIGURES_MONTHS };
    const retention = {
      provide: FactRetention,
      inject: [DataSource, TenantScope, RegularTasks],
      useFactory: (source: DataSource, tenants: TenantScope, tasks: RegularTasks) =>
        new FactRetention(kept, source, tenants, tasks),
    };
    const turnFeed = {
      provide: TurnFeed,
      inject: [DataSource, ServiceBus, Projection, RegularTasks, Lifetime, ServiceMetrics],
      useFactory: (
        source: DataSource,
        bus: ServiceBus,
        projection: Projection,
        tasks: RegularTasks,
        lifetime: Lifetime,
        metrics: ServiceMetrics,
      ) => new TurnFeed(config.DASHBOARDS_TURNS_EVERY, { source, bus, projection, tasks, lifetime, metrics }),
    };
    return { module: DashboardsModule, providers: [retention, turnFeed] };
  }
}
