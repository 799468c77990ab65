import { Controller, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import {
  agentDeleted,
  type BodyOf,
  bookCampaignCall,
  callStateChanged,
  campaignStatusChanged,
  contactDeleted,
  organizationDeleted,
  removalInTelephonyBridge,
  type ReplyOf,
  stopCampaignCalls,
} from '@parley/contracts';
import { TenantScope } from '@parley/database';
import {
  type Call as BusCall,
  type ConsumerOf,
  Consumes,
  type HandlerOf,
  Handles,
  Hears,
  organizationOf,
} from '@parley/messaging';
import { Logger, OrganizationRemoval, type RegularTask, RegularTasks } from '@parley/service-kit';
import type { z } from 'zod';
import { CallRecords } from '../calls/call-records';
import { isOver, refusals } from '../calls/call-steps';
import type { CallEntity } from '../calls/call.entity';
import { DoNotCallList } from '../do-not-call/do-not-call.service';
import { Slots } from '../live/slots';
import { CallOrders } from '../orders/call-orders';
import { lastWordsMs } from './after-attempt';
import { CampaignContacts } from './campaign-contacts';
import { CampaignRecords } from './campaign-records';
import { CampaignTelephone, endingOf } from './campaign-telephone';
import { claimOf } from './claim-queries';
import { LearnedResults } from './learned-results';
import { CampaignEngine } from './plan/engine';
import type { CallUpdate } from './plan/ports';
import { PostgresCampaignStore } from './postgres-campaign-store';
import { WebhookSender } from './webhooks/webhook-sender';

const lookEveryMs = 500;
const minuteMs = 60_000;
/** The interval of one small query while there is nothing to do; a campaign that starts is noticed at once. */
const idleLookEveryMs = 5_000;

/** Runs the campaign engine's loop in each replica. */
@Injectable()
export class CampaignLoop implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly engine: CampaignEngine;
  private readonly task: RegularTask;
  private isResting = false;

  constructor(
    private readonly store: PostgresCampaignStore,
    private readonly tenants: TenantScope,
    telephone: CampaignTelephone,
    slots: Slots,
    private readonly log: Logger,
    tasks: RegularTasks,
  ) {
    const onTrouble = (doing: string, error: unknown): void => {
      this.log.warn('A campaign failed to continue; it is tried again', { doing, error });
    };
    this.engine = new CampaignEngine({ store, telephone, owner: slots.owner, onTrouble });
    this.task = tasks.of({
      name: 'campaigns',
      everyMs: lookEveryMs,
      run: () => this.look(),
      trouble: 'Campaigns could not be looked at; it is tried again',
    });
  }

  onApplicationBootstrap(): void {
    this.task.start();
  }

  async onModuleDestroy(): Promise<void> {
    await this.task.stop();
    await this.engine.placed();
  }

  /** Handles news of a call. */
  hear(news: CallUpdate): Promise<boolean> {
    return this.engine.hear(news);
  }

  /** Schedules another call to the contact of an open attempt in this many minutes; false if the attempt is over. */
  async book(reference: string, minutes: number): Promise<boolean> {
    return this.store.book(reference, (await this.store.now()) + minutes * minuteMs);
  }

  /** The carrier rejected the caller number before dialling: the same attempt continues with another one. */
  async callerRefused(reference: string, from: string): Promise<void> {
    const claim = await this.tenants.acrossTenants('a call of any organization’s campaign was refused', (manager) =>
      claimOf(manager, reference),
    );
    if (!claim) return;
    await this.store.refuseCaller(claim.campaignId, from);
    await this.store.release(claim, await this.store.now());
  }

  /** The call is over, but its replica may still report its cost. */
  async expectLastWords(reference: string): Promise<void> {
    await this.store.askSoon(reference, (await this.store.now()) + lastWordsMs);
  }

  /** Runs soon, because a campaign was started or a slot was freed. */
  wake(): void {
    this.isResting = false;
    this.task.wake();
  }

  private async look(): Promise<number> {
    if (this.isResting && (await this.store.isIdle())) return idleLookEveryMs;
    this.isResting = (await this.engine.step()) === 0 && (await this.store.isIdle());
    return this.isResting ? idleLookEveryMs : lookEveryMs;
  }
}

type CallStateChangedConsumer = ConsumerOf<typeof callStateChanged.payload>;

type Deleted = ConsumerOf<typeof agentDeleted.payload>;
type ContactGone = ConsumerOf<typeof contactDeleted.payload>;
type BookCampaignCallHandler = HandlerOf<typeof bookCampaignCall>;
type StopCampaignCallsHandler = HandlerOf<typeof stopCampaignCalls>;
type Done = Awaited<ReturnType<BookCampaignCallHandler>>;

const concurrency = 50;

/** Handles events: the outcomes of campaigns' calls at any replica, and the start of campaigns. */
@Controller()
export class CampaignEventsController {
  constructor(
    private readonly loop: CampaignLoop,
    private readonly callRecords: CallRecords,
    private readonly doNotCall: DoNotCallList,
    private readonly results: LearnedResults,
    private readonly webhooks: WebhookSender,
    private readonly tenants: TenantScope,
    private readonly records: CampaignRecords,
    private readonly contacts: CampaignContacts,
  ) {}

  @Consumes(callStateChanged, { concurrency })
  async called(
    { CampaignID, CallKeyID, state }: Parameters<CallStateChangedConsumer>[0],
    { orgId }: Parameters<CallStateChangedConsumer>[1],
  ): Promise<void> {
    if (CampaignID === null || orgId === null || state === 'RINGING' || state === 'QUEUED') return;
    const call = await this.callRecords.find(orgId, { keyId: CallKeyID });
    if (!call) return;
    const { reference } = call;
    if (isOver(call.state) && call.causeCode === refusals.caller) return this.loop.callerRefused(reference, call.fromAddress);
    if (!isOver(call.state)) return void (await this.loop.hear({ kind: 'ANSWERED', reference }));
    if (call.answeredAt) await this.loop.hear({ kind: 'ANSWERED', reference });
    // The cost is reported right after the end of the conversation, unless the replica died; then it is queried later.
    if (call.sessionUuid !== null && !isPaid(call)) return this.loop.expectLastWords(reference);
    await this.loop.hear({ kind: 'ENDED', reference, ending: endingOf(call) });
    this.loop.wake();
    this.results.wake();
    this.webhooks.wake();
  }

  /** Books another call on request of the person on the line. */
  @Handles(bookCampaignCall)
  async again({ sessionUUID, minutes }: Parameters<BookCampaignCallHandler>[0], asked: BusCall): Promise<Done> {
    const call = await this.openCall(sessionUUID, asked);
    if (!call || call.campaignId === null) return { isDone: false };
    return { isDone: await this.loop.book(call.reference, minutes) };
  }

  @Handles(stopCampaignCalls)
  async never({ sessionUUID }: Parameters<StopCampaignCallsHandler>[0], asked: BusCall): Promise<Done> {
    // The call may be over by now, since such callers often hang up.
    const call = await this.callRecords.find(organizationOf(asked), { sessionUuid: sessionUUID });
    return { isDone: call !== null && (await this.doNotCall.addOtherSide(call)) };
  }

  private async openCall(sessionUuid: string, asked: BusCall): Promise<CallEntity | undefined> {
    return (await this.callRecords.find(organizationOf(asked), { sessionUuid, state: 'IN_PROGRESS' })) ?? undefined;
  }

  @Consumes(agentDeleted)
  async agentGone({ AgentID }: Parameters<Deleted>[0], { orgId }: Parameters<Deleted>[1]): Promise<void> {
    if (orgId === null) return;
    await this.tenants.run(orgId, (manager) => this.records.pauseOfAgent(manager, orgId, AgentID));
  }

  @Consumes(contactDeleted, { concurrency })
  async contactGone({ ContactID }: Parameters<ContactGone>[0], { orgId }: Parameters<ContactGone>[1]): Promise<void> {
    if (orgId !== null && (await this.contacts.withdraw(orgId, ContactID)) > 0) this.webhooks.wake();
  }

  @Hears(campaignStatusChanged)
  changed(): void {
    this.loop.wake();
    this.webhooks.wake();
  }
}

function isPaid({ used }: CallEntity): boolean {
  return Object.keys(used).length > 0;
}

/** Ends the calls and campaigns of deleted organizations before their rows go: nobody is called any more, and no call is answered. */
@Controller()
export class CampaignRemovalController {
  constructor(
    private readonly removal: OrganizationRemoval,
    private readonly tenants: TenantScope,
    private readonly campaigns: CampaignRecords,
    private readonly orders: CallOrders,
  ) {
    removal.with({ settle: (orgId) => this.endAll(orgId) });
  }

  @Handles(removalInTelephonyBridge)
  tell(asked: BodyOf<typeof removalInTelephonyBridge>, call: BusCall): Promise<ReplyOf<typeof removalInTelephonyBridge>> {
    return this.removal.tell(asked, call);
  }

  @Consumes(organizationDeleted)
  learn(deleted: z.output<typeof organizationDeleted.payload>): Promise<void> {
    return this.removal.learn(deleted);
  }

  private async endAll(orgId: number): Promise<string | null> {
    await this.tenants.run(orgId, async (manager) => {
      await this.campaigns.cancelEvery(manager, orgId);
      await manager.query('DELETE FROM numbers WHERE org_id = $1', [orgId]);
    });
    const ended = await this.orders.endEvery(orgId);
    return ended > 0 ? `${ended} calls` : null;
  }
}
