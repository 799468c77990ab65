import { Injectable } from '@nestjs/common';
import { callsPerNumberUsual, type readCallLimits, type saveCallLimits } from '@parley/contracts';
import { TenantScope } from '@parley/database';
import { type Call, organizationOf, wholeOrganizationOf } from '@parley/messaging';
import type { EntityManager } from 'typeorm';
import type { z } from 'zod';
import { claimsOf } from '../claim-queries';

type Wanted = z.output<typeof saveCallLimits.request>;
type Limits = z.input<typeof readCallLimits.reply>;

/** How often the campaigns of an organization call one number, all of them together. */
@Injectable()
export class CallLimitsBook {
  constructor(private readonly tenants: TenantScope) {}

  async read(call: Call): Promise<Limits> {
    const orgId = organizationOf(call);
    const limits = await this.tenants.read(orgId, (manager) => callsPerNumberIn(manager, [orgId]));
    return { CallsPerNumberADay: limits.get(orgId) ?? callsPerNumberUsual, isDefault: !limits.has(orgId) };
  }

  /** Holds from the next claim on. */
  save({ CallsPerNumberADay }: Wanted, call: Call): Promise<Limits> {
    const orgId = wholeOrganizationOf(call, 'Limits of calls');
    return this.tenants.run(orgId, async (manager) => {
      await claimsOf(manager, orgId);
      if (CallsPerNumberADay === null) await manager.query('DELETE FROM call_limits WHERE org_id = $1', [orgId]);
      else
        await manager.query(
          `INSERT INTO call_limits (org_id, calls_per_number) VALUES ($1, $2)
           ON CONFLICT (org_id) DO UPDATE SET calls_per_number = excluded.calls_per_number`,
          [orgId, CallsPerNumberADay],
        );
      return { CallsPerNumberADay: CallsPerNumberADay ?? callsPerNumberUsual, isDefault: CallsPerNumberADay === null };
    });
  }
}

/** What organizations have set; those that are missing have the usual. */
export async function callsPerNumberIn(manager: EntityManager, orgIds: readonly number[]): Promise<ReadonlyMap<number, number>> {
  const rows: { orgId: number; callsPerNumber: number }[] = await manager.query(
    'SELECT org_id AS "orgId", calls_per_number AS "callsPerNumber" FROM call_limits WHERE org_id = ANY($1)',
    [orgIds],
  );
  return new Map(rows.map(({ orgId, callsPerNumber }) => [orgId, callsPerNumber]));
}
