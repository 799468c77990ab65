import { z } from 'zod';
import { defineEvent, defineRequest } from '../messages';
import { described, RecordId, startAfterEnd, startsBeforeEnd, Uuid } from '../vocabulary';

const target = 'f0a2c4d6-8f0b-4c3e-9a5d-7f9b1d3f5b7c';

const targetFields = {
  SalesUserID: RecordId,
  metric: z.enum(['CALLS', 'CONNECTED_CALLS', 'TALK_SECONDS', 'CONVERSIONS']),
  target: z.int().min(1).max(1_000_000),
  startDate: z.iso.date(),
  endDate: z.iso.date(),
};
const values = { SalesUserID: 5, metric: 'CALLS', target: 200, startDate: '2026-03-01', endDate: '2026-03-31' } as const;

const SalesTarget = described(
  'SalesTarget',
  'What a representative is to reach within a span of days.',
  z.object({ SalesTargetKeyID: Uuid, SalesTargetID: z.int(), ...targetFields }),
  { SalesTargetKeyID: target, SalesTargetID: 3, ...values },
);

/** The same representative, metric and days: the target is replaced. */
export const setSalesTarget = defineRequest({
  subject: 'team-sales.target.set',
  request: described('SetSalesTargetRequest', 'A target.', z.object(targetFields).refine(startsBeforeEnd, startAfterEnd), values),
  reply: SalesTarget,
});

export const salesTargetSet = defineEvent({
  subject: 'team-sales.target.changed',
  payload: described(
    'SalesTargetSet',
    'A target was set or replaced.',
    z.object({ SalesTargetKeyID: Uuid, ...targetFields }),
    { SalesTargetKeyID: target, ...values },
  ),
});
