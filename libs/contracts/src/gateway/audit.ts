import { z } from 'zod';
import { defineRequest } from '../messages';
import {
  createdOnExample,
  described,
  memberKeyExample,
  OptionalDateBound,
  startAfterEnd,
  startsBeforeEnd,
  paging,
  SearchText,
  text,
  Timestamp,
  unarchivedListOf,
  Uuid,
} from '../vocabulary';

const AuditEntry = described(
  'AuditEntry',
  'One management action. `outcome` is `OK`, `REPLAYED` (the stored response to its Idempotency-Key was returned), an error code, or `UNKNOWN` if the gateway stopped before the action ended. ' +
    '`hash` covers the entry and `previousHash`, so that no line can be changed undetected.',
  z.object({
    AuditEntryKeyID: Uuid,
    AuditEntryID: z.int(),
    action: z.string(),
    memberAdminID: Uuid.nullable(),
    IntegrationKeyID: Uuid.nullable(),
    IntegrationID: z.int().nullable(),
    subject: z.string(),
    before: z.unknown(),
    after: z.unknown(),
    requestId: z.string(),
    outcome: z.string(),
    previousHash: z.string(),
    hash: z.string(),
    CreatedOn: Timestamp,
  }),
  {
    AuditEntryKeyID: 'b4b2f7d3-1c2e-4d3f-8e40-5f60718293a4',
    AuditEntryID: 51,
    action: 'agent-config.agent.save',
    memberAdminID: memberKeyExample,
    IntegrationKeyID: null,
    IntegrationID: null,
    subject: 'AgentKeyID 5b0c7f0e-6d55-4a86-9f3c-1f8f6f0c2a11',
    before: { ToneID: 1 },
    after: { ToneID: 3 },
    requestId: 'req-3',
    outcome: 'OK',
    previousHash: '9f86d081',
    hash: '60303ae2',
    CreatedOn: createdOnExample,
  },
);

export const listAudit = defineRequest({
  subject: 'gateway.audit.list',
  request: described(
    'AuditListRequest',
    'Which entries of the audit log to list.',
    z
      .object({
        searchName: SearchText,
        action: text(100).nullish(),
        memberAdminID: Uuid.nullish(),
        startDate: OptionalDateBound,
        endDate: OptionalDateBound,
        ...paging(['CreatedOn', 'action']),
      })
      .refine(startsBeforeEnd, startAfterEnd),
    { searchName: '', startDate: '2026-03-01', pageNo: 1, pageSize: 20 },
  ),
  reply: unarchivedListOf('AuditPage', AuditEntry),
});

/** Verifies the organization's hash chain. */
export const verifyAudit = defineRequest({
  subject: 'gateway.audit.verify',
  timeoutMs: 60_000,
  request: described('AuditVerifyRequest', 'No input: the whole chain is checked.', z.object({}), {}),
  reply: described(
    'AuditVerification',
    'Whether the chain holds, and its first broken link if not.',
    z.object({
      isIntact: z.boolean(),
      checkedCount: z.int().min(0),
      /** Has no ids if lines are missing at the end. */
      firstBroken: z
        .object({ AuditEntryKeyID: Uuid.nullable(), AuditEntryID: z.int().nullable(), reason: z.string() })
        .nullable(),
    }),
    { isIntact: true, checkedCount: 51, firstBroken: null },
  ),
});
