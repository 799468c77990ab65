import { Injectable } from '@nestjs/common';
import { type CallOrder, type CallRecord, Fault } from '@parley/contracts';
import type { Call as BusCall } from '@parley/messaging';
import type { z } from 'zod';
import { endAt, OpenCarriers } from '../accounts/open-carriers';
import { endings } from '../line/call-endings';
import { HeldCalls } from '../live/held-calls';
import { Companions } from '../transfer/companions';
import { PhoneCall } from '../line/phone-call';
import type { Call } from '../calls/call.entity';
import { recordOf } from '../calls/call.wire';
import { CallBook } from '../calls/call-book';
import { CallList } from '../calls/call-list';
import { isOver } from '../calls/call-steps';

type PublicCall = z.input<typeof CallRecord>;

/** An order before it is known which call it is about. */
type OrderWish = CallOrder extends infer Each ? (Each extends CallOrder ? Omit<Each, 'CallID'> : never) : never;

/** What people order of a call that there is: its end, keys, a transfer. */
@Injectable()
export class CallOrders {
  constructor(
    private readonly book: CallBook,
    private readonly list: CallList,
    private readonly carriers: OpenCarriers,
    private readonly held: HeldCalls,
    private readonly companions: Companions,
  ) {}

  /** Ends a call wherever it is. One that is over already is CONFLICT. */
  async end(keyId: string, call: BusCall): Promise<PublicCall> {
    const seen = await this.list.seen(keyId, call);
    const held = this.held.find(seen.id);
    if (held instanceof PhoneCall && !held.isFinished) {
      held.finish(endings.ordered);
      await held.finished;
      return this.list.record(keyId, call);
    }
    let wasOver = false;
    const ended = await this.book.decide(seen.orgId, seen.id, ({ state }) => {
      wasOver = isOver(state);
      if (wasOver) return undefined;
      return state === 'IN_PROGRESS' ? endings.ordered : { state: 'CANCELLED', cause: 'The call was cancelled on request.' };
    });
    if (wasOver || !ended) throw new Fault('CONFLICT', { message: 'This call is over already.' });
    await this.endAtCarrier(ended);
    return recordOf(ended);
  }

  /** Has something done by whichever replica holds the call. Where that is another one, the answer does not wait for it. */
  async order(keyId: string, wish: OrderWish, call: BusCall): Promise<PublicCall> {
    const seen = await this.list.seen(keyId, call);
    if (seen.state !== 'IN_PROGRESS') throw new Fault('CONFLICT', { message: 'This call is not in progress.' });
    const order = { ...wish, CallID: seen.id };
    if (await this.pressedByCarrier(seen, order)) return recordOf(seen);
    if (!this.companions.obey(order)) await this.book.order(seen.orgId, order);
    return this.list.record(keyId, call);
  }

  /** Some carriers press keys by command, from anywhere. */
  private async pressedByCarrier({ orgId, accountId, carrierCallId }: Call, order: CallOrder): Promise<boolean> {
    if (order.order !== 'DTMF' || carrierCallId === null) return false;
    const { carrier } = await this.carriers.of(orgId, accountId);
    if (carrier.media?.capabilities.digitsOut !== 'control' || !carrier.control?.sendDigits) return false;
    await carrier.control.sendDigits(carrierCallId, order.digits);
    return true;
  }

  /** The replica that holds the call hears of its end and closes its media; the carrier is told by whoever was asked. */
  private async endAtCarrier({ orgId, accountId, carrierCallId }: Call): Promise<void> {
    if (carrierCallId === null) return;
    const { carrier } = await this.carriers.of(orgId, accountId);
    await endAt(carrier, carrierCallId);
  }
}
