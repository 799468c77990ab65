import { Controller, type DynamicModule, Injectable, Module, type OnApplicationBootstrap, type Type } from '@nestjs/common';
import {
  assignPlan,
  beginOperatorAction,
  type BodyOf,
  type CreditKind,
  creditKinds,
  endOperatorAction,
  Fault,
  listOperatorActions,
  operatorTermsChanged,
  readOperatorTerms,
  savePlan,
  setOperatorPrices,
} from '@parley/contracts';
import { TenantScope } from '@parley/database';
import { Broadcasts, type Call, Handles, Hears, requireOperator } from '@parley/messaging';
import { RegularTasks } from '@parley/service-kit';
import { z } from 'zod';
import { ActionTrail, bounded } from '../../door/audit/recorded-actions';
import { completed } from '../../door/limits/plans';
import { type Plans, RateLimits } from '../../door/limits/rate-limits';
import { CreditTerms } from '../../money/credit-book';
import { OperatorPrices } from '../../money/credit-variables';
import type { Prices } from '../../money/operation';
import { OrganizationRemovalController } from './organization-removal.controller';

type Terms = z.output<typeof readOperatorTerms.reply>;

const why = 'prices and plans are the operator’s, for every organization';
/** If the broadcast of a change is lost, the change takes this long to arrive. */
const readEveryMs = 60_000;
const rowsMax = 10_000;

/** The configured terms, which settings made later override. */
interface ConfiguredTerms extends Plans {
  readonly prices: Prices;
  readonly organizationPrices: ReadonlyMap<number, Prices>;
}

/** Keeps this gateway's prices and plans in step with operators' settings, which override its configuration. */
@Injectable()
class OperatorTerms implements OnApplicationBootstrap {
  private readonly configured: ConfiguredTerms;

  constructor(
    private readonly tenants: TenantScope,
    private readonly prices: OperatorPrices,
    private readonly limits: RateLimits,
    private readonly tasks: RegularTasks,
    terms: CreditTerms,
  ) {
    this.configured = { ...limits.plans, prices: terms.prices, organizationPrices: terms.organizationPrices };
  }

  async onApplicationBootstrap(): Promise<void> {
    await this.renew();
    const reading = { everyMs: readEveryMs, run: () => this.renew(), trouble: 'Prices and plans could not be read again' };
    this.tasks.of({ name: 'prices and plans', ...reading }).start(readEveryMs);
  }

  /** What operators have set. */
  read(): Promise<Terms> {
    return this.tenants.acrossTenants(why, async (manager) => {
      const limit = `LIMIT ${rowsMax}`;
      const prices: { OrgID: number; kind: CreditKind; unitsPerThousand: number }[] = await manager.query(
        `SELECT org_id AS "OrgID", kind, units_per_thousand AS "unitsPerThousand" FROM operator_prices ORDER BY org_id, kind ${limit}`,
      );
      return {
        prices: prices.map(({ OrgID, ...price }) => ({ ...price, OrgID: OrgID || null })),
        plans: await manager.query(`SELECT name, limits FROM operator_plans ORDER BY name`),
        assignments: await manager.query(`SELECT org_id AS "OrgID", name FROM organization_plans ORDER BY org_id ${limit}`),
      };
    });
  }

  /** Organizations that would silently fall back to the standard limits if an operator's plan were deleted. */
  async holdersLeftWithout(plan: string): Promise<number[]> {
    if (this.configured.plans.has(plan)) return [];
    const { assignments } = plansWith(this.configured, await this.read());
    return [...assignments].flatMap(([orgId, name]) => (name === plan ? [orgId] : []));
  }

  /** Reads the terms again and applies them to this gateway. */
  async renew(): Promise<void> {
    const set = await this.read();
    this.limits.replace(plansWith(this.configured, set));
    await this.prices.replace(pricesWith(this.configured, set));
  }
}

function plansWith(configured: ConfiguredTerms, { plans, assignments }: Terms): Plans {
  return {
    plans: new Map([...configured.plans, ...plans.map(({ name, limits }) => [name, completed(limits)] as const)]),
    assignments: new Map([...configured.assignments, ...assignments.map(({ OrgID, name }) => [OrgID, name] as const)]),
  };
}

function pricesWith(configured: ConfiguredTerms, { prices: set }: Terms) {
  const own = Map.groupBy(set, ({ OrgID }) => OrgID);
  const over = (base: Prices, orgId: number | null): Prices => {
    const rows = own.get(orgId) ?? [];
    const price = (kind: CreditKind): number => rows.find((row) => row.kind === kind)?.unitsPerThousand ?? base[kind];
    return { TTT_API: price(creditKinds[0]), TTS_API: price(creditKinds[1]), STT_API: price(creditKinds[2]) };
  };
  const prices = over(configured.prices, null);
  const orgIds = new Set([...configured.organizationPrices.keys(), ...[...own.keys()].filter((orgId) => orgId !== null)]);
  const organizationPrices = new Map(
    [...orgIds].map((orgId) => [orgId, over(configured.organizationPrices.get(orgId) ?? prices, orgId)]),
  );
  return { prices, organizationPrices };
}

/** What was deleted, and how many that were. */
const Removed = z.tuple([z.array(z.unknown()), z.number()]);

const plansMax = 100;
const settingTerms = 'prices and plans are set by the operator';

/**
 * Sets the operator's prices and plans. A change applies to this gateway before it is acknowledged, and to the others a moment
 * later.
 */
@Controller()
class OperatorTermsController {
  constructor(
    private readonly tenants: TenantScope,
    private readonly terms: OperatorTerms,
    private readonly credits: CreditTerms,
    private readonly limits: RateLimits,
    private readonly broadcasts: Broadcasts,
  ) {}

  @Handles(readOperatorTerms)
  read(_body: object, call: Call) {
    requireOperator(call);
    return this.terms.read();
  }

  @Handles(setOperatorPrices)
  async setPrices({ OrgID, prices }: BodyOf<typeof setOperatorPrices>, call: Call) {
    requireOperator(call);
    const named = creditKinds.flatMap((kind) => (prices[kind] === undefined ? [] : [{ kind, units: prices[kind] }]));
    for (const { kind, units } of named)
      if (units === null) await this.write('DELETE FROM operator_prices WHERE org_id = $1 AND kind = $2', [OrgID ?? 0, kind]);
      else await this.write(upsertPrice, [OrgID ?? 0, kind, units]);
    await this.changed();
    return { OrgID, prices: (OrgID === null ? undefined : this.credits.organizationPrices.get(OrgID)) ?? this.credits.prices };
  }

  @Handles(savePlan)
  async keepPlan({ name, limits }: BodyOf<typeof savePlan>, call: Call) {
    requireOperator(call);
    if (limits === null) {
      const holders = await this.terms.holdersLeftWithout(name);
      if (holders.length > 0)
        throw new Fault('CONFLICT', { message: `Organizations have the plan ${name}: ${holders.slice(0, 20).join(', ')}.` });
      const removed = await this.write('DELETE FROM operator_plans WHERE name = $1 RETURNING name', [name]);
      if (!Removed.parse(removed)[1]) throw new Fault('NOT_FOUND', { message: `There is no saved plan ${name}.` });
    } else {
      const { plans } = this.limits.plans;
      if (!plans.has(name) && plans.size >= plansMax)
        throw new Fault('CONFLICT', { message: `There are already ${plansMax} plans, the most allowed.` });
      await this.write(upsertPlan, [name, JSON.stringify(limits)]);
    }
    await this.changed();
    return { name };
  }

  @Handles(assignPlan)
  async assign({ OrgID, name }: BodyOf<typeof assignPlan>, call: Call) {
    requireOperator(call);
    if (name === null) await this.write('DELETE FROM organization_plans WHERE org_id = $1', [OrgID]);
    else {
      if (name !== 'standard' && !this.limits.plans.plans.has(name))
        throw new Fault('NOT_FOUND', { message: `There is no plan ${name}.` });
      await this.write(upsertAssignment, [OrgID, name]);
    }
    await this.changed();
    return { OrgID, name };
  }

  @Hears(operatorTermsChanged)
  async hear(): Promise<void> {
    await this.terms.renew();
  }

  private write(statement: string, values: unknown[]): Promise<unknown> {
    return this.tenants.acrossTenants(settingTerms, (manager) => manager.query(statement, values));
  }

  private async changed(): Promise<void> {
    await this.terms.renew();
    this.broadcasts.announce(operatorTermsChanged, { orgId: null, payload: {} });
  }
}

const upsertPrice = `
  INSERT INTO operator_prices (org_id, kind, units_per_thousand) VALUES ($1, $2, $3)
  ON CONFLICT (org_id, kind) DO UPDATE SET units_per_thousand = EXCLUDED.units_per_thousand`;

const upsertPlan = `
  INSERT INTO operator_plans (name, limits) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET limits = EXCLUDED.limits`;

const upsertAssignment = `
  INSERT INTO organization_plans (org_id, name) VALUES ($1, $2) ON CONFLICT (org_id) DO UPDATE SET name = EXCLUDED.name`;

/** What only the operator's command may ask of the gateway: its settings, and the list of what it did. */
@Module({})
export class OperatorModule {
  /** `imports` provide ActionTrail, AuditTrail, FileStore, KeysService, CreditTerms and OperatorPrices. */
  static with(imports: (Type | DynamicModule)[]): DynamicModule {
    return {
      module: OperatorModule,
      imports,
      controllers: [OperatorActions, OperatorTermsController, OrganizationRemovalController],
      providers: [OperatorTerms],
    };
  }
}

const wholeInstallation = 0;
const actingOnAll = 'operators act on the whole installation';

const Row = z.object({
  id: z.int(),
  org_id: z.int(),
  operator: z.string(),
  action: z.string(),
  request: z.record(z.string(), z.unknown()),
  outcome: z.string(),
  created_on: z.date(),
});

type ReferredAction = Pick<BodyOf<typeof beginOperatorAction>, 'action' | 'OrgID' | 'request'>;

const Granted = z.object({ credits: z.partialRecord(z.enum(creditKinds), z.int()) });

/** The credits of a grant, in a fixed order: `TTT_API=10, TTS_API=7`. */
function creditsIn(request: ReferredAction['request']): string {
  const { credits } = Granted.safeParse(request).data ?? { credits: {} };
  return creditKinds.flatMap((kind) => (credits[kind] === undefined ? [] : [`${kind}=${credits[kind]}`])).join(', ');
}

/**
 * Records what operators do: everything in a list for the installation, and what concerns an organization in its audit log as
 * well, so that the tenant sees it.
 */
@Controller()
class OperatorActions {
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
    const [row]: { id: number }[] = await this.tenants.acrossTenants(actingOnAll, (manager) => manager.query(insertion, values));
    if (typeof kept['reference'] === 'string') await this.requireOwnReference(row?.id ?? 0, { action, OrgID, request: kept });
    const noted = { operator, action, request: kept, requestId: call.requestId };
    return { OperatorActionID: row?.id ?? 0, intent: OrgID === null ? null : await this.noteIn(OrgID, noted) };
  }

  /** A reference names one grant, of one organization: whoever used it first may only repeat it. One that found nobody granted nothing. */
  private async requireOwnReference(id: number, { action, OrgID, request }: ReferredAction): Promise<void> {
    const found: unknown[] = await this.tenants.acrossTenants(actingOnAll, (manager) =>
      manager.query(
        `SELECT * FROM operator_actions
         WHERE id < $1 AND action = $2 AND request->>'reference' = $3 AND outcome <> 'NOT_FOUND' ORDER BY id LIMIT 1`,
        [id, action, request['reference']],
      ),
    );
    if (found.length === 0) return;
    const first = Row.parse(found[0]);
    const [before, now] = [creditsIn(first.request), creditsIn(request)];
    if (first.org_id === (OrgID ?? wholeInstallation) && before === now) return;
    await this.tenants.acrossTenants(actingOnAll, (manager) =>
      manager.query(`UPDATE operator_actions SET outcome = 'CONFLICT' WHERE id = $1`, [id]),
    );
    const message = `This reference was used to grant ${before} to organization ${first.org_id}: use one reference for each grant.`;
    throw new Fault('CONFLICT', { message });
  }

  @Handles(endOperatorAction)
  async end({ OperatorActionID, intent, OrgID, outcome, reply }: BodyOf<typeof endOperatorAction>, call: Call) {
    requireOperator(call);
    const update = 'UPDATE operator_actions SET outcome = $2, org_id = coalesce($3, org_id) WHERE id = $1 RETURNING *';
    const [rows]: [unknown[], number] = await this.tenants.acrossTenants(actingOnAll, (manager) =>
      manager.query(update, [OperatorActionID, outcome, OrgID]),
    );
    if (OrgID !== null && rows[0]) {
      // If the action itself created the organization, there was no log to record the attempt in.
      const began = intent ?? (await this.noteIn(OrgID, { ...Row.parse(rows[0]), requestId: call.requestId }));
      await this.trail.finish(OrgID, began, { outcome, reply: bounded(reply) });
    }
    return { OperatorActionID };
  }

  @Handles(listOperatorActions)
  async list({ count }: BodyOf<typeof listOperatorActions>, call: Call) {
    requireOperator(call);
    const rows: unknown[] = await this.tenants.acrossTenants(actingOnAll, (manager) =>
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
