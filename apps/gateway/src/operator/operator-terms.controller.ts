import { Controller, type DynamicModule, Module, type Type } from '@nestjs/common';
import {
  assignPlan,
  creditKinds,
  Fault,
  operatorTermsChanged,
  readOperatorTerms,
  savePlan,
  setOperatorPrices,
} from '@parley/contracts';
import { TenantScope } from '@parley/database';
import { Broadcasts, type Call, type HandlerOf, Handles, Hears, requireOperator } from '@parley/messaging';
import { RateLimits } from '../door/limits/rate-limits';
import { CreditTerms } from '../money/credit-book';
import { OperatorActions } from './operator-actions';
import { OperatorTerms } from './operator-terms';

type BodyOf<Contract extends Parameters<typeof Handles>[0]> = Parameters<HandlerOf<Contract>>[0];

const plansMax = 100;
const why = 'prices and plans are set by the operator';

/** Takes the operator's prices and plans. A change is in force here when it is answered, and elsewhere a moment later. */
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
    if (limits === null) await this.write('DELETE FROM operator_plans WHERE name = $1', [name]);
    else {
      const { plans } = this.limits.plans;
      if (!plans.has(name) && plans.size >= plansMax) throw new Fault('CONFLICT', { message: `There are ${plansMax} plans.` });
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
    return this.tenants.acrossTenants(why, (manager) => manager.query(statement, values));
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

/** What only the operator's command may ask of the gateway: what they set, and the list of what they did. */
@Module({})
export class OperatorModule {
  /** `imports` provide ActionTrail, CreditTerms and OperatorPrices. */
  static with(imports: (Type | DynamicModule)[]): DynamicModule {
    return {
      module: OperatorModule,
      imports,
      controllers: [OperatorActions, OperatorTermsController],
      providers: [OperatorTerms],
    };
  }
}
