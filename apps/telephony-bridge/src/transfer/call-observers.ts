import { Injectable } from '@nestjs/common';
import { type CallOrder, Fault } from '@parley/contracts';
import { TenantScope } from '@parley/database';
import type { CallEntity } from '../calls/call.entity';
import { MediaTokens } from '../calls/media-tokens';
import type { PhoneCall } from '../line/phone-call';
import { MachineWatch } from '../machines/machine-watch';
import { PublicAddress } from '../accounts/open-carriers';
import { CallTransfer } from './call-transfer';

/** A person who is called so that a call can be given to them. */
interface CallLeg {
  readonly orgId: number;
  readonly accountId: number;
  readonly callId: number;
  readonly reference: string;
}

type Row = CallLeg & { readonly carrierCallId: string | null };
const columns = `org_id AS "orgId", account_id AS "accountId", call_id AS "callId", reference, carrier_call_id AS "carrierCallId"`;

/** The targets of transfers in progress, so that every replica understands a carrier's notice about them. */
@Injectable()
export class CallLegs {
  constructor(private readonly tenants: TenantScope) {}

  async begin({ orgId, accountId, callId, reference }: CallLeg): Promise<void> {
    await this.tenants.run(orgId, (manager) =>
      manager.query('INSERT INTO call_legs (reference, org_id, account_id, call_id) VALUES ($1, $2, $3, $4)', [
        reference,
        orgId,
        accountId,
        callId,
      ]),
    );
  }

  async named({ orgId, reference }: Pick<CallLeg, 'orgId' | 'reference'>, carrierCallId: string): Promise<void> {
    await this.tenants.run(orgId, (manager) =>
      manager.query('UPDATE call_legs SET carrier_call_id = $2 WHERE reference = $1', [reference, carrierCallId]),
    );
  }

  /** The carrier's ids of a call's transfer legs. */
  async placedFor({ orgId, id }: Pick<CallEntity, 'orgId' | 'id'>): Promise<string[]> {
    const rows = await this.tenants.read<{ carrierCallId: string }[]>(orgId, (manager) =>
      manager.query(
        'SELECT carrier_call_id AS "carrierCallId" FROM call_legs WHERE org_id = $1 AND call_id = $2 AND carrier_call_id IS NOT NULL',
        [orgId, id],
      ),
    );
    return rows.map(({ carrierCallId }) => carrierCallId);
  }

  /** By the carrier's id, or by ours where the carrier gives it back. */
  async find(
    orgId: number,
    accountId: number,
    by: { readonly callId?: string; readonly reference?: string },
  ): Promise<Row | undefined> {
    // If both are given they must match the same leg; its id may be unknown yet.
    const rows = await this.tenants.read<Row[]>(orgId, (manager) =>
      manager.query(
        `SELECT ${columns} FROM call_legs WHERE org_id = $1 AND account_id = $2
         AND coalesce(reference::text = $4, true) AND coalesce(carrier_call_id = $3, $4::text IS NOT NULL)`,
        [orgId, accountId, by.callId ?? null, by.reference ?? null],
      ),
    );
    return rows[0];
  }
}

interface Attached {
  readonly call: PhoneCall;
  readonly transfer: CallTransfer;
  readonly machines: MachineWatch | undefined;
}

/** The observers of this replica's calls: transfers, and machine detection. */
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

  /** Carries out an order. False: this replica does not hold the call. CONFLICT: it cannot be done. */
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
