import { Injectable } from '@nestjs/common';
import { TenantScope } from '@parley/database';
import type { CallEntity } from '../calls/call.entity';

/** The call to a transfer target. */
interface CallLeg {
  readonly orgId: number;
  readonly accountId: number;
  readonly callId: number;
  readonly reference: string;
}

type CallLegRow = CallLeg & { readonly carrierCallId: string | null };
const columns = `org_id AS "orgId", account_id AS "accountId", call_id AS "callId", reference, carrier_call_id AS "carrierCallId"`;

/** Stores the targets of transfers in progress, so that any replica can handle a carrier's notice about them. */
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

  /** Finds a leg by the carrier's id, or by our reference if the carrier returns it. */
  async find(
    orgId: number,
    accountId: number,
    by: { readonly callId?: string; readonly reference?: string },
  ): Promise<CallLegRow | undefined> {
    // If both are given they must match the same leg, whose carrier id may not be known yet.
    const rows = await this.tenants.read<CallLegRow[]>(orgId, (manager) =>
      manager.query(
        `SELECT ${columns} FROM call_legs WHERE org_id = $1 AND account_id = $2
         AND coalesce(reference::text = $4, true) AND coalesce(carrier_call_id = $3, $4::text IS NOT NULL)`,
        [orgId, accountId, by.callId ?? null, by.reference ?? null],
      ),
    );
    return rows[0];
  }
}
