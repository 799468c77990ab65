import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { type CallResult, chargeOnce, extractCallResult, Fault, type ResultSchema } from '@parley/contracts';
import { TenantScope } from '@parley/database';
import { ServiceBus } from '@parley/messaging';
import { Logger, type RegularTask, RegularTasks } from '@parley/service-kit';
import type { CallEntity } from '../calls/call.entity';
import { CallRecords } from '../calls/call-records';
import { CallMeter } from '../line/call-meter';
import { inCallOf } from '../line/call-parts';
import { Campaign } from './campaign.entity';
import { StoreClock } from './claim-queries';
import { queueFinished } from './webhook-events';

const lookEveryMs = 5_000;
const atOnce = 8;
/** Longer than a request to conversation may take, so that after it the sender must be gone. */
const leaseSeconds = 120;
const againSeconds = 30;
/** Longer than a charge may take. */
const chargeAgainSeconds = 60;
const triesMax = 4;
const why = 'calls of every organization’s campaigns are learned from';

/** A stored result that may not have been charged yet. */
interface Unpaid {
  readonly reference: string;
  readonly orgId: number;
  readonly callKey: string;
  readonly tokens: number;
}

/** A call without a result yet, leased by this replica. */
interface AwaitedResult {
  readonly reference: string;
  readonly orgId: number;
  readonly campaignId: number;
  readonly contactId: number;
  readonly callKey: string;
  /** Increased when another replica starts again. */
  readonly tries: number;
}

interface Learned {
  readonly result: CallResult | null;
  readonly reason: string | null;
  readonly tokens: number;
}

/**
 * Extracts results from the conversations of campaigns. Whether an attempt needs it is stored with the attempt's end, so that repeated
 * news of a call does not request it twice. That a result has to be charged is stored with the result, and the charge is identified by
 * the attempt, so that it is charged once, however often any replica requests it.
 */
@Injectable()
export class LearnedResults implements OnApplicationBootstrap {
  private readonly task: RegularTask;

  constructor(
    private readonly tenants: TenantScope,
    private readonly bus: ServiceBus,
    private readonly callRecords: CallRecords,
    private readonly clock: StoreClock,
    private readonly log: Logger,
    tasks: RegularTasks,
  ) {
    this.task = tasks.of({
      name: 'results of calls',
      everyMs: lookEveryMs,
      run: () => this.look(),
      trouble: 'Results of calls could not be looked for; it is tried again',
    });
  }

  onApplicationBootstrap(): void {
    this.task.start();
  }

  /** Runs soon, because a call has ended. */
  wake(): void {
    this.task.wake();
  }

  private async look(): Promise<number> {
    if (!(await this.isAnyDue())) return lookEveryMs;
    const wanted = await this.claim();
    await Promise.all(wanted.map((each) => this.learn(each)));
    for (const unpaid of await this.unpaid()) await this.pay(unpaid);
    return wanted.length === atOnce ? 0 : lookEveryMs;
  }

  /** There is usually none. */
  private async isAnyDue(): Promise<boolean> {
    const text = `
      (SELECT FROM campaign_attempts WHERE result_due <= ${this.clock.now} LIMIT 1) UNION ALL
      (SELECT FROM campaign_attempts WHERE charge_due <= ${this.clock.now} LIMIT 1)`;
    const rows: unknown[] = await this.tenants.acrossTenants(why, (manager) => manager.query(text));
    return rows.length > 0;
  }

  private claim(): Promise<AwaitedResult[]> {
    return this.tenants.acrossTenants(why, (manager) =>
      manager.query(
        `WITH claimed AS (UPDATE campaign_attempts
           SET result_tries = result_tries + 1, result_due = ${this.clock.now} + make_interval(secs => $1)
           WHERE reference IN (SELECT reference FROM campaign_attempts WHERE result_due <= ${this.clock.now}
             ORDER BY result_due LIMIT $2 FOR UPDATE SKIP LOCKED) RETURNING *)
         SELECT reference, org_id AS "orgId", campaign_id AS "campaignId", contact_id AS "contactId", call_key AS "callKey",
           result_tries AS tries FROM claimed`,
        [leaseSeconds, atOnce],
      ),
    );
  }

  private async learn(wanted: AwaitedResult): Promise<void> {
    try {
      await this.learnFrom(wanted);
    } catch (error) {
      this.log.warn('The result of a call could not be extracted', { requestId: wanted.callKey, error });
      const message = error instanceof Fault ? error.message : 'Something failed on our side.';
      if (isFinal(error) || wanted.tries >= triesMax) await this.write(wanted, { result: null, reason: message, tokens: 0 });
      else await this.postpone(wanted);
    }
  }

  private async learnFrom(wanted: AwaitedResult): Promise<void> {
    const call = await this.callRecords.find(wanted.orgId, { keyId: wanted.callKey });
    const schema = await this.schemaOf(wanted);
    if (!call?.sessionUuid || !schema) return void (await this.write(wanted, { result: null, reason: null, tokens: 0 }));
    const ignore = (): void => undefined;
    const meter = new CallMeter(this.bus, call, { log: this.log, onExhausted: ignore, onLost: ignore });
    await meter.begin();
    try {
      const learned = await this.ask(call, call.sessionUuid, schema);
      const isOurs = await this.write(wanted, learned);
      if (isOurs && learned.tokens > 0) await this.pay({ ...wanted, tokens: learned.tokens });
    } finally {
      await meter.end();
    }
  }

  /** Results whose charge was not confirmed, for instance because their replica died. */
  private unpaid(): Promise<Unpaid[]> {
    return this.tenants.acrossTenants(why, (manager) =>
      manager.query(
        `WITH due AS (UPDATE campaign_attempts SET charge_due = ${this.clock.now} + make_interval(secs => $1)
           WHERE reference IN (SELECT reference FROM campaign_attempts WHERE charge_due <= ${this.clock.now}
             ORDER BY charge_due LIMIT $2 FOR UPDATE SKIP LOCKED) RETURNING *)
         SELECT reference, org_id AS "orgId", call_key AS "callKey", result_credits::int AS tokens FROM due`,
        [chargeAgainSeconds, atOnce],
      ),
    );
  }

  private async pay({ reference, orgId, callKey, tokens }: Unpaid): Promise<void> {
    try {
      const call = await this.callRecords.find(orgId, { keyId: callKey });
      if (!call) throw new Error('an attempt without its call');
      const { agentId: AgentID, agentKey: AgentKeyID } = call;
      const usage = [{ kind: 'TTT_API' as const, units: tokens }];
      await inCallOf(call, () => this.bus.ask(chargeOnce, { ChargeID: reference, AgentID, AgentKeyID, usage }));
      await this.tenants.acrossTenants(why, (manager) =>
        manager.query('UPDATE campaign_attempts SET charge_due = NULL WHERE reference = $1', [reference]),
      );
    } catch (error) {
      this.log.warn('The cost of a result could not be charged; it is tried again', { requestId: callKey, error });
    }
  }

  private ask(call: CallEntity, sessionUUID: string, ResultSchema: ResultSchema): Promise<Learned> {
    return inCallOf(call, () => this.bus.ask(extractCallResult, { sessionUUID, ResultSchema }));
  }

  private schemaOf({ orgId, campaignId }: AwaitedResult): Promise<ResultSchema | null> {
    return this.tenants.read(orgId, async (manager) => {
      const { resultSchema } = await manager.findOneByOrFail(Campaign, { orgId, id: campaignId });
      return resultSchema;
    });
  }

  /** Stores a result once; false if another replica has started again, or it is stored already. */
  private write(
    { reference, orgId, campaignId, contactId, tries }: AwaitedResult,
    { result, reason, tokens }: Learned,
  ): Promise<boolean> {
    return this.tenants.run(orgId, async (manager) => {
      // Changing an attempt requires its campaign's lock.
      const campaign = await manager.findOneOrFail(Campaign, {
        where: { orgId, id: campaignId },
        lock: { mode: 'pessimistic_write' },
      });
      const written: unknown[] = await manager.query(
        `WITH written AS (UPDATE campaign_attempts SET result_due = NULL, result_credits = $3::bigint,
           charge_due = CASE WHEN $3::bigint > 0 THEN ${this.clock.now} + make_interval(secs => $4) END
           WHERE reference = $1 AND result_tries = $2 AND result_due IS NOT NULL RETURNING reference) SELECT * FROM written`,
        [reference, tries, tokens, chargeAgainSeconds],
      );
      if (written.length === 0) return false;
      await manager.query(`UPDATE campaigns SET credits_spent = credits_spent + $2 WHERE id = $1`, [campaignId, tokens]);
      await manager.query(`UPDATE campaign_contacts SET result = $2, result_reason = $3, updated_on = now() WHERE id = $1`, [
        contactId,
        result && JSON.stringify(result),
        reason,
      ]);
      await queueFinished(manager, campaign, [contactId]);
      return true;
    });
  }

  private async postpone({ reference, tries }: AwaitedResult): Promise<void> {
    await this.tenants.acrossTenants(why, (manager) =>
      manager.query(
        `UPDATE campaign_attempts SET result_due = ${this.clock.now} + make_interval(secs => $3)
         WHERE reference = $1 AND result_tries = $2 AND result_due IS NOT NULL`,
        [reference, tries, tries * againSeconds],
      ),
    );
  }
}

/** Whether trying again is pointless. */
function isFinal(error: unknown): boolean {
  return error instanceof Fault && (error.code === 'NOT_FOUND' || error.code === 'CREDITS_EXHAUSTED');
}
