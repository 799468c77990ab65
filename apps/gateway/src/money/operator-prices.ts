import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { type CreditKind, creditKinds } from '@parley/contracts';
import { TenantScope } from '@parley/database';
import { CreditTerms } from './credit-book';

/** What a thousand tokens, characters or seconds cost, by kind. */
export type Prices = Readonly<Record<CreditKind, number>>;

/** Brings the prices of the accounts in step with what the operator says: when a gateway starts, and whenever that changes. */
@Injectable()
export class OperatorPrices implements OnApplicationBootstrap {
  constructor(
    private readonly tenants: TenantScope,
    private readonly terms: CreditTerms,
  ) {}

  /** Accounts that are as configured are not touched; a new one starts with its price. */
  onApplicationBootstrap(): Promise<void> {
    return this.bringInStep();
  }

  /** Other prices from here on, for new accounts and for those that there are. */
  async replace({ prices, organizationPrices }: Pick<CreditTerms, 'prices' | 'organizationPrices'>): Promise<void> {
    this.terms.prices = prices;
    this.terms.organizationPrices = organizationPrices;
    await this.bringInStep();
  }

  private async bringInStep(): Promise<void> {
    const { prices, organizationPrices } = this.terms;
    const own = [...organizationPrices].flatMap(([orgId, of]) => creditKinds.map((kind) => ({ orgId, kind, price: of[kind] })));
    const values = [
      creditKinds,
      creditKinds.map((kind) => prices[kind]),
      own.map(({ orgId }) => orgId),
      own.map(({ kind }) => kind),
      own.map(({ price }) => price),
    ];
    await this.tenants.acrossTenants('prices are the operator’s, for every organization', (manager) =>
      manager.query(bringInStep, values),
    );
  }
}

const bringInStep = `
  UPDATE credit_accounts a SET units_per_thousand = price.units
  FROM (
    SELECT org_id, kind, units FROM unnest($3::int[], $4::text[], $5::int[]) AS own (org_id, kind, units)
    UNION ALL SELECT NULL, kind, units FROM unnest($1::text[], $2::int[]) AS usual (kind, units)
  ) price
  WHERE price.kind = a.kind AND a.units_per_thousand <> price.units
    AND (price.org_id = a.org_id OR (price.org_id IS NULL AND NOT a.org_id = ANY($3::int[])))`;
