import { type CreditKind, creditKinds } from '@parley/contracts';
import { commaList, duration, integer } from '@parley/service-kit';
import { z } from 'zod';
import { balanceMax } from './operation';
import type { Prices } from './operator-prices';

/** `TTT_API=1000,TTS_API=0`; a kind that is not named gets nothing. */
const InitialCredits = commaList()
  .default([])
  .transform((parts, context): Record<CreditKind, number> => {
    const credits: Record<CreditKind, number> = { TTT_API: 0, TTS_API: 0, STT_API: 0 };
    for (const part of parts) {
      const [name, units] = part.split('=').map((word) => word.trim());
      const kind = creditKinds.find((known) => known === name);
      if (!kind || !/^\d{1,13}$/.test(units ?? '') || Number(units) > balanceMax) {
        context.addIssue({ code: 'custom', message: `takes KIND=UNITS, where KIND is one of ${creditKinds.join(', ')}` });
        return z.NEVER;
      }
      credits[kind] = Number(units);
    }
    return credits;
  });

const usualPrice = 1_000;
const priceMax = 1_000_000;

/** `TTS_API=1500,STT_API=1000`; a kind that is not named costs one unit each. */
const PriceList = commaList()
  .default([])
  .transform((parts, context): Prices => pricesOf(parts) ?? notUnderstood(context, pricesForm));

/** `7:TTS_API=1200,7:STT_API=0,9:TTT_API=500`: organizations with prices of their own. */
const OrganizationPriceList = commaList()
  .default([])
  .transform((parts, context): Map<number, Prices> => {
    const prices = new Map<number, Prices>();
    const named = parts.map((part) => /^(\d{1,9}):(.*)$/.exec(part.trim()));
    for (const [orgId, own] of Map.groupBy(named, (match) => Number(match?.[1] ?? Number.NaN))) {
      const found = Number.isInteger(orgId) ? pricesOf(own.map((match) => match?.[2] ?? '')) : undefined;
      if (!found) return notUnderstood(context, `ORGANIZATION:${pricesForm}`);
      prices.set(orgId, found);
    }
    return prices;
  });

const pricesForm = `KIND=UNITS, where KIND is one of ${creditKinds.join(', ')} and UNITS at most ${priceMax}`;

function pricesOf(parts: readonly string[]): Prices | undefined {
  const prices: Record<CreditKind, number> = { TTT_API: usualPrice, TTS_API: usualPrice, STT_API: usualPrice };
  for (const part of parts) {
    const [name, units = ''] = part.split('=').map((word) => word.trim());
    const kind = creditKinds.find((known) => known === name);
    if (!kind || !/^\d{1,7}$/.test(units) || Number(units) > priceMax) return undefined;
    prices[kind] = Number(units);
  }
  return prices;
}

function notUnderstood(context: z.RefinementCtx, form: string): never {
  context.addIssue({ code: 'custom', message: `takes ${form}` });
  return z.NEVER;
}

const LowAt = commaList().transform((parts, context): number[] => {
  if (parts.length <= 10 && parts.every((part) => /^\d{1,12}$/.test(part))) return parts.map(Number);
  context.addIssue({ code: 'custom', message: 'takes at most ten whole numbers' });
  return z.NEVER;
});

/** What an operator can set about credits. */
export const creditVariables = {
  PARLEY_INITIAL_CREDITS: InitialCredits.meta({
    description:
      'What a new organization is granted, once: tokens (TTT_API), characters (TTS_API) and audio seconds (STT_API). ' +
      'Without it, nothing; on one machine (npm start, npm run cluster) plenty of each.',
    example: 'TTT_API=1000000,TTS_API=100000,STT_API=36000',
  }),
  CREDITS_LOW_AT: LowAt.default([10_000, 1_000]).meta({
    description: 'Balances below which a new organization is told that credits run low; it may choose its own later.',
    example: '10000,1000',
  }),
  CREDIT_HOLD_TIME: duration().default(600_000).meta({
    description: 'How long credits stay held when the gateway that held them died. It must be longer than the longest call.',
    example: '10m',
  }),
  CREDIT_TOKENS_PER_TURN: integer({ min: 1, max: 1_000_000 })
    .default(1_000)
    .meta({
      description:
        'How many tokens are held before a usual question is answered. A long question holds more, a turn that comes to need more ' +
        'asks for it, and what was really used is charged after.',
      example: '1000',
    }),
  CREDIT_PRICES: PriceList.meta({
    description: 'What a thousand tokens, characters or seconds cost, in units of credit. Only the operator sets prices.',
    example: 'TTT_API=1000,TTS_API=1500,STT_API=1000',
  }),
  ORGANIZATION_CREDIT_PRICES: OrganizationPriceList.meta({
    description: 'Prices of organizations that have others than the usual ones.',
    example: '7:TTS_API=1200,9:STT_API=500',
  }),
};

/** The part of the gateway's configuration that is about credits. */
export const CreditVariables = z.object(creditVariables);
export type CreditVariables = z.output<typeof CreditVariables>;
