import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { CallLimits } from '../live/slots';
import type { Campaign } from './campaign.entity';
import { everyState } from './campaign-plan';
import { epoch, waitingRegions } from './claim-queries';
import { attemptOutcomes, type AttemptOutcome, type ContactState, type Instant, recentMax, type Tally } from './plan/campaign';

const minuteMs = 60_000;

interface Figures {
  readonly contacts: Partial<Record<ContactState, number>> | null;
  readonly waitingRegions: string[];
  readonly pending: number;
  readonly ringing: number;
  readonly talking: number;
  readonly placedLastMinute: number;
  readonly outcomes: Partial<Record<AttemptOutcome, number>>;
  readonly creditsSpent: number;
  readonly recent: AttemptOutcome[] | null;
  readonly organizationOpen: number;
  readonly others: number;
}

const isOpen = `state IN ('CLAIMED', 'PLACED', 'UNKNOWN')`;

/** The figures by which it is decided how much a campaign may dial. */
@Injectable()
export class CampaignTallies {
  constructor(private readonly limits: CallLimits) {}

  /** Calls of an organization's campaigns at once: the rest is for those who call. */
  get linesOfCampaigns(): number {
    return Math.max(1, this.limits.live - this.limits.reserved);
  }

  async of(manager: EntityManager, { id, orgId, resumedAt }: Campaign, now: Instant): Promise<Tally> {
    const rows: Figures[] = await manager.query(figures, [id, orgId, now - minuteMs, resumedAt, recentMax]);
    const [row] = rows;
    if (!row) throw new Error('a campaign without figures');
    const outcomes = Object.fromEntries(attemptOutcomes.map((outcome) => [outcome, row.outcomes[outcome] ?? 0]));
    return {
      ...row,
      contacts: everyState(row.contacts ?? {}),
      outcomes: { ...noOutcomes, ...outcomes },
      recent: row.recent ?? [],
      freeLines: this.limits.live - row.others,
    };
  }
}

const noOutcomes: Record<AttemptOutcome, number> = {
  ANSWERED: 0,
  VOICEMAIL: 0,
  NO_ANSWER: 0,
  BUSY: 0,
  FAILED: 0,
  ABANDONED: 0,
  UNKNOWN: 0,
  DO_NOT_CALL: 0,
  CANCELLED: 0,
};

const figures = `
  SELECT
    (SELECT jsonb_object_agg(state, contacts) FROM campaign_counts WHERE campaign_id = $1) AS contacts,
    ${waitingRegions} AS "waitingRegions",
    open.*,
    (SELECT count(*)::int FROM campaign_attempts WHERE campaign_id = $1 AND placed_at > ${epoch('$3')}) AS "placedLastMinute",
    campaign.outcomes, campaign.credits_spent::float8 AS "creditsSpent",
    (SELECT jsonb_agg(latest.outcome) FROM (
      SELECT outcome FROM campaign_attempts
      WHERE campaign_id = $1 AND state = 'ENDED' AND ended_at >= coalesce($4::timestamptz, '-infinity')
      ORDER BY ended_at DESC LIMIT $5) AS latest) AS recent,
    (SELECT count(*)::int FROM campaign_attempts WHERE org_id = $2 AND ${isOpen}) AS "organizationOpen",
    (SELECT count(*)::int FROM call_slots s JOIN calls c ON c.id = s.call_id
      WHERE s.org_id = $2 AND s.is_live AND s.expires_at > now() AND c.campaign_id IS NULL) AS others
  FROM campaigns campaign CROSS JOIN (
    SELECT count(*) FILTER (WHERE state <> 'PLACED' AND answered_at IS NULL)::int AS pending,
      count(*) FILTER (WHERE state = 'PLACED' AND answered_at IS NULL)::int AS ringing,
      count(*) FILTER (WHERE answered_at IS NOT NULL)::int AS talking
    FROM campaign_attempts WHERE org_id = $2 AND campaign_id = $1 AND ${isOpen}) AS open
  WHERE campaign.id = $1`;
