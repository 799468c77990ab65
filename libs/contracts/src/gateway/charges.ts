import { z } from 'zod';
import { defineRequest } from '../messages';
import { described, RecordId, Uuid } from '../vocabulary';
import { UsedCredits } from './session-meter';

const charge = 'a3a1f6c2-0b1d-4c2e-9d3f-4e5f60718293';
const ChargeNamed = described('ChargeNamed', 'One charge.', z.object({ chargeId: Uuid }), { chargeId: charge });

/** Raises what is held for a request to at least so much, before that is spent. CREDITS_EXHAUSTED where there is not so much. */
export const extendCharge = defineRequest({
  subject: 'gateway.charge.extend',
  request: described(
    'ExtendChargeRequest',
    'The charge, and what the whole request may come to use.',
    z.object({ chargeId: Uuid, usage: UsedCredits }),
    { chargeId: charge, usage: [{ kind: 'TTT_API', units: 4_000 }] },
  ),
  reply: ChargeNamed,
});

/** Charges what a request produced whose reader is gone, with its gateway or without. A charge that is settled already stays so. */
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
