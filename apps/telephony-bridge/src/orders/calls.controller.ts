import { Controller } from '@nestjs/common';
import {
  callOrdered,
  callStateChanged,
  conversationEnded,
  conversationErased,
  countActiveCalls,
  endCall,
  Fault,
  getCall,
  listCalls,
  placeCall,
  sendDtmf,
  sessionMeterLost,
  transferCall,
  Uuid,
  watchCalls,
} from '@parley/contracts';
import { type Call, Consumes, type ConsumerOf, Handles, type HandlerOf, type HearerOf, Hears } from '@parley/messaging';
import { Logger } from '@parley/service-kit';
import { HeldCalls } from '../live/slots';
import { LiveCounts } from '../live/live-counts';
import { CallRecords } from '../calls/call-records';
import { CallList } from '../calls/call-list';
import type { UsedCredits } from '../calls/call.entity';
import { DoNotCallList } from '../do-not-call/do-not-call.service';
import { CallObservers } from '../transfer/call-observers';
import { CallOrders, PlacedCalls } from './call-orders';

type PlaceCallHandler = HandlerOf<typeof placeCall>;
type TransferCallHandler = HandlerOf<typeof transferCall>;
type Press = HandlerOf<typeof sendDtmf>;
type GetCallHandler = HandlerOf<typeof getCall>;
type ListCallsHandler = HandlerOf<typeof listCalls>;
type Count = HandlerOf<typeof countActiveCalls>;
type WatchCallsHandler = HandlerOf<typeof watchCalls>;
type OrderHearer = HearerOf<typeof callOrdered.payload>;
type Hearer = HearerOf<typeof callStateChanged.payload>;
type MeterLost = ConsumerOf<typeof sessionMeterLost.payload>;
type ConversationEndedConsumer = ConsumerOf<typeof conversationEnded.payload>;

type ConversationErasedConsumer = ConsumerOf<typeof conversationErased.payload>;

const concurrency = 50;

/** Calls over the bus. */
@Controller()
export class CallsController {
  constructor(
    private readonly placed: PlacedCalls,
    private readonly orders: CallOrders,
    private readonly calls: CallList,
    private readonly live: LiveCounts,
  ) {}

  @Handles(placeCall)
  place(wish: Parameters<PlaceCallHandler>[0], call: Call): ReturnType<PlaceCallHandler> {
    return this.placed.place(wish, call);
  }

  @Handles(endCall)
  end({ CallKeyID }: Parameters<GetCallHandler>[0], call: Call): ReturnType<GetCallHandler> {
    return this.orders.end(CallKeyID, call);
  }

  @Handles(transferCall)
  transfer({ CallKeyID, ...wish }: Parameters<TransferCallHandler>[0], call: Call): ReturnType<TransferCallHandler> {
    return this.orders.order(CallKeyID, { order: 'TRANSFER', ...wish }, call);
  }

  @Handles(sendDtmf)
  press({ CallKeyID, digits }: Parameters<Press>[0], call: Call): ReturnType<Press> {
    return this.orders.order(CallKeyID, { order: 'DTMF', digits }, call);
  }

  @Handles(getCall)
  get({ CallKeyID }: Parameters<GetCallHandler>[0], call: Call): ReturnType<GetCallHandler> {
    return this.calls.record(CallKeyID, call);
  }

  @Handles(listCalls)
  list(query: Parameters<ListCallsHandler>[0], call: Call): ReturnType<ListCallsHandler> {
    return this.calls.page(query, call);
  }

  @Handles(countActiveCalls)
  count(_: object, call: Call): ReturnType<Count> {
    return this.live.count(call);
  }

  @Handles(watchCalls)
  watch({ after }: Parameters<WatchCallsHandler>[0], call: Call): ReturnType<WatchCallsHandler> {
    return this.live.watch(after, call);
  }
}

/** Passes events to the replica that holds a call, and updates call records from their conversations. */
@Controller()
export class CallEventsController {
  constructor(
    private readonly held: HeldCalls,
    private readonly observers: CallObservers,
    private readonly callRecords: CallRecords,
    private readonly doNotCall: DoNotCallList,
    private readonly log: Logger,
  ) {}

  @Hears(callStateChanged)
  changed(change: Parameters<Hearer>[0]): void {
    this.held.changed(change);
  }

  /**
   * Takes the number of turns from conversation, since answers that were cut off have no `agent.done` here. A caller who asked never to
   * be called again is listed here, since they may have hung up before the agent could do so.
   */
  @Consumes(conversationEnded, { concurrency })
  async talkedOut(
    { channel, ...session }: Parameters<ConversationEndedConsumer>[0],
    { orgId }: Parameters<ConversationEndedConsumer>[1],
  ): Promise<void> {
    if (channel !== 'PHONE' || orgId === null) return;
    const call = await this.callRecords.find(orgId, { sessionUuid: session.sessionUUID });
    if (!call) return;
    if (session.asksNeverToBeCalled) await this.doNotCall.addOtherSide(call);
    await this.callRecords.note(orgId, call.id, { turnCount: session.turnCount });
  }

  @Consumes(conversationErased, { concurrency })
  async erased(
    { sessionUUID }: Parameters<ConversationErasedConsumer>[0],
    { orgId }: Parameters<ConversationErasedConsumer>[1],
  ): Promise<void> {
    if (orgId !== null) await this.callRecords.erase(orgId, sessionUUID);
  }

  /** The replica that held a call died, or lost the gateway: the record gets the exact usage that was charged. */
  @Consumes(sessionMeterLost, { concurrency })
  async charged({ requestId, usage }: Parameters<MeterLost>[0], { orgId }: Parameters<MeterLost>[1]): Promise<void> {
    const keyId = Uuid.safeParse(requestId).data;
    const call = orgId === null || keyId === undefined ? null : await this.callRecords.find(orgId, { keyId });
    const used: UsedCredits = {};
    for (const { kind, units } of usage) used[kind] = units;
    if (call) await this.callRecords.note(call.orgId, call.id, { used });
  }

  /** The requester has already been answered. */
  @Hears(callOrdered)
  ordered(order: Parameters<OrderHearer>[0], { orgId }: Parameters<OrderHearer>[1]): void {
    try {
      this.observers.obey(order);
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      if (order.order === 'TRANSFER' && orgId !== null) this.notGiven(orgId, order.CallID);
      this.log.info('An order for a call could not be carried out', {
        callId: order.CallID,
        order: order.order,
        reason: error.message,
      });
    }
  }

  private notGiven(orgId: number, callId: number): void {
    void this.callRecords.note(orgId, callId, { transfer: { state: 'FAILED' } }).catch((error: unknown) => {
      this.log.warn('That a call could not be given to a person could not be written down', { callId, error });
    });
  }
}
