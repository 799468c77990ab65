import { Injectable } from '@nestjs/common';
import type { countActiveCalls, watchCalls } from '@parley/contracts';
import { TenantScope } from '@parley/database';
import { agentsOfCaller, type Call as BusCall, organizationOf } from '@parley/messaging';
import { setTimeout as delay } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import type { z } from 'zod';
import { CallEntity, changeOf } from '../calls/call.entity';
import { CallLimits } from './slots';

type CountActiveCallsReply = z.input<typeof countActiveCalls.reply>;
type WatchedItem = z.input<typeof watchCalls.item>;

interface Snapshot {
  readonly counts: CountActiveCallsReply;
  readonly change: number;
}

const lookEveryMs = 500;
const changesAtOnce = 100;

/** Live counts over all replicas, read from the tables. */
@Injectable()
export class LiveCounts {
  constructor(
    private readonly tenants: TenantScope,
    private readonly limits: CallLimits,
  ) {}

  async count(call: BusCall): Promise<CountActiveCallsReply> {
    return (await this.look(organizationOf(call), agentsOfCaller(call))).counts;
  }

  /** The counts at once and whenever they change, with each changed call, until the watcher leaves. */
  async *watch(after: number | undefined, call: BusCall): AsyncGenerator<WatchedItem> {
    const orgId = organizationOf(call);
    const agents = agentsOfCaller(call);
    let seen: string | undefined;
    let known = after;
    const sent = new LastChanges();
    while (!call.signal.aborted) {
      const { counts, change } = await this.look(orgId, agents);
      // A position in the future is another organization's, or from before a restore, and would never be reached.
      if (known === undefined || known > change) known = change;
      if (change > known) {
        const moved = await this.movedSince(orgId, known, agents);
        for (const each of moved) {
          const call = changeOf(each);
          if (sent.isNews(each.id, JSON.stringify(call))) yield { type: 'call', change: each.change, call };
        }
        // A call that changes right after the query must not be reported twice.
        const last = moved.at(-1)?.change ?? change;
        known = moved.length === changesAtOnce ? last : Math.max(last, change);
      }
      const text = JSON.stringify(counts);
      if (text !== seen) yield { type: 'counts', change: known, counts };
      seen = text;
      await delay(lookEveryMs, undefined, { signal: call.signal }).catch(() => undefined);
    }
  }

  private look(orgId: number, agents: readonly number[] | undefined): Promise<Snapshot> {
    return this.tenants.read(orgId, async (manager) => {
      const text = `
        SELECT (SELECT change FROM live_changes WHERE org_id = $1)::float8 AS change,
          (SELECT coalesce(json_agg(row_to_json(live) ORDER BY live."AgentID"), '[]') FROM (
            SELECT c.agent_id AS "AgentID", c.agent_key AS "AgentKeyID", min(c.agent_name) AS "AgentName", count(*)::int AS "activeCalls"
            FROM call_slots s JOIN calls c ON c.id = s.call_id
            WHERE s.org_id = $1 AND s.is_live AND s.expires_at > now() AND ($2::int[] IS NULL OR c.agent_id = ANY($2))
            GROUP BY c.agent_id, c.agent_key) AS live) AS agents`;
      const rows: { change: number | null; agents: CountActiveCallsReply['byAgent'] }[] = await manager.query(text, [
        orgId,
        agents ?? null,
      ]);
      const byAgent = rows[0]?.agents ?? [];
      const activeCalls = byAgent.reduce((sum, each) => sum + each.activeCalls, 0);
      return { counts: { activeCalls, limit: this.limits.live, byAgent }, change: rows[0]?.change ?? 0 };
    });
  }

  private movedSince(orgId: number, change: number, agents: readonly number[] | undefined): Promise<CallEntity[]> {
    return this.tenants.read(orgId, (manager) => {
      const query = manager
        .createQueryBuilder(CallEntity, 'call')
        .where('call.org_id = :orgId AND call.change > :change', { orgId, change });
      if (agents) query.andWhere('call.agent_id = ANY(:agents)', { agents });
      return query.orderBy('call.change', 'ASC').take(changesAtOnce).getMany();
    });
  }
}

const rememberedMax = 500;

/** What a viewer last received about each call, so that invisible changes are not sent. */
class LastChanges {
  private readonly last = new LRUCache<number, string>({ max: rememberedMax });

  isNews(callId: number, text: string): boolean {
    const isSame = this.last.get(callId) === text;
    this.last.set(callId, text);
    return !isSame;
  }
}
