import { z } from 'zod';
import { defineEvent, defineRequest } from '../messages';
import { described, PhoneNumberInput, RecordId, text, Timestamp, Uuid } from '../vocabulary';

const call = 'e9f1b3c5-7e9a-4b2d-8f4c-6e8a0c2e4a6b';
const SalesCallOutcome = z.enum(['CONNECTED', 'NO_ANSWER', 'BUSY', 'FAILED', 'CALLBACK', 'CONVERTED']);
const dayInSeconds = 86_400;

/** The mobile app reports a call that a representative made. `callUUID` makes a repeated report the same call. */
export const logSalesCall = defineRequest({
  subject: 'team-sales.sales-call.log',
  request: described(
    'LogSalesCallRequest',
    'One call of the calling member, or of `SalesUserID` when an admin reports it.',
    z
      .object({
        callUUID: Uuid.optional(),
        SalesUserID: RecordId.nullish(),
        ContactID: RecordId.nullish(),
        ContactNumber: PhoneNumberInput.nullish(),
        direction: z.enum(['OUTBOUND', 'INBOUND']).default('OUTBOUND'),
        startedAt: Timestamp,
        durationSeconds: z.int().min(0).max(dayInSeconds),
        outcome: SalesCallOutcome,
        notes: text(2000).default(''),
      })
      .refine(
        (body) => Boolean(body.ContactID || body.ContactNumber), { path: ['ContactID'], error: 'is required, or ContactNumber' },
      ),
    {
      callUUID: call, ContactID: 77, direction: 'OUTBOUND', startedAt: '2026-03-02T09:00:00Z', durationSeconds: 95,
      outcome: 'CONNECTED',
    },
  ),
  reply: described(
    'LoggedSalesCall',
    'The call as stored.',
    z.object({ SalesCallKeyID: Uuid, SalesCallID: z.int(), SalesUserID: z.int(), ContactID: z.int().nullable() }),
    { SalesCallKeyID: call, SalesCallID: 14, SalesUserID: 5, ContactID: 77 },
  ),
});

export const salesCallLogged = defineEvent({
  subject: 'team-sales.sales-call.logged',
  payload: described(
    'SalesCallLogged',
    'A representative made or took a call.',
    z.object({
      SalesCallKeyID: Uuid,
      SalesUserID: z.int(),
      ContactID: z.int().nullable(),
      startedAt: Timestamp,
      durationSeconds: z.int(),
      outcome: SalesCallOutcome,
    }),
    {
      SalesCallKeyID: call, SalesUserID: 5, ContactID: 77, startedAt: '2026-03-02T09:00:00Z', durationSeconds: 95,
      outcome: 'CONNECTED',
    },
  ),
});
