import { createPrivateKey } from 'node:crypto';
import {
  bytesOfMs,
  type CarrierDescriptor,
  type MediaCapabilities,
  type MediaFormat,
  type MediaProtocol,
  type WireMessage,
} from '@parley/ports';
import { z } from 'zod';
import { ApiUrl, askedCarrier } from '../carrier-http';
import {
  CallLine,
  type ChunkLimits,
  type Dialect,
  digitOf,
  type DialectEvent,
  jsonOf,
  malformed,
  Parameters,
} from '../carrier-media';
import { VonageControl, vonageControlCapabilities, VonageWebhooks } from './vonage-calls';

const wide = { encoding: 'pcm16', sampleRate: 16_000 } as const;

/** Vonage requires exactly one 20 ms frame per message. */
function chunkOf(format: MediaFormat): ChunkLimits {
  const frame = bytesOfMs(format, 20);
  return { bytesMin: frame, bytesMultiple: frame, bytesMax: frame };
}

/** A WebSocket of Vonage's Voice API, which queues about a minute. */
const vonageMediaCapabilities: MediaCapabilities = {
  formats: [wide, { encoding: 'pcm16', sampleRate: 8000 }, { encoding: 'pcm16', sampleRate: 24_000 }],
  frameMs: 20,
  chunk: chunkOf(wide),
  marks: 'carrier',
  clears: 'carrier',
  aheadMsMax: 50_000,
  leadMs: 60,
  digitsIn: true,
  digitsOut: 'tone',
  hangUpEndsCall: true,
};

const Message = z.discriminatedUnion('event', [
  z.looseObject({ event: z.literal('websocket:connected'), 'content-type': z.string() }),
  z.object({ event: z.literal('websocket:dtmf'), digit: z.string() }),
  z.object({ event: z.literal('websocket:notify'), payload: z.object({ name: z.string() }).optional().catch(undefined) }),
  z.object({ event: z.enum(['websocket:cleared', 'websocket:disconnected']) }),
]);
const ownFields = new Set(['event', 'content-type']);

/**
 * Vonage's WebSockets: binary 16-bit PCM, which is not copied in either direction if the speech service delivers 20 ms frames. Its
 * `notify` serves as a mark. It closes the connection when the caller hangs up.
 */
class VonageDialect implements Dialect {
  readonly capabilities = vonageMediaCapabilities;
  readonly saysStop = false;
  readonly chunkOf = chunkOf;

  read(message: WireMessage): readonly DialectEvent[] {
    if (typeof message !== 'string') return message.length > 0 ? [{ kind: 'audio', bytes: message }] : [];
    const { data } = Message.safeParse(jsonOf(message));
    if (!data) return malformed('Vonage');
    switch (data.event) {
      case 'websocket:connected':
        return started(data);
      case 'websocket:dtmf':
        return digitOf(data.digit);
      case 'websocket:notify':
        return data.payload ? [{ kind: 'marked', name: data.payload.name }] : [];
      case 'websocket:cleared':
        return [];
      case 'websocket:disconnected':
        return [{ kind: 'stopped', message: 'Vonage ended the stream' }];
    }
  }

  audio(bytes: Uint8Array): Uint8Array {
    return bytes;
  }

  mark(name: string): string {
    return JSON.stringify({ action: 'notify', payload: { name } });
  }

  clear(): string[] {
    return ['{"action":"clear"}'];
  }
}

/** The start event. The headers set by our NCCO arrive beside Vonage's own fields. */
function started(data: Extract<z.output<typeof Message>, { event: 'websocket:connected' }>): DialectEvent[] {
  const rate = Number(/^audio\/l16;\s*rate=(\d{4,5})$/i.exec(data['content-type'])?.[1]);
  if (![8000, 16_000, 24_000].includes(rate)) return [{ kind: 'lost-track', message: 'Vonage streams something else than L16' }];
  const parameters = Parameters.parse(Object.fromEntries(Object.entries(data).filter(([name]) => !ownFields.has(name))));
  const { uuid: callId, from, to } = parameters;
  const format: MediaFormat = { encoding: 'pcm16', sampleRate: rate };
  return [{ kind: 'started', start: { format, callId, streamId: undefined, from, to, parameters } }];
}

/** Vonage's WebSocket endpoint of an NCCO. */
export const vonageMedia: MediaProtocol = {
  capabilities: vonageMediaCapabilities,
  subprotocols: [],
  open: (options) => new CallLine(new VonageDialect(), options),
};

const Credentials = z.object({
  applicationId: z.uuid(),
  privateKey: z
    .string()
    .refine(isPrivateKey, 'must be the private key of the application, in PEM')
    .meta({ description: 'The private key of the voice application, in PEM.', secret: true }),
  signatureSecret: z
    .string()
    .min(1)
    .meta({ description: 'The signature secret of the account, with which Vonage signs its requests.', secret: true }),
  apiUrl: ApiUrl('https://api.nexmo.com'),
});

function isPrivateKey(text: string): boolean {
  try {
    return createPrivateKey(text).asymmetricKeyType === 'rsa';
  } catch {
    return false;
  }
}

/** Vonage's Voice API, with WebSocket endpoints. */
export const vonage: CarrierDescriptor<typeof Credentials> = {
  id: 'vonage',
  name: 'Vonage',
  credentials: Credentials,
  capabilities: {
    media: vonageMediaCapabilities,
    control: vonageControlCapabilities,
    connects: 'websocket',
    signs: { webhooks: true, upgrade: true },
  },
  open: (credentials, { fetch }) => {
    const control = new VonageControl(credentials, fetch);
    return askedCarrier({
      id: 'vonage',
      media: vonageMedia,
      control,
      webhooks: new VonageWebhooks(credentials.signatureSecret, credentials.applicationId),
    });
  },
};
