import { Controller, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import {
  callStateChanged,
  campaignStatusChanged,
  contactsAssigned,
  conversationEnded,
  Fault,
  readTurnFacts,
  salesCallLogged,
  salesTargetSet,
  type TurnFact,
  usageRecorded,
} from '@parley/contracts';
import { TenantScope } from '@parley/database';
import { Consumes, type EventMeta, ServiceBus } from '@parley/messaging';
import type { Metric, Lifetime, RegularTask, RegularTasks, ServiceMetrics } from '@parley/service-kit';
import { DataSource, type EntityManager } from 'typeorm';
import type { z } from 'zod';
import { assignmentFacts, callFacts, salesCallFacts, sessionFacts, turnFacts, usageFacts } from '../facts/facts';
import { Projection } from '../projection/projection';
import { forgetMeanings } from '../questions/meanings';
import { assignmentFactOf, callFactOf, salesCallFactOf, sessionFactOf, turnFactOf, usageFactOf } from './facts-of-events';

/** Records of other services of which only the latest version matters: campaigns and targets. */
@Injectable()
export class LatestRecords {
  constructor(private readonly tenants: TenantScope) {}

  async noteCampaign(campaign: z.output<typeof campaignStatusChanged.payload>, event: EventMeta): Promise<void> {
    await this.note(event, {
      name: 'note-campaign',
      text: `INSERT INTO campaigns AS known (org_id, told_at, told_by, campaign_id, campaign_key, name, status, contact_count)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
        ON CONFLICT (org_id, campaign_id) DO UPDATE SET told_at = excluded.told_at, told_by = excluded.told_by,
          name = excluded.name, status = excluded.status, contact_count = excluded.contact_count
        WHERE (known.told_at, known.told_by) < (excluded.told_at, excluded.told_by)`,
      values: [campaign.CampaignID, campaign.CampaignKeyID, campaign.CampaignName, campaign.status, campaign.contactCount],
    });
  }

  async noteTarget(target: z.output<typeof salesTargetSet.payload>, event: EventMeta): Promise<void> {
    await this.note(event, {
      name: 'note-target',
      text: `INSERT INTO sales_targets AS known
          (org_id, told_at, told_by, target_key, target_id, representative_id, metric, target, start_date, end_date)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
        ON CONFLICT (org_id, target_key) DO UPDATE SET told_at = excluded.told_at, told_by = excluded.told_by, target = excluded.target
        WHERE (known.told_at, known.told_by) < (excluded.told_at, excluded.told_by)`,
      values: [
        target.SalesTargetKeyID,
        target.SalesTargetID,
        target.SalesUserID,
        target.metric,
        target.target,
        target.startDate,
        target.endDate,
      ],
    });
  }

  private async note({ orgId, occurredAt, id }: EventMeta, statement: { name: string; text: string; values: unknown[] }) {
    if (orgId === null) throw new TypeError('this event belongs to an organization');
    await this.tenants.once(orgId, { ...statement, values: [orgId, occurredAt, id, ...statement.values] });
  }
}

const limit = 400;

/** Another replica has already read this page. */
class OvertakenError extends Error {}

/** Where a feed reads turns from, and where it stores them. */
interface FeedParts {
  readonly source: DataSource;
  readonly bus: ServiceBus;
  readonly projection: Projection;
  readonly tasks: RegularTasks;
  readonly lifetime: Lifetime;
  readonly metrics: ServiceMetrics;
}

/** Without events about turns, polling slows down by this factor: turns that are not charged cause no event. */
const idleTimes = 10;

const turnsBehind: Metric<never> = {
  name: 'parley_dashboards_turns_behind_seconds',
  help: 'Time since this process last held every turn that had ended. It grows while turns cannot be fetched or stored.',
  labels: [],
};

/**
 * Fetches ended turns from the conversation service, page by page. The position is saved in the same transaction as the turns:
 * after a crash the page is read again, and of two replicas reading the same page one gives up.
 */
export class TurnFeed implements OnApplicationBootstrap {
  private readonly task: RegularTask;
  private caughtUpAtMs = performance.now();
  private isExpecting = false;

  constructor(
    private readonly everyMs: number,
    private readonly parts: FeedParts,
  ) {
    parts.metrics.watch(turnsBehind, () => (performance.now() - this.caughtUpAtMs) / 1000);
    this.task = parts.tasks.of({
      name: 'turn feed',
      everyMs,
      run: () => this.look(),
      trouble: 'Turns could not be fetched',
      isExpected: (error) => isExpectedFailure(error, performance.now() - this.caughtUpAtMs),
    });
  }

  onApplicationBootstrap(): void {
    this.task.start();
  }

  /** Turns have ended: fetches them soon, together with those that end until then. */
  expect(): void {
    if (this.isExpecting) return;
    this.isExpecting = true;
    this.task.start(this.everyMs);
  }

  /** Returns the delay until the next poll. */
  private async look(): Promise<number> {
    this.isExpecting = false;
    const read = await this.catchUp();
    return read > 0 || this.isExpecting ? this.everyMs : this.everyMs * idleTimes;
  }

  /** Reads all pages; returns the number of turns. */
  async catchUp(): Promise<number> {
    for (let read = 0; ;) {
      const page = await this.readPage();
      read += page.count;
      if (!page.hasMore) this.caughtUpAtMs = performance.now();
      if (!page.hasMore || this.parts.lifetime.draining.aborted) return read;
    }
  }

  private async readPage(): Promise<{ count: number; hasMore: boolean }> {
    const place = await this.place();
    const { turns, after, hasMore, readAt } = await this.parts.bus.ask(readTurnFacts, { after: place, limit });
    if (after === place) return { count: 0, hasMore: false };
    const deleted = await this.deletedAmong(turns);
    const kept = turns.filter(({ orgId }) => !deleted.has(orgId));
    const facts = kept.map((turn) => turnFactOf(turn, readAt));
    const forgotten = facts.filter((_, at) => kept[at] && mayBeForgotten(kept[at]));
    await this.parts.projection.takeBatch(turnFacts, facts, async (manager) => {
      await Promise.all([forgotten.length > 0 && forgetMeanings(manager, forgotten), moveOn(manager, place, after)]);
    });
    return { count: turns.length, hasMore };
  }

  /** Their turns would be refused, and with them the page. */
  private async deletedAmong(turns: readonly TurnFact[]): Promise<ReadonlySet<number>> {
    const rows: { orgId: number }[] = await this.parts.source.query(
      'SELECT org_id AS "orgId" FROM deleted_organizations WHERE erasing_since IS NOT NULL AND org_id = ANY ($1)',
      [[...new Set(turns.map(({ orgId }) => orgId))]],
    );
    return new Set(rows.map(({ orgId }) => orgId));
  }

  private async place(): Promise<string> {
    const rows: { place: string }[] = await this.parts.source.query('SELECT place FROM checkpoints WHERE source = $1', [
      turnFacts.name,
    ]);
    return rows[0]?.place ?? '';
  }
}

/** How long slowness may be put down to a busy machine. */
const slowMsMax = 60_000;

/** While the conversation service starts or stops, it cannot be asked, and its turns wait for a moment. */
function isExpectedFailure(error: unknown, behindMs: number): boolean {
  if (error instanceof OvertakenError) return true;
  if (!(error instanceof Fault)) return false;
  return error.code === 'SERVICE_UNAVAILABLE' || (error.code === 'DEADLINE_EXCEEDED' && behindMs < slowMsMax);
}

/** Whether a turn's question is missing that is otherwise told. */
function mayBeForgotten({ question, isKnown, status }: TurnFact): boolean {
  return question === null && !isKnown && (status === 'COMPLETED' || status === 'INTERRUPTED');
}

async function moveOn(manager: EntityManager, from: string, to: string): Promise<void> {
  const rows: unknown[] = await manager.query(
    `INSERT INTO checkpoints AS known (source, place, told_at) VALUES ($1, $3, now())
     ON CONFLICT (source) DO UPDATE SET place = $3, told_at = now(), applied_at = now() WHERE known.place = $2 RETURNING place`,
    [turnFacts.name, from, to],
  );
  if (rows.length === 0) throw new OvertakenError('another replica has read these turns');
}

/**
 * Events processed at a time: all that wait when a batch begins share its commit, and the next ones are read meanwhile. With
 * batches of a thousand, an event costs Postgres half as much as with 250.
 */
const concurrency = 1_000;

/**
 * Events of other services, stored as facts. They arrive at least once and in any order; a fact's version decides which report
 * counts.
 */
@Controller()
export class EventsController {
  constructor(
    private readonly projection: Projection,
    private readonly latest: LatestRecords,
    private readonly turns: TurnFeed,
  ) {}

  @Consumes(callStateChanged, { concurrency })
  callChanged(call: z.output<typeof callStateChanged.payload>, event: EventMeta): Promise<void> {
    return this.projection.take(callFacts, callFactOf(call, event));
  }

  @Consumes(conversationEnded, { concurrency })
  conversationEnded(session: z.output<typeof conversationEnded.payload>, event: EventMeta): Promise<void> {
    this.turns.expect();
    return this.projection.take(sessionFacts, sessionFactOf(session, event));
  }

  @Consumes(usageRecorded, { concurrency })
  used(usage: z.output<typeof usageRecorded.payload>, event: EventMeta): Promise<void> {
    // Nearly every turn is charged, so its charge signals that it has ended.
    if (usage.kind === 'TTT_API') this.turns.expect();
    return this.projection.take(usageFacts, usageFactOf(usage, event));
  }

  @Consumes(salesCallLogged, { concurrency })
  salesCall(call: z.output<typeof salesCallLogged.payload>, event: EventMeta): Promise<void> {
    return this.projection.take(salesCallFacts, salesCallFactOf(call, event));
  }

  @Consumes(contactsAssigned, { concurrency })
  assigned(assignment: z.output<typeof contactsAssigned.payload>, event: EventMeta): Promise<void> {
    return this.projection.take(assignmentFacts, assignmentFactOf(assignment, event));
  }

  @Consumes(campaignStatusChanged)
  campaignChanged(campaign: z.output<typeof campaignStatusChanged.payload>, event: EventMeta): Promise<void> {
    return this.latest.noteCampaign(campaign, event);
  }

  @Consumes(salesTargetSet)
  targetSet(target: z.output<typeof salesTargetSet.payload>, event: EventMeta): Promise<void> {
    return this.latest.noteTarget(target, event);
  }
}
