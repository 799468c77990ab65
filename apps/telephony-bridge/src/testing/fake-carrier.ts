import { createHmac, timingSafeEqual } from 'node:crypto';
import {
  type CallControl,
  type CallNotice,
  type CarrierDescriptor,
  type CarrierRequest,
  type FoundCall,
  type MediaCapabilities,
  type MediaProtocol,
  type PlacedCall,
  ProviderFailure,
  type WebhookVerdict,
  type Webhooks,
  type WireMessage,
} from '@parley/ports';
import { CallLine, type Dialect, type DialectEvent } from '@parley/providers/carrier-media';
import { z } from 'zod';

const format = { encoding: 'mulaw', sampleRate: 8000 } as const;

const capabilities: MediaCapabilities = {
  formats: [format],
  frameMs: 20,
  chunk: { bytesMin: 1, bytesMultiple: 1, bytesMax: 8000 },
  marks: 'carrier',
  clears: 'carrier',
  aheadMsMax: Number.POSITIVE_INFINITY,
  leadMs: 0,
  digitsIn: true,
  digitsOut: 'message',
  hangUpEndsCall: false,
};

const Message = z.discriminatedUnion('event', [
  z.object({ event: z.literal('start'), callId: z.string() }),
  z.object({ event: z.literal('mark'), name: z.string() }),
  z.object({ event: z.literal('digit'), digit: z.string() }),
  z.object({ event: z.literal('stop') }),
]);

class FakeDialect implements Dialect {
  readonly capabilities = capabilities;
  readonly saysStop = true;

  chunkOf() {
    return capabilities.chunk;
  }

  read(message: WireMessage): readonly DialectEvent[] {
    if (typeof message !== 'string') return [{ kind: 'audio', bytes: message }];
    const { data } = Message.safeParse(JSON.parse(message));
    if (!data) return [{ kind: 'malformed', message }];
    if (data.event === 'start') {
      const { callId } = data;
      return [
        { kind: 'started', start: { format, callId, streamId: undefined, from: undefined, to: undefined, parameters: {} } },
      ];
    }
    if (data.event === 'mark') return [{ kind: 'marked', name: data.name }];
    return data.event === 'digit' ? [{ kind: 'digit', digit: data.digit }] : [{ kind: 'stopped', message: 'stopped' }];
  }

  audio(bytes: Uint8Array): WireMessage {
    return bytes;
  }

  mark(name: string): string {
    return JSON.stringify({ event: 'mark', name });
  }

  clear(): string[] {
    return [JSON.stringify({ event: 'clear' })];
  }

  digits(digits: string): string[] {
    return [JSON.stringify({ event: 'digits', digits })];
  }
}

const media: MediaProtocol = { capabilities, subprotocols: [], open: (options) => new CallLine(new FakeDialect(), options) };

const Credentials = z.object({ api: z.string(), secret: z.string().meta({ secret: true }) });

const control: CallControl['capabilities'] = {
  placeIsIdempotent: true,
  finds: 'by-reference',
  transfers: 'command',
  sendsDigits: true,
  ends: true,
  detectsMachines: false,
  dials: 'numbers',
  dialsAddresses: true,
};

/** A carrier that exists only in tests: its network is the test's HTTP server, its media plain frames. */
export const fakeCarrier: CarrierDescriptor<typeof Credentials> = {
  id: 'fake',
  name: 'Fake',
  credentials: Credentials,
  capabilities: { media: capabilities, control, connects: 'websocket', signs: { webhooks: true, upgrade: false } },
  open: ({ api, secret }) => ({
    id: 'fake',
    media,
    control: new FakeControl(api),
    webhooks: new FakeWebhooks(secret),
    test: async () => void (await ask(api, 'test', {})),
    close: async () => undefined,
  }),
};

async function ask(api: string, path: string, body: object): Promise<unknown> {
  const reply = await fetch(`${api}/${path}`, { method: 'POST', body: JSON.stringify(body) }).catch((cause: unknown) => {
    throw new ProviderFailure('fake', 'is away', { retryable: true, cause });
  });
  if (reply.status === 404) return undefined;
  if (!reply.ok) {
    const { status } = reply;
    throw new ProviderFailure('fake', `answered ${status}`, { retryable: status >= 500, refusesCaller: status === 403 });
  }
  return reply.json();
}

class FakeControl implements CallControl {
  readonly capabilities = control;

  constructor(private readonly api: string) {}

  async place({ signal: _, ...request }: Parameters<CallControl['place']>[0]): Promise<PlacedCall> {
    return (await ask(this.api, 'place', request)) as PlacedCall;
  }

  async end(callId: string): Promise<void> {
    await ask(this.api, 'end', { callId });
  }

  async find(search: Parameters<CallControl['find']>[0]): Promise<FoundCall | undefined> {
    return (await ask(this.api, 'find', search)) as FoundCall | undefined;
  }

  async transfer({ signal: _, ...request }: Parameters<NonNullable<CallControl['transfer']>>[0]): Promise<void> {
    await ask(this.api, 'transfer', request);
  }

  async sendDigits(callId: string, digits: string): Promise<void> {
    await ask(this.api, 'digits', { callId, digits });
  }
}

/** The signature of the fake carrier's requests. */
export function fakeSignature(secret: string, path: string, body: string): string {
  return createHmac('sha256', secret).update(path).update(body).digest('hex');
}

class FakeWebhooks implements Webhooks {
  readonly acknowledged = { status: 200, contentType: 'application/json', body: '{}' };

  constructor(private readonly secret: string) {}

  verify({ path, body, headers }: CarrierRequest): WebhookVerdict {
    const expected = fakeSignature(this.secret, path, Buffer.from(body).toString());
    const given = String(headers['x-fake-signature'] ?? '')
      .padEnd(expected.length)
      .slice(0, expected.length);
    if (!timingSafeEqual(Buffer.from(expected), Buffer.from(given))) return { isGenuine: false, reason: 'a wrong signature' };
    const onceKey = headers['x-fake-nonce'];
    return { isGenuine: true, ...(typeof onceKey === 'string' && { onceKey }) };
  }

  /** Connects without a signature, or with a wrong one. */
  verifyUpgrade({ headers }: CarrierRequest): WebhookVerdict {
    return headers['x-fake-signature'] === undefined ? { isGenuine: true } : { isGenuine: false, reason: 'a wrong signature' };
  }

  read({ body }: CarrierRequest): readonly CallNotice[] {
    return JSON.parse(Buffer.from(body).toString()) as CallNotice[];
  }

  async answer(callId: string, plan: Parameters<Webhooks['answer']>[1]) {
    return { status: 200, contentType: 'application/json', body: JSON.stringify({ callId, plan }) };
  }
}
