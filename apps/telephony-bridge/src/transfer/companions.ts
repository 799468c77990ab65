import { Injectable } from '@nestjs/common';
import { type CallOrder, Fault } from '@parley/contracts';
import { MediaTokens } from '../calls/media-tokens';
import type { PhoneCall } from '../line/phone-call';
import { MachineWatch } from '../machines/machine-watch';
import { PublicAddress } from '../accounts/open-carriers';
import { CallLegs } from './call-legs';
import { CallTransfer } from './call-transfer';

interface Company {
  readonly call: PhoneCall;
  readonly transfer: CallTransfer;
  readonly machines: MachineWatch | undefined;
}

/** What goes along with the calls of this replica: transfers, and whoever tells machines from people. */
@Injectable()
export class Companions {
  private readonly ofCall = new Map<number, Company>();

  constructor(
    readonly legs: CallLegs,
    readonly tokens: MediaTokens,
    readonly address: PublicAddress,
  ) {}

  accompany(call: PhoneCall): void {
    const { direction, wishes } = call.call;
    const transfer = new CallTransfer(call, this);
    const watches = direction === 'OUTBOUND' && wishes.voicemail.action !== 'TALK';
    const machines = watches ? new MachineWatch(call, wishes.voicemail) : undefined;
    call.witness(transfer);
    if (machines) call.witness(machines);
    this.ofCall.set(call.callId, { call, transfer, machines });
    void call.finished.then(() => this.ofCall.delete(call.callId));
  }

  find(callId: number): Company | undefined {
    return this.ofCall.get(callId);
  }

  /** Does what was ordered. False: this replica does not hold the call. CONFLICT: it cannot be done. */
  obey(order: CallOrder): boolean {
    const company = this.ofCall.get(order.CallID);
    if (!company) return false;
    if (order.order === 'DTMF' && !company.call.line?.media.sendDigits(order.digits))
      throw cannot('Keys cannot be pressed on this line now.');
    if (order.order === 'TRANSFER' && !company.transfer.ask(order)) throw cannot('This call cannot be given away like that now.');
    if (order.order === 'LEG_ENDED') company.transfer.legEnded(order.leg);
    if (order.order === 'MACHINE') company.machines?.met(order.isAfterBeep);
    return true;
  }
}

function cannot(message: string): Fault {
  return new Fault('CONFLICT', { message });
}
