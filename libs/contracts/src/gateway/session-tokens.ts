import { z } from 'zod';
import { defineChannel, defineEvent, defineRequest } from '../messages';
import { agentKeyExample, described, IpAddress, RecordId, secret, sessionExample, Timestamp, Uuid } from '../vocabulary';

/** Issues the token by which a browser or an app opens a voice socket without holding the agent's key. */
export const createSessionToken = defineRequest({
  subject: 'gateway.session-token.create',
  request: described(
    'SessionTokenRequest',
    'Which conversation the socket shall continue, and variables for the agent prompt.',
    z.object({
      sessionUUID: Uuid.optional(),
      variables: z.record(z.string().max(64), z.unknown()).optional(),
      visitorIp: IpAddress.optional(),
    }),
    { sessionUUID: sessionExample },
    {},
  ),
  reply: described(
    'SessionToken',
    'A single-use token, and the addresses that take it.',
    z.object({
      token: secret(z.string()),
      expiresAt: Timestamp,
      wsUrls: z.object({ sts: z.string(), transcribe: z.string() }),
    }),
    {
      token: 'sst_EXAMPLE',
      expiresAt: '2026-03-02T09:31:00.000Z',
      wsUrls: { sts: 'wss://voice.example/ws/sts', transcribe: 'wss://voice.example/ws/transcribe' },
    },
  ),
});

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

/** Charges work that is done and known by an id of its own: asked again under it, nothing is charged twice. */
export const chargeOnce = defineRequest({
  subject: 'gateway.charge.once',
  timeoutMs: 30_000,
  request: described(
    'ChargeOnceRequest',
    'What was used, by which agent of the caller’s organization. What there are no credits for is noted as unpaid.',
    z.object({ ChargeID: Uuid, AgentID: RecordId, AgentKeyID: Uuid, usage: UsedCredits }),
    {
      ChargeID: 'b4c5d6d9-7485-46b7-8cd3-5e7f90b13c52',
      AgentID: 12,
      AgentKeyID: agentKeyExample,
      usage: [{ kind: 'TTT_API', units: 412 }],
    },
  ),
  reply: described('ChargedOnce', 'It is in the ledger.', z.object({ isCharged: z.literal(true) }), { isCharged: true }),
});

/** A connection has begun a session: whichever gateway serves an older connection of it closes that. Nobody keeps it. */
export const sessionTaken = defineEvent({
  subject: 'gateway.session.taken',
  payload: described(
    'SessionTaken',
    'The session, and which connection has it.',
    z.object({ sessionUUID: Uuid, connection: Uuid }),
    {
      sessionUUID: sessionExample,
      connection: 'a3a1f6c2-0b1d-4c2e-9d3f-4e5f60718293',
    },
  ),
});
