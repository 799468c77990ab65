import { z } from 'zod';
import { defineEvent, defineRequest, type ServiceName } from '../messages';
import { createdOnExample, described, filledText, RecordId, text, Timestamp } from '../vocabulary';
import { creditKinds } from './credits';

const organizationsMax = 10_000;
const plansMax = 100;

/** The highest price that an operator can set. */
export const unitsPerThousandMax = 1_000_000;

const PriceOfKind = z.int().min(0).max(unitsPerThousandMax);
const Prices = z.record(z.enum(creditKinds), PriceOfKind);

/** The limits of request classes; a class that is left out has the limits of the standard plan. A misspelt name would limit nothing. */
const ClassQuota = z.strictObject({ limit: z.int().min(1).max(10_000_000), windowSeconds: z.int().min(1).max(86_400) });
const ClassQuotas = z.partialRecord(z.enum(['read', 'write', 'chat', 'speech', 'upload', 'ws-connect']), ClassQuota);
const PlanLimits = z.strictObject({ key: ClassQuotas.default({}), organization: ClassQuotas.default({}) });
const planExample = { key: { chat: { limit: 6_000, windowSeconds: 60 } }, organization: {} };

const PlanName = filledText(60);

/**
 * For the operator's command only: the price of a thousand tokens, characters or seconds, for everyone or for one organization.
 * Overrides CREDIT_PRICES; null removes it.
 */
export const setOperatorPrices = defineRequest({
  subject: 'gateway.operator-price.set',
  request: described(
    'SetOperatorPricesRequest',
    'Prices by kind; a kind that is not named keeps its price.',
    z.object({ OrgID: RecordId.nullable(), prices: z.partialRecord(z.enum(creditKinds), PriceOfKind.nullable()) }),
    { OrgID: null, prices: { TTS_API: 1_500 } },
  ),
  reply: described(
    'OperatorPrices',
    'The current prices, either of all organizations or of the one named.',
    z.object({ OrgID: z.int().nullable(), prices: Prices }),
    { OrgID: null, prices: { TTT_API: 1_000, TTS_API: 1_500, STT_API: 1_000 } },
  ),
});

/** Defines a plan; null removes it. Overrides one of the same name in RATE_LIMIT_PLANS. */
export const savePlan = defineRequest({
  subject: 'gateway.operator-plan.save',
  request: described('SavePlanRequest', 'A plan by its name.', z.object({ name: PlanName, limits: PlanLimits.nullable() }), {
    name: 'scale',
    limits: planExample,
  }),
  reply: described('SavedPlan', 'The plan.', z.object({ name: PlanName }), { name: 'scale' }),
});

/** Assigns a plan to an organization; null restores the standard one, or that of ORGANIZATION_PLANS. */
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

/** The operator's settings, and those of the configuration. */
export const readOperatorTerms = defineRequest({
  subject: 'gateway.operator-term.read',
  request: described('OperatorTermsRequest', 'No input.', z.object({}), {}),
  reply: described(
    'OperatorTerms',
    'Prices, plans and which organization has which plan.',
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

/** Tells every gateway to reread the operator's terms. */
export const operatorTermsChanged = defineEvent({
  subject: 'gateway.operator-term.changed',
  payload: described('OperatorTermsChanged', 'Prices or plans were changed.', z.object({}), {}),
});

const actionsMax = 200;
const sealTimeoutMs = 120_000;

/** For the operator's command only, never for clients: recorded before the attempt, and completed with its outcome. */
export const beginOperatorAction = defineRequest({
  subject: 'gateway.operator-action.begin',
  request: described(
    'BeginOperatorActionRequest',
    'What an operator is about to do. With an organization it is also written to that organization’s audit log.',
    z.object({
      operator: filledText(80),
      action: filledText(60),
      OrgID: RecordId.nullable(),
      request: z.record(z.string().max(60), z.unknown()),
    }),
    { operator: 'asha', action: 'credits.grant', OrgID: 1, request: { kind: 'TTT_API', units: 50_000 } },
  ),
  reply: described(
    'BegunOperatorAction',
    'The id of the action.',
    z.object({ OperatorActionID: z.int(), intent: z.string().nullable() }),
    { OperatorActionID: 7, intent: '12' },
  ),
});

/** Records how an action ended. Without it, the action stays `UNKNOWN`. */
export const endOperatorAction = defineRequest({
  subject: 'gateway.operator-action.end',
  request: described(
    'EndOperatorActionRequest',
    'How it ended: `OK` or an error code.',
    z.object({
      OperatorActionID: RecordId,
      intent: z.string().max(20).nullable(),
      OrgID: RecordId.nullable(),
      outcome: filledText(60),
      reply: z.record(z.string().max(60), z.unknown()),
    }),
    { OperatorActionID: 7, intent: '12', OrgID: 1, outcome: 'OK', reply: { available: 50_000 } },
  ),
  reply: described('EndedOperatorAction', 'The action.', z.object({ OperatorActionID: z.int() }), { OperatorActionID: 7 }),
});

/** What operators did, newest first. */
export const listOperatorActions = defineRequest({
  subject: 'gateway.operator-action.list',
  request: described('OperatorActionsRequest', 'How many.', z.object({ count: z.int().min(1).max(actionsMax).default(50) }), {
    count: 20,
  }),
  reply: described(
    'OperatorActions',
    'Actions of operators.',
    z
      .array(
        z.object({
          OperatorActionID: z.int(),
          operator: z.string(),
          action: z.string(),
          OrgID: z.int().nullable(),
          request: z.record(z.string(), z.unknown()),
          outcome: text(60),
          CreatedOn: Timestamp,
        }),
      )
      .max(actionsMax),
    [
      {
        OperatorActionID: 7,
        operator: 'asha',
        action: 'credits.grant',
        OrgID: 1,
        request: { kind: 'TTT_API', units: 50_000 },
        outcome: 'OK',
        CreatedOn: createdOnExample,
      },
    ],
  ),
});

const SealAgain = described('SealAgainRequest', 'No input.', z.object({}), {});

const SealedAgain = described(
  'SealedAgain',
  'How many secrets were sealed with the current key, and how many no key can open.',
  z.object({ sealed: z.int().min(0), unopened: z.int().min(0) }),
  { sealed: 12, unopened: 0 },
);

function sealAgainBy(service: ServiceName) {
  return defineRequest({ subject: `${service}.secret.seal`, request: SealAgain, reply: SealedAgain, timeoutMs: sealTimeoutMs });
}

/** For the operator's command only, after PARLEY_SECRET_KEY was changed: re-seals everything with the new key. */
export const sealGatewaySecrets = sealAgainBy('gateway');
/** The same for the provider keys of organizations. */
export const sealProviderKeys = sealAgainBy('agent-config');
/** The same for the carriers' credentials. */
export const sealCarrierAccounts = sealAgainBy('telephony-bridge');

const RemovalState = z.enum(['NOT_ASKED', 'ENDING', 'ERASING', 'DONE']);

const RemovalRequest = described(
  'OrganizationRemovalRequest',
  'One organization, deleted or not.',
  z.object({ OrgID: RecordId }),
  {
    OrgID: 7,
  },
);
const Removal = described(
  'OrganizationRemoval',
  'How far its removal is, what it waits for, its rows by table (counted up to a hundred thousand each), and what is kept of it.',
  z.object({
    state: RemovalState,
    waitsFor: z.string().nullable(),
    rows: z.record(z.string(), z.int().min(0)),
    kept: z.record(z.string(), z.unknown()),
  }),
  { state: 'DONE', waitsFor: null, rows: {}, kept: {} },
);

/** What a service has of an organization, and how far its removal is. Also makes it go on at once. */
export function removalIn(service: ServiceName) {
  return defineRequest({
    subject: `${service}.organization.removal`,
    onlyReads: false,
    request: RemovalRequest,
    reply: Removal,
  });
}

/** For the operator's command only, of each service that keeps something. */
export const removalInGateway = removalIn('gateway');

/**
 * For the operator's command only: deletes an organization. Each service that keeps something learns of it by the event, ends what is
 * under way, and erases its part. Asked again, it tells them again.
 */
export const deleteOrganization = defineRequest({
  subject: 'team-sales.organization.delete',
  request: described(
    'DeleteOrganizationRequest',
    'The organization, its name as a safeguard against a mistyped number, and who deletes it.',
    z.object({ OrgID: RecordId, OrganizationName: filledText(120), operator: filledText(80) }),
    { OrgID: 7, OrganizationName: 'Corner Shop', operator: 'asha' },
  ),
  reply: described(
    'DeletedOrganization',
    'The organization, and since when it is being deleted.',
    z.object({ OrgID: z.int(), OrganizationName: z.string(), deletedOn: Timestamp }),
    { OrgID: 7, OrganizationName: 'Corner Shop', deletedOn: createdOnExample },
  ),
});

/** An organization that is being deleted, as long as its name is known. */
export const findDeletedOrganization = defineRequest({
  subject: 'team-sales.organization.find-deleted',
  request: described('FindDeletedOrganizationRequest', 'Its number.', z.object({ OrgID: RecordId }), { OrgID: 7 }),
  reply: described(
    'FoundDeletedOrganization',
    'Its name; null if no such organization was deleted.',
    z.object({ OrganizationName: z.string().nullable() }),
    { OrganizationName: 'Corner Shop' },
  ),
});

/**
 * Every service that keeps something of it erases that, whatever the order in which it learns. It is an event of no organization, or it
 * would be erased with the outbox.
 */
export const organizationDeleted = defineEvent({
  subject: 'team-sales.organization.deleted',
  payload: described(
    'OrganizationDeleted',
    'An organization was deleted, and by whom.',
    z.object({ OrgID: RecordId, OrganizationName: z.string(), operator: z.string() }),
    { OrgID: 7, OrganizationName: 'Corner Shop', operator: 'asha' },
  ),
});
