import { assignPlan, readOperatorTerms, savePlan, setOperatorPrices } from '@parley/contracts';
import { z } from 'zod';
import { amountOrNone, byKind, CommandRefused, defineCommand, kindsOf, organizationOption } from '../command';

const planName = z.string().trim().min(1).max(60).meta({ description: 'the name of the plan', example: 'scale' });

export const setPricesCommand = defineCommand({
  words: 'prices set',
  summary: 'what a thousand units cost, for everybody or for one organization; none takes a price back',
  options: z.object({ organization: organizationOption.optional(), ...byKind(amountOrNone, 'units for a thousand') }),
  run: ({ organization, ...kinds }, operator) => {
    const prices = kindsOf(kinds);
    if (Object.keys(prices).length === 0) throw new CommandRefused('nothing to set: --ttt, --tts or --stt');
    const request = { OrgID: organization ?? null, prices };
    const place = organization === undefined ? {} : { orgId: organization };
    return operator.doing({ action: 'prices.set', request, ...place }, async () => {
      const set = await operator.bus.ask(setOperatorPrices, request, { principal: operator.principal() });
      return { result: { OrgID: set.OrgID, ...set.prices }, kept: set };
    });
  },
});

export const savePlanCommand = defineCommand({
  words: 'plan save',
  summary: 'define a plan of rate limits, as RATE_LIMIT_PLANS writes one; none takes it back',
  options: z.object({
    name: planName,
    limits: z.string().max(10_000).meta({ description: 'JSON', example: '{"key":{"chat":{"limit":6000,"windowSeconds":60}}}' }),
  }),
  run: ({ name, limits: text }, operator) => {
    const read = savePlan.request.safeParse({ name, limits: text === 'none' ? null : jsonOf(text) });
    if (!read.success) throw new CommandRefused(z.prettifyError(read.error).replaceAll(/\s*\n\s*/g, '; '));
    return operator.doing({ action: 'plan.save', request: { ...read.data } }, async () => {
      const result = await operator.bus.ask(savePlan, read.data, { principal: operator.principal() });
      return { result, kept: result };
    });
  },
});

export const assignPlanCommand = defineCommand({
  words: 'plan assign',
  summary: 'give an organization a plan; without --name, the one that it has without you',
  options: z.object({ organization: organizationOption, name: planName.optional() }),
  run: ({ organization: orgId, name = null }, operator) =>
    operator.doing({ action: 'plan.assign', orgId, request: { name } }, async () => {
      const result = await operator.bus.ask(assignPlan, { OrgID: orgId, name }, { principal: operator.principal() });
      return { result, kept: result };
    }),
});

export const showTermsCommand = defineCommand({
  words: 'terms show',
  summary: 'the prices and plans that were set by this command; others stand in the configuration',
  options: z.object({}),
  run: async (_, operator) => operator.bus.ask(readOperatorTerms, {}, { principal: operator.principal() }),
});

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new CommandRefused('--limits is no JSON');
  }
}
