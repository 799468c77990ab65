import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { type CreditKind, creditKinds, type readOperatorTerms } from '@parley/contracts';
import { TenantScope } from '@parley/database';
import { Logger } from '@parley/service-kit';
import type { z } from 'zod';
import { completed } from '../door/limits/plans';
import { type Plans, RateLimits } from '../door/limits/rate-limits';
import { CreditTerms } from '../money/credit-book';
import { OperatorPrices, type Prices } from '../money/operator-prices';

type Terms = z.output<typeof readOperatorTerms.reply>;

const why = 'prices and plans are the operator’s, for every organization';
/** The news of a change may be lost on its way; then it takes this long. */
const readEveryMs = 60_000;
const rowsMax = 10_000;

/** What the configuration says, beneath what was set later. */
interface ConfiguredTerms extends Plans {
  readonly prices: Prices;
  readonly organizationPrices: ReadonlyMap<number, Prices>;
}

/** Keeps this gateway's prices and plans in step with what operators have set, which goes before its configuration. */
@Injectable()
export class OperatorTerms implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly configured: ConfiguredTerms;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly tenants: TenantScope,
    private readonly prices: OperatorPrices,
    private readonly limits: RateLimits,
    private readonly log: Logger,
    terms: CreditTerms,
  ) {
    this.configured = { ...limits.plans, prices: terms.prices, organizationPrices: terms.organizationPrices };
  }

  async onApplicationBootstrap(): Promise<void> {
    await this.renew();
    this.timer = setInterval(() => void this.renewQuietly(), readEveryMs);
    this.timer.unref();
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
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

  /** Reads them again and puts them into force here. */
  async renew(): Promise<void> {
    const set = await this.read();
    this.limits.replace(plansWith(this.configured, set));
    await this.prices.replace(pricesWith(this.configured, set));
  }

  private async renewQuietly(): Promise<void> {
    await this.renew().catch((error: unknown) => this.log.warn('Prices and plans could not be read again', { err: error }));
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
