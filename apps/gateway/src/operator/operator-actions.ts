import { Controller } from '@nestjs/common';
import { beginOperatorAction, endOperatorAction, listOperatorActions } from '@parley/contracts';
import { TenantScope } from '@parley/database';
import { type Call, Handles, type HandlerOf, requireOperator } from '@parley/messaging';
import { z } from 'zod';
import { ActionTrail, bounded } from '../door/audit/attempt';

type BodyOf<Contract extends Parameters<typeof Handles>[0]> = Parameters<HandlerOf<Contract>>[0];

const wholeInstallation = 0;
const why = 'operators act on the whole installation';

const Row = z.object({
  id: z.int(),
  org_id: z.int(),
  operator: z.string(),
  action: z.string(),
  request: z.record(z.string(), z.unknown()),
  outcome: z.string(),
  created_on: z.date(),
});

/**
 * Notes what operators do: all of it in a list of the installation, and what concerns an organization in its audit log as well, so
 * that the tenant sees it.
 */
@Controller()
export class OperatorActions {
  constructor(
    private readonly tenants: TenantScope,
    private readonly trail: ActionTrail,
  ) {}

  @Handles(beginOperatorAction)
  async begin({ operator, action, OrgID, request }: BodyOf<typeof beginOperatorAction>, call: Call) {
    requireOperator(call);
    const kept = bounded(request) ?? {};
    const insertion = `INSERT INTO operator_actions (org_id, operator, action, request) VALUES ($1, $2, $3, $4) RETURNING id`;
    const values = [OrgID ?? wholeInstallation, operator, action, JSON.stringify(kept)];
    const [row]: { id: number }[] = await this.tenants.acrossTenants(why, (manager) => manager.query(insertion, values));
    const noted = { operator, action, request: kept, requestId: call.requestId };
    return { OperatorActionID: row?.id ?? 0, intent: OrgID === null ? null : await this.noteIn(OrgID, noted) };
  }

  @Handles(endOperatorAction)
  async end({ OperatorActionID, intent, OrgID, outcome, reply }: BodyOf<typeof endOperatorAction>, call: Call) {
    requireOperator(call);
    const update = 'UPDATE operator_actions SET outcome = $2, org_id = coalesce($3, org_id) WHERE id = $1 RETURNING *';
    const [rows]: [unknown[], number] = await this.tenants.acrossTenants(why, (manager) =>
      manager.query(update, [OperatorActionID, outcome, OrgID]),
    );
    if (OrgID !== null && rows[0]) {
      // An organization that the action itself made had no log to begin in.
      const began = intent ?? (await this.noteIn(OrgID, { ...Row.parse(rows[0]), requestId: call.requestId }));
      await this.trail.finish(OrgID, began, { outcome, reply: bounded(reply) });
    }
    return { OperatorActionID };
  }

  @Handles(listOperatorActions)
  async list({ count }: BodyOf<typeof listOperatorActions>, call: Call) {
    requireOperator(call);
    const rows: unknown[] = await this.tenants.acrossTenants(why, (manager) =>
      manager.query('SELECT * FROM operator_actions ORDER BY id DESC LIMIT $1', [count]),
    );
    return rows.map((each) => {
      const { id, org_id: orgId, created_on: createdOn, ...row } = Row.parse(each);
      return { ...row, OperatorActionID: id, OrgID: orgId || null, CreatedOn: createdOn.toISOString() };
    });
  }

  private noteIn(
    orgId: number,
    { operator, action, request, requestId }: { operator: string; action: string; request: object; requestId: string },
  ): Promise<string> {
    return this.trail.begin({
      orgId,
      action: `operator.${action}`,
      memberId: null,
      integrationKeyId: null,
      subject: `operator ${operator}`,
      request: { ...request },
      before: null,
      requestId,
    });
  }
}
