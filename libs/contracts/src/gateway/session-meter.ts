import { z } from 'zod';
import { defineChannel } from '../messages';
import { agentKeyExample, described, RecordId, Uuid } from '../vocabulary';

/** What was used of each kind of credit since it was last told. */
export const UsedCredits = z.array(z.object({ kind: z.enum(['TTT_API', 'TTS_API', 'STT_API']), units: z.int().min(0) })).max(10);

/**
 * Pays for a session that another service holds: credits are held in slices while the line is open, and what was used is
 * charged. The line's end, however it comes, settles. Without credits the opening is CREDITS_EXHAUSTED.
 */
export const openSessionMeter = defineChannel({
  subject: 'gateway.session-meter.open',
  opening: described(
    'SessionMeterOpening',
    'Whose session it is, beside the caller’s organization.',
    z.object({ AgentID: RecordId, AgentKeyID: Uuid }),
    { AgentID: 12, AgentKeyID: agentKeyExample },
  ),
  accepted: described('SessionMeterAccepted', 'The first slice is held.', z.object({ isHeld: z.literal(true) }), {
    isHeld: true,
  }),
  signal: described(
    'SessionMeterSignal',
    'To the meter: what was used, and that nothing more comes. From it: nothing more can be paid for; everything is settled.',
    z.discriminatedUnion('type', [
      z.object({ type: z.literal('usage'), usage: UsedCredits }),
      z.object({ type: z.literal('end') }),
      z.object({ type: z.literal('exhausted') }),
      z.object({ type: z.literal('settled') }),
    ]),
    { type: 'usage', usage: [{ kind: 'TTT_API', units: 412 }] },
  ),
});
