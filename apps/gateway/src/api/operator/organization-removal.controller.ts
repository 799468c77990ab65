import { Controller } from '@nestjs/common';
import { type BodyOf, organizationDeleted, removalInGateway, type ReplyOf } from '@parley/contracts';
import { TenantScope } from '@parley/database';
import { type Call, Consumes, Handles } from '@parley/messaging';
import { FileStore } from '@parley/ports';
import { deleteFolder, OrganizationRemoval } from '@parley/service-kit';
import { z } from 'zod';
import { KeysService } from '../../door/access/keys.service';
import { AuditTrail } from '../../door/audit/audit-trail';
import { answersFolder } from '../../door/idempotency/claimed-answers';

const emptying = 'the books of a deleted organization are closed';

/** What is kept of an organization's credits: no more than a business needs for its own books. */
const Closing = z.object({
  balances: z.array(z.object({ kind: z.string(), available: z.coerce.number(), held: z.coerce.number() })),
  months: z.array(z.object({ kind: z.string(), month: z.string(), granted: z.coerce.number(), charged: z.coerce.number() })),
});

const Kept = z.object({ OrganizationName: z.string(), operator: z.string(), closing: Closing });

/**
 * Removes an organization from the gateway: its keys and widgets end first, its charges may still be settled, then its books are closed and
 * everything goes. One line of its audit log stays, which says what was deleted, by whom, and with which balances.
 */
@Controller()
export class OrganizationRemovalController {
  constructor(
    private readonly removal: OrganizationRemoval,
    private readonly tenants: TenantScope,
    private readonly keys: KeysService,
    private readonly trail: AuditTrail,
    private readonly files: FileStore,
  ) {
    removal.with({
      settle: (orgId) => this.settle(orgId),
      eraseOutside: ({ orgId, doneOn }) => this.eraseOutside(orgId, doneOn !== null),
      finish: ({ orgId }) => this.finish(orgId),
    });
  }

  @Handles(removalInGateway)
  tell(asked: BodyOf<typeof removalInGateway>, call: Call): Promise<ReplyOf<typeof removalInGateway>> {
    return this.removal.tell(asked, call);
  }

  @Consumes(organizationDeleted)
  learn({ OrgID, OrganizationName, operator }: z.output<typeof organizationDeleted.payload>): Promise<void> {
    return this.removal.learn({ OrgID }, { OrganizationName, operator });
  }

  private async settle(orgId: number): Promise<string | null> {
    await this.keys.endAll(orgId, 'everybody');
    return this.tenants.run(orgId, async (manager) => {
      await manager.query('UPDATE widgets SET is_active = false WHERE org_id = $1 AND is_active', [orgId]);
      await manager.query('DELETE FROM entry_tokens WHERE org_id = $1', [orgId]);
      const [row] = await manager.query<{ count: number }[]>(
        'SELECT count(*)::int AS count FROM credit_holds WHERE org_id = $1 AND expires_at > now()',
        [orgId],
      );
      return row && row.count > 0 ? `${row.count} charges in progress` : null;
    });
  }

  private async eraseOutside(orgId: number, isDone: boolean): Promise<void> {
    if (!isDone) await this.removal.keep(orgId, { closing: await this.closing(orgId) });
    for (const folder of [answersFolder, 'archive/ledger', 'archive/audit', 'recordings'])
      await deleteFolder(this.files, `${folder}/${orgId}`);
  }

  /** The balances, and what was granted and charged in each month. Lines and what they refer to are not kept. */
  private closing(orgId: number): Promise<z.output<typeof Closing>> {
    return this.tenants.read(orgId, async (manager) =>
      Closing.parse({
        balances: await manager.query<unknown[]>(
          'SELECT kind, available, held FROM credit_accounts WHERE org_id = $1 ORDER BY kind',
          [orgId],
        ),
        months: await manager.query<unknown[]>(months, [orgId]),
      }),
    );
  }

  private async finish(orgId: number): Promise<void> {
    const { OrganizationName, operator, closing } = await this.removal.kept(orgId, Kept);
    await this.tenants.acrossTenants(emptying, (manager) => manager.query(redacted, [orgId]));
    const action = {
      orgId,
      action: organizationDeleted.subject,
      memberId: null,
      integrationKeyId: null,
      subject: `OrgID ${orgId}`,
      request: { OrganizationName, operator },
      before: null,
      requestId: '',
    };
    await this.trail.conclude(action, { outcome: 'OK', reply: { balances: closing.balances } });
  }
}

const months = `
  SELECT kind, to_char(month, 'YYYY-MM') AS month, sum(granted) AS granted, sum(charged) AS charged FROM (
    SELECT kind, month, granted, charged FROM credit_months WHERE org_id = $1
    UNION ALL
    SELECT kind, date_trunc('month', created_at AT TIME ZONE 'UTC')::date, greatest(units, 0), greatest(-units, 0)
    FROM credit_ledger WHERE org_id = $1
  ) lines GROUP BY kind, lines.month ORDER BY lines.month, kind`;

/** Of what operators did for it, their names and what they granted stay; what they typed may name people. */
const redacted = `
  UPDATE operator_actions SET request = (
    SELECT coalesce(jsonb_object_agg(key, value), '{}') FROM jsonb_each(request) WHERE key IN ('credits', 'reference'))
  WHERE org_id = $1`;
