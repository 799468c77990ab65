import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import {
  type CreditKind,
  creditKinds,
  followTranscription,
  streamTurn,
  synthesizeSpeech,
  unitsPerThousandMax,
} from '@parley/contracts';
import { TenantScope } from '@parley/database';
import { choice, commaList, duration, integer, writtenDuration } from '@parley/service-kit';
import { z } from 'zod';
import { balanceMax } from './books';
import type { Prices } from './operation';
import { CreditTerms } from './credit-book';

/** `TTT_API=1000,TTS_API=0`; a kind that is not listed gets nothing. */
const InitialCredits = commaList()
  .default([])
  .transform((parts, context): Record<CreditKind, number> => {
    const credits = { TTT_API: 0, TTS_API: 0, STT_API: 0 };
    const given = amountsIn(parts, balanceMax);
    return given ? { ...credits, ...given } : notUnderstood(context);
  })
  .meta({ expected: `pairs of a kind (${creditKinds.join(', ')}) and a whole number between commas, each kind once` });

const usualPrice = 1_000;

/** `TTS_API=1500,STT_API=1000`; a kind that is not listed costs one credit per unit. */
const PriceList = commaList()
  .default([])
  .transform((parts, context): Prices => pricesOf(parts) ?? notUnderstood(context))
  .meta({
    expected: `pairs of a kind (${creditKinds.join(', ')}) and a whole number up to ${unitsPerThousandMax} between commas, each kind once`,
  });

/** `7:TTS_API=1200,7:STT_API=0,9:TTT_API=500`: organizations with prices of their own. */
const OrganizationPriceList = commaList()
  .default([])
  .transform((parts, context): Map<number, Prices> => {
    const prices = new Map<number, Prices>();
    const named = parts.map((part) => /^(\d{1,9}):(.*)$/.exec(part.trim()));
    for (const [orgId, own] of Map.groupBy(named, (match) => Number(match?.[1] ?? Number.NaN))) {
      const found = Number.isInteger(orgId) ? pricesOf(own.map((match) => match?.[2] ?? '')) : undefined;
      if (!found) return notUnderstood(context);
      prices.set(orgId, found);
    }
    return prices;
  })
  .meta({ expected: 'an organization’s number, a colon and a price, such as 7:TTS_API=1200, between commas' });

function pricesOf(parts: readonly string[]): Prices | undefined {
  const given = amountsIn(parts, unitsPerThousandMax);
  return given && { TTT_API: usualPrice, TTS_API: usualPrice, STT_API: usualPrice, ...given };
}

/** `TTT_API=1000`; undefined if a part is no such pair, or a kind is named twice. */
function amountsIn(parts: readonly string[], max: number): Partial<Record<CreditKind, number>> | undefined {
  const amounts: Partial<Record<CreditKind, number>> = {};
  for (const part of parts) {
    const [name, units = ''] = part.split('=').map((word) => word.trim());
    const kind = creditKinds.find((known) => known === name);
    if (!kind || kind in amounts || !/^\d{1,13}$/.test(units) || Number(units) > max) return undefined;
    amounts[kind] = Number(units);
  }
  return amounts;
}

/** What would be understood is what the variable expects. */
function notUnderstood(context: z.RefinementCtx): never {
  context.addIssue({ code: 'custom' });
  return z.NEVER;
}

const LowAt = commaList()
  .refine((parts) => parts.length <= 10 && parts.every((part) => /^\d{1,12}$/.test(part)))
  .transform((parts): number[] => parts.map(Number))
  .meta({ expected: 'at most ten whole numbers between commas' });

/** A hold that expired while its request is answered could be spent a second time. */
const longestRequestMs = Math.max(...[streamTurn, followTranscription, synthesizeSpeech].map(({ timeoutMs }) => timeoutMs));

/** What an operator can set about credits. */
export const creditVariables = {
  PARLEY_INITIAL_CREDITS: InitialCredits.meta({
    description:
      'The credits that a new organization is granted once: tokens (TTT_API), characters (TTS_API) and audio seconds (STT_API). ' +
      'By default none; on one machine (npm start, npm run cluster) plenty of each.',
    example: 'TTT_API=1000000,TTS_API=100000,STT_API=36000',
  }),
  CREDITS_LOW_AT: LowAt.default([10_000, 1_000]).meta({
    description: 'Balances at which a new organization is notified that credits run low; it can set its own later.',
    example: '10000,1000',
  }),
  CREDIT_TOP_UPS: choice(['owners', 'operator'])
    .default('owners')
    .meta({
      description:
        'Who adds credits: by default the Owners of an organization too, by `POST credits/top-up`, so that credits are its own budget and no payment to ' +
        'the operator; with `operator` that route is refused with 403, and only the operator’s command grants credits.',
      example: 'operator',
    }),
  CREDIT_HOLD_TIME: duration({ min: writtenDuration(longestRequestMs), max: '24h' })
    .default(600_000)
    .meta({
      description:
        'How long credits stay held after the gateway that held them has died: at least as long as the longest request that is paid for.',
      example: '10m',
    }),
  CREDIT_TOKENS_PER_TURN: integer({ min: 1, max: 1_000_000 }).default(1_000).meta({
    description:
      'How many tokens are held before an ordinary question is answered. A long question holds more, a turn that needs more extends the hold, and the actual usage is charged afterwards.',
    example: '1000',
  }),
  CREDIT_PRICES: PriceList.meta({
    description: 'What a thousand tokens, characters or seconds cost, in units of credit. Only the operator sets prices.',
    example: 'TTT_API=1000,TTS_API=1500,STT_API=1000',
  }),
  ORGANIZATION_CREDIT_PRICES: OrganizationPriceList.meta({
    description: 'Prices of organizations that differ from the standard ones.',
    example: '7:TTS_API=1200,9:STT_API=500',
  }),
  LEDGER_MONTHS: integer({ min: 3, max: 600 }).default(25).meta({
    description:
      'How many whole months lines of the credit ledger are listed. Each month is then summed up, and its lines are moved to files under archive/ledger.',
    example: '25',
  }),
};

/** The credit settings of the gateway's configuration. */
export const CreditVariables = z.object(creditVariables);
export type CreditVariables = z.output<typeof CreditVariables>;

/** Updates the prices of accounts to the operator's: when a gateway starts, and whenever they change. */
@Injectable()
export class OperatorPrices implements OnApplicationBootstrap {
  constructor(
    private readonly tenants: TenantScope,
    private readonly terms: CreditTerms,
  ) {}

  /** Updates only accounts whose prices differ; new accounts start with the right prices. */
  onApplicationBootstrap(): Promise<void> {
    return this.updateAccounts();
  }

  /** Applies new prices, to new and existing accounts. */
  async replace({ prices, organizationPrices }: Pick<CreditTerms, 'prices' | 'organizationPrices'>): Promise<void> {
    this.terms.prices = prices;
    this.terms.organizationPrices = organizationPrices;
    await this.updateAccounts();
  }

  private async updateAccounts(): Promise<void> {
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
      manager.query(updatePrices, values),
    );
  }
}

const updatePrices = `
  UPDATE credit_accounts a SET units_per_thousand = price.units
  FROM (
    SELECT org_id, kind, units FROM unnest($3::int[], $4::text[], $5::int[]) AS own (org_id, kind, units)
    UNION ALL SELECT NULL, kind, units FROM unnest($1::text[], $2::int[]) AS usual (kind, units)
  ) price
  WHERE price.kind = a.kind AND a.units_per_thousand <> price.units
    AND (price.org_id = a.org_id OR (price.org_id IS NULL AND NOT a.org_id = ANY($3::int[])))`;
