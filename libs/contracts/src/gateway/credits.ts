import { z } from 'zod';
import { defineEvent, defineRequest, defineStream } from '../messages';
import {
  agentKeyExample,
  createdOnExample,
  CsvPart,
  described,
  Nothing,
  OptionalDateBound,
  paging,
  RecordId,
  startAfterEnd,
  startsBeforeEnd,
  text,
  Timestamp,
  unarchivedListOf,
  TurnsPayer,
  Uuid,
} from '../vocabulary';
import { UsedCredits } from './keys';

export const creditKinds = ['TTT_API', 'TTS_API', 'STT_API'] as const;
export type CreditKind = (typeof creditKinds)[number];

const CreditKindName = z.enum(creditKinds);
const unitsMax = 1_000_000_000_000;
const Units = z.int().min(0).max(unitsMax);

const CreditBalance = described(
  'CreditBalance',
  'The remaining credits of one kind, in its own unit, what a thousand cost, and the balances at which the organization is notified that credits run low.',
  z.object({
    kind: CreditKindName,
    unit: z.enum(['tokens', 'characters', 'audioSeconds']),
    balance: Units,
    held: Units,
    available: Units,
    unitsPerThousand: z.int(),
    lowAt: z.array(Units),
  }),
  {
    kind: 'TTT_API',
    unit: 'tokens',
    balance: 100_000,
    held: 800,
    available: 99_200,
    unitsPerThousand: 1000,
    lowAt: [10_000, 1000],
  },
);

export const getCreditBalance = defineRequest({
  subject: 'gateway.credit.balance',
  onlyReads: true,
  request: Nothing,
  reply: described('CreditBalances', 'Every balance of the organization.', z.object({ balances: z.array(CreditBalance) }), {
    balances: [
      { kind: 'TTS_API', unit: 'characters', balance: 50_000, held: 0, available: 50_000, unitsPerThousand: 1000, lowAt: [1000] },
    ],
  }),
});

export const topUpCredits = defineRequest({
  subject: 'gateway.credit.top-up',
  request: described(
    'TopUpRequest',
    'How much to add.',
    z.object({
      kind: CreditKindName,
      units: z.int().min(1).max(1_000_000_000),
      note: text(200).default(''),
      reference: Uuid.optional().meta({
        description:
          'Identifies this top-up: the same reference adds credits only once, however often it is sent. With another kind or amount it is a 409.',
      }),
    }),
    { kind: 'STT_API', units: 3600, note: 'March invoice' },
  ),
  reply: CreditBalance,
});

const UsageRow = described(
  'CreditUsageRow',
  'One line of the append-only ledger. `units` is negative when credits were spent; `unpaidUnits` were used when no credits were left.',
  z.object({
    CreditEntryKeyID: Uuid,
    CreditEntryID: z.int(),
    kind: CreditKindName,
    entry: z.enum(['GRANT', 'TOP_UP', 'CHARGE', 'ADJUSTMENT']),
    units: z.int(),
    unpaidUnits: Units,
    balanceAfter: Units,
    AgentKeyID: Uuid.nullable(),
    AgentID: z.int().nullable(),
    IntegrationKeyID: Uuid.nullable(),
    IntegrationID: z.int().nullable(),
    requestId: z.string().nullable(),
    note: z.string(),
    CreatedOn: Timestamp,
  }),
  {
    CreditEntryKeyID: 'a3a1f6c2-0b1d-4c2e-9d3f-4e5f60718293',
    CreditEntryID: 910,
    kind: 'TTT_API',
    entry: 'CHARGE',
    units: -412,
    unpaidUnits: 0,
    balanceAfter: 99_588,
    AgentKeyID: agentKeyExample,
    AgentID: 12,
    IntegrationKeyID: null,
    IntegrationID: null,
    requestId: 'req-1',
    note: '',
    CreatedOn: createdOnExample,
  },
);

const usageFilters = {
  kind: CreditKindName.nullish(),
  startDate: OptionalDateBound,
  endDate: OptionalDateBound,
  AgentKeyID: Uuid.nullish(),
  IntegrationKeyID: Uuid.nullish(),
};

export const listCreditUsage = defineRequest({
  subject: 'gateway.credit.usage',
  onlyReads: true,
  request: described(
    'CreditUsageRequest',
    'Which lines of the ledger to return.',
    z.object({ ...usageFilters, ...paging(['CreatedOn', 'units', 'kind']) }).refine(startsBeforeEnd, startAfterEnd),
    { kind: 'TTT_API', startDate: '2026-03-01', endDate: '2026-03-31', pageNo: 1, pageSize: 50 },
  ),
  reply: unarchivedListOf('CreditUsagePage', UsageRow),
});

export const exportCreditUsage = defineStream({
  subject: 'gateway.credit.export',
  request: described(
    'CreditUsageExportRequest',
    'Which lines of the ledger to return.',
    z.object(usageFilters).refine(startsBeforeEnd, startAfterEnd),
    { startDate: '2026-03-01', endDate: '2026-03-31' },
  ),
  item: CsvPart,
});

export const creditsLow = defineEvent({
  subject: 'gateway.credit.low',
  payload: described(
    'CreditsLow',
    'A balance fell below one of its thresholds.',
    z.object({ kind: CreditKindName, available: Units, threshold: Units }),
    { kind: 'TTS_API', available: 980, threshold: 1000 },
  ),
});

/** One event per commit with the sum of its charges: one per request would be thousands a second. */
export const usageRecorded = defineEvent({
  subject: 'gateway.usage.recorded',
  payload: described(
    'UsageRecorded',
    'Answered requests of one agent (or of none) were charged.',
    z.object({ kind: CreditKindName, units: Units, requests: z.int().min(1), AgentID: z.int().nullable() }),
    { kind: 'STT_API', units: 7, requests: 1, AgentID: null },
  ),
});

export const setCreditAlerts = defineRequest({
  subject: 'gateway.credit.alerts',
  request: described(
    'CreditAlertsRequest',
    'Balances below which the organization is notified that credits run low, once each time the balance falls below one.',
    z.object({ kind: CreditKindName, lowAt: z.array(Units).max(10) }),
    { kind: 'TTT_API', lowAt: [10_000, 1000] },
  ),
  reply: described('CreditAlerts', 'The current alerts.', z.object({ kind: CreditKindName, lowAt: z.array(Units) }), {
    kind: 'TTT_API',
    lowAt: [10_000, 1000],
  }),
});

/** The operator sets what a thousand tokens, characters or seconds cost: every organization is refused with SCOPE_MISSING. */
export const setCreditPrice = defineRequest({
  subject: 'gateway.credit.price',
  request: described(
    'CreditPriceRequest',
    'The price of one kind, from the next charge on.',
    z.object({ kind: CreditKindName, unitsPerThousand: z.int().min(0).max(1_000_000) }),
    { kind: 'TTS_API', unitsPerThousand: 1500 },
  ),
  reply: described('CreditPrice', 'The current price.', z.object({ kind: CreditKindName, unitsPerThousand: z.int() }), {
    kind: 'TTS_API',
    unitsPerThousand: 1500,
  }),
});

const charge = 'a3a1f6c2-0b1d-4c2e-9d3f-4e5f60718293';
const ChargeNamed = described('ChargeNamed', 'One charge.', z.object({ chargeId: Uuid }), { chargeId: charge });

/**
 * Raises a request's hold to at least this amount before it is spent. If others hold what is missing, everything but `used` is
 * released and the request waits its turn. CREDITS_EXHAUSTED if there is not enough, or not in time. With `tokensMin`, as many of
 * the tokens as there are will do, if they are not fewer than that. With `isCutOff`, nothing more will be used: unless the gateway
 * settles the charge soon, it counts as dead and the usage is charged. With `opens`, the charge is that of a new turn of a live
 * session, which has no hold yet; without `tokensMin`, such a hold is granted at once or refused.
 */
export const extendCharge = defineRequest({
  subject: 'gateway.charge.extend',
  timeoutMs: 15_000,
  request: described(
    'ExtendChargeRequest',
    'The charge, the most that the whole request may use, and how much of that it has used so far.',
    z.object({
      chargeId: Uuid,
      usage: UsedCredits,
      used: UsedCredits.optional(),
      tokensMin: z.int().min(0).optional(),
      isCutOff: z.boolean().default(false),
      opens: TurnsPayer.optional(),
    }),
    { chargeId: charge, usage: [{ kind: 'TTT_API', units: 4_000 }], used: [{ kind: 'TTT_API', units: 0 }] },
  ),
  reply: described(
    'ExtendedCharge',
    'The charge, and how many tokens are held for it; as many as were asked for, if it does not say.',
    ChargeNamed.extend({ tokens: z.number().min(0).optional() }),
    { chargeId: charge, tokens: 2_400 },
  ),
});

/**
 * Charges what a request produced after its reader has left, whether or not its gateway still runs. A settled charge does not
 * change.
 */
export const settleCharge = defineRequest({
  subject: 'gateway.charge.settle',
  request: described(
    'SettleChargeRequest',
    'The charge, what was produced, and by which agent.',
    z.object({ chargeId: Uuid, usage: UsedCredits, AgentID: RecordId }),
    { chargeId: charge, usage: [{ kind: 'TTT_API', units: 383 }], AgentID: 12 },
  ),
  reply: ChargeNamed,
});
