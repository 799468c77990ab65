import { z } from 'zod';
import { defineChannel, defineEvent, defineRequest } from '../messages';
import { keyKinds } from '../principal';
import {
  agentKeyExample,
  createdOnExample,
  described,
  filledText,
  IpAddress,
  listOf,
  memberKeyExample,
  queryPaging,
  RecordId,
  secret,
  sessionExample,
  Timestamp,
  Uuid,
} from '../vocabulary';

const IpRange = z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()]);
const key = '6a1f0b7c-2d3e-4f50-8a61-b2c3d4e5f601';

const keyExample = {
  IntegrationKeyID: key,
  IntegrationID: 4,
  name: 'Website chat',
  kind: 'agt' as const,
  prefix: 'agt_',
  lastFour: 'x7Kp',
  AgentKeyID: agentKeyExample,
  AgentID: 12,
  memberAdminID: null,
  madeByAdminID: memberKeyExample,
  allowedIps: ['203.0.113.0/24'],
  status: 'ACTIVE' as const,
  expiresAt: null,
  lastUsedOn: null,
  CreatedOn: createdOnExample,
};

/** A key as listed: without its secret. */
export const IntegrationKey = described(
  'IntegrationKey',
  'An API key without its secret.',
  z.object({
    IntegrationKeyID: Uuid,
    IntegrationID: z.int(),
    name: z.string(),
    kind: z.enum(keyKinds),
    prefix: z.string(),
    lastFour: z.string(),
    AgentKeyID: Uuid.nullable(),
    AgentID: z.int().nullable(),
    memberAdminID: Uuid.nullable(),
    madeByAdminID: Uuid.nullable(),
    allowedIps: z.array(IpRange),
    status: z.enum(['ACTIVE', 'ROTATED', 'EXPIRED', 'REVOKED']),
    expiresAt: Timestamp.nullable(),
    lastUsedOn: Timestamp.nullable(),
    CreatedOn: Timestamp,
  }),
  keyExample,
);

const keyIds = { IntegrationKeyID: Uuid };

const CreateKeyRequest = described(
  'CreateKeyRequest',
  'What the new key is for. An `agt` key names its agent; a `wsk` key acts for `memberAdminID`, or for the caller.',
  z
    .object({
      name: filledText(80),
      kind: z.enum(keyKinds),
      AgentKeyID: Uuid.nullish(),
      memberAdminID: Uuid.nullish(),
      expiresAt: Timestamp.nullish(),
      allowedIps: z.array(IpRange).max(100).default([]),
    })
    .refine((body) => body.kind !== 'agt' || Boolean(body.AgentKeyID), {
      path: ['AgentKeyID'],
      error: 'is required for an agt key',
    }),
  { name: 'Website chat', kind: 'agt', AgentKeyID: agentKeyExample, allowedIps: ['203.0.113.0/24'] },
  { name: 'Nightly export', kind: 'wsk', memberAdminID: memberKeyExample },
);

const NewKey = described(
  'NewKey',
  'A key with its secret, which is shown only once.',
  IntegrationKey.extend({ key: secret(z.string()) }),
  { ...keyExample, allowedIps: [], key: 'agt_EXAMPLEONLYx7Kp' },
);

export const createKey = defineRequest({ subject: 'gateway.key.create', request: CreateKeyRequest, reply: NewKey });

export const listKeys = defineRequest({
  subject: 'gateway.key.list',
  request: described(
    'ListKeysRequest',
    'Which keys to list.',
    z.object({ kind: z.enum(keyKinds).optional(), ...queryPaging(['CreatedOn', 'name', 'lastUsedOn']) }),
    { kind: 'agt', pageNo: 1, pageSize: 20 },
  ),
  reply: listOf('IntegrationKeyPage', IntegrationKey),
});

/** For the audit log. */
export const readKey = defineRequest({
  subject: 'gateway.key.read',
  request: described('ReadKeyRequest', 'One key.', z.object(keyIds), { IntegrationKeyID: key }),
  reply: IntegrationKey,
});

export const rotateKey = defineRequest({
  subject: 'gateway.key.rotate',
  request: described(
    'RotateKeyRequest',
    'The key to replace, and how long the old secret stays valid.',
    z.object({ ...keyIds, graceSeconds: z.int().min(0).max(604_800).default(86_400) }),
    { IntegrationKeyID: key, graceSeconds: 3600 },
  ),
  reply: NewKey,
});

export const revokeKey = defineRequest({
  subject: 'gateway.key.revoke',
  request: described('RevokeKeyRequest', 'The key to revoke.', z.object(keyIds), { IntegrationKeyID: key }),
  reply: IntegrationKey,
});

/** Tells every gateway to drop its cached copy of a key, and to close the sockets of a revoked one. */
export const keyChanged = defineEvent({
  subject: 'gateway.key.changed',
  payload: described(
    'KeyChanged',
    'A key was created, rotated or revoked, or its owner changed.',
    z.object({
      IntegrationKeyID: Uuid,
      kind: z.enum(keyKinds),
      change: z.enum(['CREATED', 'ROTATED', 'REVOKED', 'OWNER_CHANGED']),
    }),
    { IntegrationKeyID: key, kind: 'agt', change: 'REVOKED' },
  ),
});

const bucketsMax = 2_000;

/** How much of each limit a gateway has used since its last report. Sent to the other gateways, not stored. */
export const quotaTaken = defineEvent({
  subject: 'gateway.quota.taken',
  payload: described(
    'QuotaTaken',
    'The lists run in parallel: the name of a limit, how often it was used, and what one use costs in milliseconds.',
    z.object({
      gateway: z.string().max(64),
      buckets: z.array(z.string().max(200)).max(bucketsMax),
      counts: z.array(z.int().min(1)).max(bucketsMax),
      intervalsMs: z.array(z.number().positive()).max(bucketsMax),
    }),
    { gateway: '5b0c7f0e', buckets: ['key 6a1f0b7c read'], counts: [12], intervalsMs: [100] },
  ),
});

/** Issues a token with which a browser or an app opens a voice socket without having the agent's key. */
export const createSessionToken = defineRequest({
  subject: 'gateway.session-token.create',
  request: described(
    'SessionTokenRequest',
    'The conversation that the socket continues, and variables for the agent prompt, which whoever holds the token can neither change nor add to.',
    z.object({
      /** Only checked, because a key speaks for one agent. */
      AgentKeyID: Uuid.optional(),
      sessionUUID: Uuid.optional(),
      variables: z.record(z.string().max(64), z.unknown()).optional(),
      visitorIp: IpAddress.optional(),
    }),
    { sessionUUID: sessionExample },
    {},
  ),
  reply: described(
    'SessionToken',
    'A single-use token, and the addresses that accept it.',
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

/** Usage of each kind of credit since the last report. */
export const UsedCredits = z.array(z.object({ kind: z.enum(['TTT_API', 'TTS_API', 'STT_API']), units: z.int().min(0) })).max(10);

/**
 * Pays for a session in another service: credits are held in slices while the channel is open, and usage is charged. Closing the
 * channel, for any reason, settles. Without credits, opening fails with CREDITS_EXHAUSTED.
 */
export const openSessionMeter = defineChannel({
  subject: 'gateway.session-meter.open',
  opening: described(
    'SessionMeterOpening',
    'Whose session it is, in addition to the caller’s organization, and the usage already reported to an earlier meter.',
    z.object({ AgentID: RecordId, AgentKeyID: Uuid, usedBefore: UsedCredits.default([]) }),
    { AgentID: 12, AgentKeyID: agentKeyExample, usedBefore: [] },
  ),
  accepted: described(
    'SessionMeterAccepted',
    'The first slice is held. A meter of an earlier build takes no undecided seconds.',
    z.object({ isHeld: z.literal(true), takesUndecided: z.boolean().default(false) }),
    { isHeld: true, takesUndecided: true },
  ),
  signal: described(
    'SessionMeterSignal',
    'To the meter: usage, seconds of sound that may become usage, what a turn with a charge of its own used, and the end of it. From the meter: the credits are used up; everything is settled.',
    z.discriminatedUnion('type', [
      z.object({ type: z.literal('usage'), usage: UsedCredits }),
      z.object({ type: z.literal('undecided'), seconds: z.int().min(0).max(3600) }),
      z.object({ type: z.literal('turn'), chargeId: Uuid, tokens: z.int().min(0) }),
      z.object({ type: z.literal('end') }),
      z.object({ type: z.literal('exhausted') }),
      z.object({ type: z.literal('settled') }),
    ]),
    { type: 'usage', usage: [{ kind: 'TTT_API', units: 412 }] },
  ),
});

/** The gateway that metered a session has died: reports what the session was charged in total. `requestId` is that of the opening. */
export const sessionMeterLost = defineEvent({
  subject: 'gateway.session-meter.lost',
  payload: described(
    'SessionMeterLost',
    'The usage of a session whose service stopped responding. All of it is charged.',
    z.object({ requestId: z.string().max(200), usage: UsedCredits }),
    { requestId: '5f617394-2f40-4162-9d8e-0f2a4b6c8d0e', usage: [{ kind: 'STT_API', units: 118 }] },
  ),
});

/** Charges finished work under an id of its own: repeated under the same id, nothing is charged twice. */
export const chargeOnce = defineRequest({
  subject: 'gateway.charge.once',
  timeoutMs: 30_000,
  request: described(
    'ChargeOnceRequest',
    'What was used, by which agent of the caller’s organization. Usage that the balance does not cover is recorded as unpaid.',
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

/** A connection has taken over a session: the gateway with an older connection to it closes that one. Not stored. */
export const sessionTaken = defineEvent({
  subject: 'gateway.session.taken',
  payload: described(
    'SessionTaken',
    'The session, and the connection that holds it.',
    z.object({ sessionUUID: Uuid, connection: Uuid }),
    {
      sessionUUID: sessionExample,
      connection: 'a3a1f6c2-0b1d-4c2e-9d3f-4e5f60718293',
    },
  ),
});
