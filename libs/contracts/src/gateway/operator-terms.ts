import { z } from 'zod';
import { defineEvent, defineRequest } from '../messages';
import { described, filledText, RecordId } from '../vocabulary';
import { creditKinds } from './credits';

const organizationsMax = 10_000;
const plansMax = 100;

const PriceOfKind = z.int().min(0).max(1_000_000);
const Prices = z.record(z.enum(creditKinds), PriceOfKind);

/** What the classes of requests may do, as the standard plan says it where a class is left out. */
const ClassQuota = z.object({ limit: z.int().min(1).max(10_000_000), windowSeconds: z.int().min(1).max(86_400) });
const ClassQuotas = z.partialRecord(z.enum(['read', 'write', 'chat', 'speech', 'upload', 'ws-connect']), ClassQuota);
const PlanLimits = z.object({ key: ClassQuotas.default({}), organization: ClassQuotas.default({}) });
const planExample = { key: { chat: { limit: 6_000, windowSeconds: 60 } }, organization: {} };

const PlanName = filledText(60);

/**
 * For the operator's command alone: what a thousand tokens, characters or seconds cost, for everybody or for one organization. What
 * is set here goes before CREDIT_PRICES; null takes it back.
 */
export const setOperatorPrices = defineRequest({
  subject: 'gateway.operator-price.set',
  request: described(
    'SetOperatorPricesRequest',
    'Prices by kind; a kind that is not named stays as it is.',
    z.object({ OrgID: RecordId.nullable(), prices: z.partialRecord(z.enum(creditKinds), PriceOfKind.nullable()) }),
    { OrgID: null, prices: { TTS_API: 1_500 } },
  ),
  reply: described(
    'OperatorPrices',
    'The prices as they stand, of everybody or of the organization.',
    z.object({ OrgID: z.int().nullable(), prices: Prices }),
    { OrgID: null, prices: { TTT_API: 1_000, TTS_API: 1_500, STT_API: 1_000 } },
  ),
});

/** Defines a plan, or takes it back with null. It goes before one of the same name in RATE_LIMIT_PLANS. */
export const savePlan = defineRequest({
  subject: 'gateway.operator-plan.save',
  request: described('SavePlanRequest', 'A plan by its name.', z.object({ name: PlanName, limits: PlanLimits.nullable() }), {
    name: 'scale',
    limits: planExample,
  }),
  reply: described('SavedPlan', 'The plan.', z.object({ name: PlanName }), { name: 'scale' }),
});

/** Gives an organization a plan; null gives it back the standard one, or that of ORGANIZATION_PLANS. */
export const assignPlan = defineRequest({
  subject: 'gateway.organization-plan.set',
  request: described('AssignPlanRequest', 'Who gets which plan.', z.object({ OrgID: RecordId, name: PlanName.nullable() }), {
    OrgID: 7,
    name: 'scale',
  }),
  reply: described('AssignedPlan', 'The plan.', z.object({ OrgID: z.int(), name: PlanName.nullable() }), {
    OrgID: 7,
    name: 'scale',
  }),
});

/** What the operator has set, beside what stands in the configuration. */
export const readOperatorTerms = defineRequest({
  subject: 'gateway.operator-term.read',
  request: described('OperatorTermsRequest', 'No input.', z.object({}), {}),
  reply: described(
    'OperatorTerms',
    'Prices, plans and who has which.',
    z.object({
      prices: z.array(z.object({ OrgID: z.int().nullable(), kind: z.enum(creditKinds), unitsPerThousand: PriceOfKind })),
      plans: z.array(z.object({ name: PlanName, limits: PlanLimits })).max(plansMax),
      assignments: z.array(z.object({ OrgID: z.int(), name: PlanName })).max(organizationsMax),
    }),
    {
      prices: [{ OrgID: null, kind: 'TTS_API', unitsPerThousand: 1_500 }],
      plans: [{ name: 'scale', limits: planExample }],
      assignments: [{ OrgID: 7, name: 'scale' }],
    },
  ),
});

/** Tells every gateway that the operator's terms are to be read again. */
export const operatorTermsChanged = defineEvent({
  subject: 'gateway.operator-term.changed',
  payload: described('OperatorTermsChanged', 'Prices or plans were changed.', z.object({}), {}),
});
