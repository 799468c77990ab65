import { z } from 'zod';
import { defineRequest, type ServiceName } from '../messages';
import { createdOnExample, described, filledText, RecordId, text, Timestamp } from '../vocabulary';

const actionsMax = 200;
const sealTimeoutMs = 120_000;

/** For the operator's command alone, never behind a public route: noted before it is tried, and ended with its outcome. */
export const beginOperatorAction = defineRequest({
  subject: 'gateway.operator-action.begin',
  request: described(
    'BeginOperatorActionRequest',
    'What an operator is about to do. With an organization it stands in that organization’s audit log as well.',
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
    'How to refer to it.',
    z.object({ OperatorActionID: z.int(), intent: z.string().nullable() }),
    { OperatorActionID: 7, intent: '12' },
  ),
});

/** Says how a begun action ended. An action that nobody ended stays `UNKNOWN`. */
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

/** What operators did, the youngest first. */
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
  'How many secrets were sealed with the present key, and how many no key opens.',
  z.object({ sealed: z.int().min(0), unopened: z.int().min(0) }),
  { sealed: 12, unopened: 0 },
);

function sealAgainBy<Name extends ServiceName>(service: Name) {
  return defineRequest({ subject: `${service}.secret.seal`, request: SealAgain, reply: SealedAgain, timeoutMs: sealTimeoutMs });
}

/** For the operator's command alone, after PARLEY_SECRET_KEY was changed: nothing stays behind under a former key. */
export const sealGatewaySecrets = sealAgainBy('gateway');
/** The same of the keys that organizations brought for their providers. */
export const sealProviderKeys = sealAgainBy('agent-config');
/** The same of the credentials for carriers. */
export const sealCarrierAccounts = sealAgainBy('telephony-bridge');
