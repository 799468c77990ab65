import { Injectable } from '@nestjs/common';
import { type CallOrder, Fault } from '@parley/contracts';
import { MediaTokens } from '../calls/media-tokens';
import type { PhoneCall } from '../line/phone-call';
import { MachineWatch } from '../machines/machine-watch';
import { PublicAddress } from '../accounts/open-carriers';
import { CallLegs } from './call-legs';
import { CallTransfer } from './call-transfer';

interface Attached {
  readonly call: PhoneCall;
  readonly transfer: CallTransfer;
  readonly machines: MachineWatch | undefined;
}

/** The observers of this replica's calls: transfers and machine detection. */
@Injectable()
export class CallObservers {
  private readonly ofCall = new Map<number, Attached>();

  constructor(
    readonly legs: CallLegs,
    readonly tokens: MediaTokens,
    readonly address: PublicAddress,
  ) {}

  attachTo(call: PhoneCall): void {
    const { direction, wishes } = call.call;
    const transfer = new CallTransfer(call, this);
    const watches = direction === 'OUTBOUND' && wishes.voicemail.action !== 'TALK';
    const machines = watches ? new MachineWatch(call, wishes.voicemail) : undefined;
    call.observe(transfer);
    if (machines) call.observe(machines);
    this.ofCall.set(call.callId, { call, transfer, machines });
    void call.finished.then(() => this.ofCall.delete(call.callId));
  }

  find(callId: number): Attached | undefined {
    return this.ofCall.get(callId);
  }

  /** Carries out an order. False if this replica does not hold the call; CONFLICT if it is not possible. */
  obey(order: CallOrder): boolean {
    const attached = this.ofCall.get(order.CallID);
    if (!attached) return false;
    if (order.order === 'DTMF' && !attached.call.line?.media.sendDigits(order.digits))
      throw cannot('Keys cannot be pressed on this line now.');
    if (order.order === 'TRANSFER' && !attached.transfer.ask(order))
      throw cannot('This call cannot be given away like that now.');
    if (order.order === 'LEG_ENDED') attached.transfer.legEnded(order.leg, order.why);
    if (order.order === 'MACHINE') attached.machines?.met(order.isAfterBeep);
    return true;
  }
}

function cannot(message: string): Fault {
  return new Fault('CONFLICT', { message });
}
