import { createHmac } from 'node:crypto';
import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { TenantScope } from '@parley/database';
import {
  AddressRefused,
  askThrough,
  type AddressPolicy,
  Lifetime,
  Logger,
  publicAddresses,
  type RegularTask,
  RegularTasks,
  SealedSecrets,
} from '@parley/service-kit';
import type { EntityManager } from 'typeorm';
import { sealPlaceOf } from '../campaign.entity';

/** Which servers may receive events. Tests allow their own machine. */
export class WebhookReach {
  constructor(readonly policy: AddressPolicy = publicAddresses) {}
}

const lookEveryMs = 2_000;
/** The interval after a minute without events. This replica's own events are still sent at once. */
const idleLookEveryMs = 5_000;
const restsAfterMs = 60_000;
const queuesAtOnce = 16;
/** Limited, so that slow receivers of one organization do not block those of others. */
const queuesOfOneOrganization = 4;
const answerWithinMs = 10_000;
const answerBytesMax = 1_000;
/** Longer than a request may take; renewed for each. */
const leaseSeconds = 60;
/** How long a queue is processed before another one gets its turn. */
const turnMs = 10_000;
const firstPauseSeconds = 5;
const pauseSecondsMax = 3_600;
const why = 'webhooks of every organization are told of its campaigns';

/** A webhook's pending events of one campaign, leased by this replica. */
interface Queue {
  readonly webhookId: number;
  readonly campaignId: number;
  readonly lease: string;
  readonly failures: number;
}

interface QueuedPosting extends Posting {
  readonly id: string;
}

/** An event for one webhook. */
interface Posting {
  readonly eventId: string;
  readonly type: string;
  readonly body: string;
  readonly url: string;
  readonly sealed: string;
  readonly orgId: number;
  readonly keyId: string;
}

/** The receiver's status, and why the event counts as not accepted. */
interface Posted {
  readonly status?: number;
  readonly failure?: string;
}

const trouble = 'Webhook events could not be sent; it is tried again';

/**
 * Delivers events to webhooks, at least once and in order for each campaign: the next event waits until the previous one was accepted or
 * given up. A lease keeps other replicas from sending the same events; if a replica dies, others take over its queues.
 */
@Injectable()
export class WebhookSender implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly task: RegularTask;
  private readonly sending = new Set<Promise<void>>();
  private sentAtMs = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly tenants: TenantScope,
    private readonly seals: SealedSecrets,
    private readonly reach: WebhookReach,
    private readonly lifetime: Lifetime,
    private readonly log: Logger,
    tasks: RegularTasks,
  ) {
    this.task = tasks.of({ name: 'webhooks', everyMs: lookEveryMs, run: () => this.look(), trouble });
  }

  onApplicationBootstrap(): void {
    this.task.start();
  }

  async onModuleDestroy(): Promise<void> {
    await this.task.stop();
    await Promise.all(this.sending);
  }

  /** Runs soon, because there is a new event. */
  wake(): void {
    this.task.wake();
  }

  /** Sends what is due; returns how many queues were processed. */
  async sendDue(): Promise<number> {
    const queues = await this.take(queuesAtOnce);
    await Promise.all(queues.map((queue) => this.sendAll(queue)));
    return queues.length;
  }

  /** Starts processing queues up to the limit, without waiting for slow receivers. */
  private async look(): Promise<number> {
    const free = queuesAtOnce - this.sending.size;
    const queues = free > 0 && (await this.isAnyDue()) ? await this.take(free) : [];
    if (this.sending.size + queues.length > 0) this.sentAtMs = performance.now();
    for (const queue of queues) {
      const sent = this.sendAll(queue)
        .catch((error: unknown) => this.log.warn(trouble, { error }))
        .finally(() => {
          this.sending.delete(sent);
          this.wake();
        });
      this.sending.add(sent);
    }
    return performance.now() - this.sentAtMs < restsAfterMs ? lookEveryMs : idleLookEveryMs;
  }

  /** In one round trip, since there is usually none. */
  private async isAnyDue(): Promise<boolean> {
    const text = 'SELECT FROM campaign_webhook_queues WHERE due_at <= clock_timestamp() LIMIT 1';
    return (await this.tenants.acrossTenantsOnce(why, { name: 'is-any-webhook-due', text, values: [] })).length > 0;
  }

  private take(count: number): Promise<Queue[]> {
    return this.run((manager) =>
      manager.query(
        `WITH held AS (SELECT org_id, count(*) AS queues FROM campaign_webhook_queues WHERE lease_until > clock_timestamp() GROUP BY org_id),
           due AS (SELECT q.webhook_id, q.campaign_id,
               row_number() OVER (PARTITION BY q.org_id ORDER BY q.due_at) + coalesce(held.queues, 0) AS place
             FROM campaign_webhook_queues q JOIN campaign_webhooks w ON w.id = q.webhook_id LEFT JOIN held ON held.org_id = q.org_id
             WHERE q.due_at <= clock_timestamp() AND coalesce(q.lease_until, '-infinity') <= clock_timestamp() AND w.is_active),
           taken AS (UPDATE campaign_webhook_queues SET lease = gen_random_uuid(), lease_until = clock_timestamp() + make_interval(secs => $2)
             WHERE (webhook_id, campaign_id) IN (
               SELECT q.webhook_id, q.campaign_id FROM campaign_webhook_queues q JOIN due USING (webhook_id, campaign_id)
               WHERE due.place <= $3 AND q.due_at <= clock_timestamp() AND coalesce(q.lease_until, '-infinity') <= clock_timestamp()
               ORDER BY q.due_at LIMIT $1 FOR UPDATE OF q SKIP LOCKED) RETURNING *)
         SELECT webhook_id AS "webhookId", campaign_id AS "campaignId", lease, failures FROM taken`,
        [count, leaseSeconds, queuesOfOneOrganization],
      ),
    );
  }

  private async sendAll(queue: Queue): Promise<void> {
    for (const overAt = performance.now() + turnMs; performance.now() < overAt;) {
      const next = await this.next(queue);
      if (!next) return this.close(queue);
      const { failure } = await this.post(next);
      if (this.lifetime.draining.aborted && failure !== undefined) return this.giveBack(queue);
      if (failure !== undefined) return this.putOff(queue, next, failure);
      if (!(await this.forget(queue, next))) return;
    }
    await this.giveBack(queue);
  }

  private async next({ webhookId, campaignId, lease }: Queue): Promise<QueuedPosting | undefined> {
    const rows: QueuedPosting[] = await this.run((manager) =>
      manager.query(
        `SELECT e.id, e.event_id AS "eventId", e.type, e.body, w.url, w.sealed, w.org_id AS "orgId", w.key_id AS "keyId"
         FROM campaign_webhook_events e JOIN campaign_webhooks w ON w.id = e.webhook_id
         JOIN campaign_webhook_queues q ON q.webhook_id = e.webhook_id AND q.campaign_id = e.campaign_id AND q.lease = $3
         WHERE e.webhook_id = $1 AND e.campaign_id = $2 AND e.given_up_on IS NULL AND w.is_active ORDER BY e.id LIMIT 1`,
        [webhookId, campaignId, lease],
      ),
    );
    return rows[0];
  }

  /** Sends an event once, and returns the outcome. */
  async post({ eventId, type, body, url, sealed, ...webhook }: Posting): Promise<Posted> {
    try {
      const secret = this.seals.open(sealed, sealPlaceOf(webhook));
      const headers = {
        'content-type': 'application/json',
        'user-agent': 'Parley-Webhooks/1',
        'parley-event-id': eventId,
        'parley-event-type': type,
        'parley-signature': signatureOf(body, secret, Math.floor(Date.now() / 1000)),
      };
      const { status } = await askThrough(this.reach.policy)({
        ...{ url, method: 'POST', headers, body, timeoutMs: answerWithinMs, bytesMax: answerBytesMax },
        signal: this.lifetime.draining,
      });
      return status >= 200 && status < 300 ? { status } : { status, failure: `It answered ${status}.` };
    } catch (error) {
      return { failure: failureOf(error) };
    }
  }

  /** Deletes a sent event. False if the lease was lost, in which case the event is sent again. */
  private forget({ webhookId, campaignId, lease }: Queue, { id }: QueuedPosting): Promise<boolean> {
    return this.run(async (manager) => {
      const held: unknown[] = await manager.query(
        `WITH held AS (UPDATE campaign_webhook_queues SET failures = 0, lease_until = clock_timestamp() + make_interval(secs => $4)
           WHERE webhook_id = $1 AND campaign_id = $2 AND lease = $3 RETURNING webhook_id) SELECT * FROM held`,
        [webhookId, campaignId, lease, leaseSeconds],
      );
      if (held.length === 0) return false;
      await manager.query('DELETE FROM campaign_webhook_events WHERE id = $1', [id]);
      await manager.query(
        'UPDATE campaign_webhooks SET last_delivered_on = clock_timestamp(), last_failure = NULL WHERE id = $1',
        [webhookId],
      );
      return true;
    });
  }

  /** Postpones an event, twice as long each time, and finally gives up. */
  private async putOff({ webhookId, campaignId, lease, failures }: Queue, { id }: QueuedPosting, failure: string): Promise<void> {
    const pauseSeconds = Math.min(pauseSecondsMax, firstPauseSeconds * 2 ** failures);
    const givenUp: unknown[] = await this.run(async (manager) => {
      const held: unknown[] = await manager.query(
        `WITH held AS (UPDATE campaign_webhook_queues SET failures = failures + 1, lease = NULL, lease_until = NULL,
             due_at = clock_timestamp() + make_interval(secs => $4)
           WHERE webhook_id = $1 AND campaign_id = $2 AND lease = $3 RETURNING webhook_id) SELECT * FROM held`,
        [webhookId, campaignId, lease, pauseSeconds],
      );
      if (held.length === 0) return [];
      await manager.query('UPDATE campaign_webhook_events SET tries = tries + 1, last_failure = $2 WHERE id = $1', [id, failure]);
      await manager.query('UPDATE campaign_webhooks SET last_failure = $2 WHERE id = $1', [webhookId, failure]);
      return manager.query(
        `WITH late AS (UPDATE campaign_webhook_events SET given_up_on = clock_timestamp(), last_failure = coalesce(last_failure, $3)
           WHERE webhook_id = $1 AND campaign_id = $2 AND given_up_on IS NULL AND give_up_at <= clock_timestamp() RETURNING id)
         SELECT id FROM late`,
        [webhookId, campaignId, failure],
      );
    });
    if (givenUp.length > 0) this.log.warn('Events of a campaign were given up', { webhookId, campaignId, count: givenUp.length });
  }

  /** Deletes an empty queue. Adding an event locks its row, so that no event loses its queue. */
  private async close({ webhookId, campaignId, lease }: Queue): Promise<void> {
    await this.run(async (manager) => {
      const held: unknown[] = await manager.query(
        'SELECT 1 FROM campaign_webhook_queues WHERE webhook_id = $1 AND campaign_id = $2 AND lease = $3 FOR UPDATE',
        [webhookId, campaignId, lease],
      );
      if (held.length === 0) return;
      const left: unknown[] = await manager.query(
        'SELECT 1 FROM campaign_webhook_events WHERE webhook_id = $1 AND campaign_id = $2 AND given_up_on IS NULL LIMIT 1',
        [webhookId, campaignId],
      );
      const change =
        left.length === 0 ? 'DELETE FROM campaign_webhook_queues' : 'UPDATE campaign_webhook_queues SET lease_until = NULL';
      await manager.query(`${change} WHERE webhook_id = $1 AND campaign_id = $2`, [webhookId, campaignId]);
    });
  }

  private async giveBack({ webhookId, campaignId, lease }: Queue): Promise<void> {
    await this.run((manager) =>
      manager.query(
        `UPDATE campaign_webhook_queues SET lease = NULL, lease_until = NULL, due_at = clock_timestamp()
         WHERE webhook_id = $1 AND campaign_id = $2 AND lease = $3`,
        [webhookId, campaignId, lease],
      ),
    );
  }

  private run<T>(work: (manager: EntityManager) => Promise<T>): Promise<T> {
    return this.tenants.acrossTenants(why, work);
  }
}

/** Signs the time and the body, so that an old event cannot be replayed as new. */
export function signatureOf(body: string, secret: string, atSeconds: number): string {
  const code = createHmac('sha256', secret).update(`${atSeconds}.${body}`).digest('hex');
  return `t=${atSeconds},v1=${code}`;
}

/** A message in our own words, since a server's error text must not be disclosed. */
function failureOf(error: unknown): string {
  if (error instanceof AddressRefused) return 'Its address is not public.';
  // Only a timeout aborts requests here.
  if (typeof error === 'object' && error !== null && 'name' in error && error.name === 'AbortError')
    return `It did not answer within ${answerWithinMs / 1000} seconds.`;
  return 'It could not be reached.';
}
