import { defineChannel, defineEvent, defineRequest, defineStream, Principal } from '@parley/contracts';
import { z } from 'zod';

export const greet = defineRequest({
  subject: 'agent-config.test.greet',
  request: z.object({ name: z.string().min(1) }),
  reply: z.object({ text: z.string(), by: z.string() }),
});

export const misbehave = defineRequest({
  subject: 'agent-config.test.misbehave',
  request: z.object({ how: z.enum(['fault', 'throw', 'break-contract', 'oversize']) }),
  reply: z.object({ ok: z.literal(true), padding: z.string().optional() }),
});

/** Works until it is told to stop. */
export const toil = defineRequest({
  subject: 'agent-config.test.toil',
  request: z.object({}),
  reply: z.object({}),
  timeoutMs: 20_000,
});

/** Asks on: what the answering service sees of the first caller. */
export const relay = defineRequest({ subject: 'agent-config.test.relay', request: z.object({}), reply: z.unknown() });

export const whoAsks = defineRequest({
  subject: 'speech.test.who-asks',
  request: z.object({}),
  reply: z.object({
    principal: Principal.optional(),
    requestId: z.string(),
    leftMs: z.number(),
    traceparent: z.string().optional(),
  }),
});

export const nobodyHome = defineRequest({ subject: 'dashboards.test.nobody', request: z.object({}), reply: z.object({}) });

export const count = defineStream({
  subject: 'agent-config.test.count',
  request: z.object({ upTo: z.number(), padding: z.number().default(0), failAt: z.number().optional() }),
  item: z.object({ n: z.number(), padding: z.string() }),
});

/** Yields once and then nothing, for as long as it is wanted. */
export const hang = defineStream({ subject: 'agent-config.test.hang', request: z.object({}), item: z.object({ n: z.number() }) });

export const talk = defineChannel({
  subject: 'agent-config.test.talk',
  opening: z.object({ room: z.string() }),
  accepted: z.object({ welcome: z.string() }),
  signal: z.object({ say: z.string() }),
});

export const agentSaved = defineEvent({ subject: 'agent-config.agent-saved', payload: z.object({ agentId: z.int() }) });

export const owner: Principal = { kind: 'wsk', keyId: 'key-1', orgId: 42, permissions: { agents: ['CanView'] } };
