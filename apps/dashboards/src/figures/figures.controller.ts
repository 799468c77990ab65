import { Controller } from '@nestjs/common';
import {
  type BodyOf,
  exportFacts,
  getCallTrends,
  getCampaignDashboard,
  getConversationFigures,
  getDashboardCount,
  getLatencyFigures,
  getSalesLeaderboard,
  getSalesSummary,
  getTargetAchievement,
  getTodayCounts,
  getUsageFigures,
  getVoiceQuality,
  readReportSpan,
  type ReplyOf,
  watchTodayCounts,
} from '@parley/contracts';
import { type Call, Handles } from '@parley/messaging';
import { ExportsService } from '../exports/exports.service';
import { salesCallFacts } from '../facts/facts';
import { FactRetention } from '../projection/retention';
import { CallCountsService, CampaignsService, TodayWatch } from './call-figures.service';
import { ConversationsService, LatencyService, UsageService, VoiceQualityService } from './agent-figures.service';
import { SalesService } from './sales.service';

/** Calls and campaigns over the bus. */
@Controller()
export class CallFiguresController {
  constructor(
    private readonly counts: CallCountsService,
    private readonly campaigns: CampaignsService,
    private readonly quality: VoiceQualityService,
    private readonly today: TodayWatch,
  ) {}

  @Handles(getDashboardCount)
  count(query: BodyOf<typeof getDashboardCount>, call: Call): Promise<ReplyOf<typeof getDashboardCount>> {
    return this.counts.get(query, call);
  }

  @Handles(getTodayCounts)
  countToday(_: object, call: Call): Promise<ReplyOf<typeof getTodayCounts>> {
    return this.counts.today(call);
  }

  @Handles(watchTodayCounts)
  watchToday({ after }: BodyOf<typeof watchTodayCounts>, call: Call) {
    return this.today.watch(after, call);
  }

  @Handles(getCampaignDashboard)
  campaign(query: BodyOf<typeof getCampaignDashboard>, call: Call): Promise<ReplyOf<typeof getCampaignDashboard>> {
    return this.campaigns.get(query, call);
  }

  @Handles(getVoiceQuality)
  voiceQuality(query: BodyOf<typeof getVoiceQuality>, call: Call): Promise<ReplyOf<typeof getVoiceQuality>> {
    return this.quality.get(query, call);
  }
}

/** Figures of agents over the bus, and facts as files. */
@Controller()
export class AgentFiguresController {
  constructor(
    private readonly latency: LatencyService,
    private readonly usage: UsageService,
    private readonly conversations: ConversationsService,
    private readonly exports: ExportsService,
  ) {}

  @Handles(getLatencyFigures)
  waits(query: BodyOf<typeof getLatencyFigures>, call: Call): Promise<ReplyOf<typeof getLatencyFigures>> {
    return this.latency.get(query, call);
  }

  @Handles(getUsageFigures)
  used(query: BodyOf<typeof getUsageFigures>, call: Call): Promise<ReplyOf<typeof getUsageFigures>> {
    return this.usage.get(query, call);
  }

  @Handles(getConversationFigures)
  ended(query: BodyOf<typeof getConversationFigures>, call: Call): Promise<ReplyOf<typeof getConversationFigures>> {
    return this.conversations.get(query, call);
  }

  @Handles(exportFacts)
  export(query: BodyOf<typeof exportFacts>, call: Call) {
    return this.exports.export(query, call);
  }
}

/** Figures of sales representatives over the bus. */
@Controller()
export class SalesFiguresController {
  constructor(
    private readonly sales: SalesService,
    private readonly retention: FactRetention,
  ) {}

  @Handles(readReportSpan)
  async reportSpan(): Promise<ReplyOf<typeof readReportSpan>> {
    return { countedFrom: await this.retention.countedFrom(salesCallFacts) };
  }

  @Handles(getSalesSummary)
  summary(query: BodyOf<typeof getSalesSummary>, call: Call): Promise<ReplyOf<typeof getSalesSummary>> {
    return this.sales.summary(query, call);
  }

  @Handles(getSalesLeaderboard)
  leaderboard(query: BodyOf<typeof getSalesLeaderboard>, call: Call): Promise<ReplyOf<typeof getSalesLeaderboard>> {
    return this.sales.leaderboard(query, call);
  }

  @Handles(getTargetAchievement)
  targets(query: BodyOf<typeof getTargetAchievement>, call: Call): Promise<ReplyOf<typeof getTargetAchievement>> {
    return this.sales.achievement(query, call);
  }

  @Handles(getCallTrends)
  trends(query: BodyOf<typeof getCallTrends>, call: Call): Promise<ReplyOf<typeof getCallTrends>> {
    return this.sales.trends(query, call);
  }
}
