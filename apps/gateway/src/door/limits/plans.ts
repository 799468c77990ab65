import { z } from 'zod';
import type { Endpoint } from '../../endpoint/endpoint';
import { changesSomething } from '../../endpoint/gateway-call';

/** Kinds of requests that are limited separately: a page of a list costs less than a minute of speech. */
const rateClasses = ['read', 'write', 'chat', 'speech', 'upload', 'ws-connect'] as const;
export type RateClass = (typeof rateClasses)[number];

/** The rate class of an endpoint. */
export function rateClassOf(endpoint: Endpoint): RateClass {
  if (endpoint.method === 'WS') return 'ws-connect';
  if (endpoint.charges) return endpoint.charges.includes('TTT_API') ? 'chat' : 'speech';
  if ('accepts' in endpoint && endpoint.accepts.includes('multipart/form-data')) return 'upload';
  return changesSomething(endpoint) ? 'write' : 'read';
}

/** A number per window: may be used all at once, and is refilled evenly. */
const Quota = z.object({ limit: z.int().min(1).max(10_000_000), windowSeconds: z.int().min(1).max(86_400) });
export type Quota = z.output<typeof Quota>;

const Quotas = z.record(z.enum(rateClasses), Quota);

/** What one key and one whole organization may do, by class of request. */
export const Plan = z.object({ key: Quotas, organization: Quotas });
export type Plan = z.output<typeof Plan>;

function perMinute(limits: Record<RateClass, number>): z.output<typeof Quotas> {
  const quota = (name: RateClass): Quota => ({ limit: limits[name], windowSeconds: 60 });
  return {
    read: quota('read'),
    write: quota('write'),
    chat: quota('chat'),
    speech: quota('speech'),
    upload: quota('upload'),
    'ws-connect': quota('ws-connect'),
  };
}

/** The plan of every organization that was not assigned another. */
export const standardPlan: Plan = {
  key: perMinute({ read: 1_200, write: 600, chat: 600, speech: 300, upload: 60, 'ws-connect': 120 }),
  organization: perMinute({ read: 6_000, write: 3_000, chat: 3_000, speech: 1_500, upload: 120, 'ws-connect': 600 }),
};

/** The limit for clients without a key, counted by address. */
export const publicQuota: Quota = { limit: 600, windowSeconds: 60 };

const PartialQuotas = z.partialRecord(z.enum(rateClasses), Quota);
const plansMax = 100;

/** Plans as an operator writes them: a JSON object by name; what a plan leaves out is as in the standard plan. */
export const PlanList = z
  .string()
  .transform(parseJson)
  .pipe(z.record(z.string().max(60), z.strictObject({ key: PartialQuotas.default({}), organization: PartialQuotas.default({}) })))
  .refine((plans) => Object.keys(plans).length <= plansMax, `at most ${plansMax} plans`)
  .transform((plans) => new Map(Object.entries(plans).map(([name, plan]) => [name, completed(plan)])))
  .meta({ expected: 'a JSON object such as {"scale":{"key":{"chat":{"limit":6000,"windowSeconds":60}}}}' });

/** Which organization has which plan: `7=scale`. */
export const PlanAssignments = z
  .string()
  .transform((text) =>
    text
      .split(',')
      .map((each) => each.trim())
      .filter((each) => each !== ''),
  )
  .pipe(z.array(z.string().regex(/^\d{1,9}=[^=]{1,60}$/)).max(10_000))
  .transform((pairs) => pairs.map((pair) => [Number(pair.split('=')[0]), pair.slice(pair.indexOf('=') + 1)] as const))
  .refine((pairs) => new Set(pairs.map(([orgId]) => orgId)).size === pairs.length, 'an organization is named twice')
  .transform((pairs) => new Map(pairs))
  .meta({ expected: 'pairs of an organization and a plan between commas, such as 7=scale,9=trial' });

/** A plan completed from the standard one. */
export function completed({
  key,
  organization,
}: {
  key: Partial<Plan['key']>;
  organization: Partial<Plan['organization']>;
}): Plan {
  return { key: { ...standardPlan.key, ...key }, organization: { ...standardPlan.organization, ...organization } };
}

function parseJson(text: string, context: z.RefinementCtx): unknown {
  try {
    return JSON.parse(text);
  } catch {
    context.addIssue({ code: 'custom', message: 'expected JSON' });
    return z.NEVER;
  }
}
