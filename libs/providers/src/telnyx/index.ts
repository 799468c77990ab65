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
  audioOf,
  base64Of,
  CallLine,
  type ChunkLimits,
  ChunkOrder,
  Count,
  type Dialect,
  digitOf,
  formatOf,
  type DialectEvent,
  jsonOf,
  malformed,
  Parameters,
} from '../carrier-media';
import { TelnyxControl, telnyxControlCapabilities, telnyxKey, TelnyxWebhooks } from './telnyx-calls';

const mulaw = { encoding: 'mulaw', sampleRate: 8000 } as const;

/** A message may contain 20 ms to 30 s; we send at most a second, so that a clear takes effect soon. */
function chunkOf(format: MediaFormat): ChunkLimits {
  const sampleBytes = format.encoding === 'pcm16' ? 2 : 1;
  return { bytesMin: bytesOfMs(format, 20), bytesMultiple: sampleBytes, bytesMax: bytesOfMs(format, 1000) };
}

/** A bidirectional media stream of Telnyx, in RTP mode. */
const telnyxMediaCapabilities: MediaCapabilities = {
  formats: [mulaw, { encoding: 'alaw', sampleRate: 8000 }, { encoding: 'pcm16', sampleRate: 16_000 }],
  frameMs: 20,
  chunk: chunkOf(mulaw),
  marks: 'carrier',
  clears: 'carrier',
  aheadMsMax: Number.POSITIVE_INFINITY,
  leadMs: 60,
  digitsIn: true,
  digitsOut: 'tone',
  hangUpEndsCall: false,
};

const Message = z.discriminatedUnion('event', [
  z.object({
    event: z.literal('media'),
    media: z.object({ payload: z.string(), track: z.string().optional(), chunk: Count.optional().catch(undefined) }),
  }),
  z.object({
    event: z.literal('start'),
    stream_id: z.string(),
    start: z.object({
      call_control_id: z.string(),
      from: z.string().optional(),
      to: z.string().optional(),
      custom_parameters: Parameters.default({}),
      media_format: z.object({ encoding: z.string(), sample_rate: Count.default(8000) }),
    }),
  }),
  z.object({ event: z.literal('mark'), mark: z.object({ name: z.string() }) }),
  z.object({ event: z.literal('dtmf'), dtmf: z.object({ digit: z.string() }) }),
  z.object({
    event: z.literal('error'),
    payload: z.object({ code: z.unknown(), title: z.unknown(), detail: z.unknown() }).partial().catch({}),
  }),
  z.object({ event: z.enum(['connected', 'stop']) }),
]);

/**
 * Telnyx's media streams, in base64 in both directions; PCMU samples are never converted. Telnyx does not guarantee the order of frames,
 * so they are ordered by `media.chunk`, without copying.
 */
class TelnyxDialect implements Dialect {
  readonly capabilities = telnyxMediaCapabilities;
  readonly saysStop = true;
  readonly chunkOf = chunkOf;
  private readonly order = new ChunkOrder<DialectEvent>();

  read(message: WireMessage): readonly DialectEvent[] {
    const { data } = Message.safeParse(jsonOf(message));
    if (!data) return malformed('Telnyx');
    switch (data.event) {
      case 'media':
        return this.audioInOrder(data.media);
      case 'start':
        return started(data);
      case 'mark':
        return [{ kind: 'marked', name: data.mark.name }];
      case 'dtmf':
        return digitOf(data.dtmf.digit);
      case 'error':
        return [{ kind: 'trouble', message: `Telnyx reports ${JSON.stringify(data.payload).slice(0, 300)}` }];
      case 'connected':
        return [];
      case 'stop':
        return [...this.order.flush(), { kind: 'stopped', message: 'Telnyx stopped the stream' }];
    }
  }

  audio(bytes: Uint8Array): string {
    return `{"event":"media","media":{"payload":"${base64Of(bytes)}"}}`;
  }

  mark(name: string): string {
    return `{"event":"mark","mark":{"name":${JSON.stringify(name)}}}`;
  }

  clear(): string[] {
    return ['{"event":"clear"}'];
  }

  private audioInOrder({ payload, track, chunk }: { payload: string; track?: string; chunk?: number }): DialectEvent[] {
    if (track?.startsWith('outbound')) return [];
    const [audio] = audioOf(payload);
    if (!audio) return [];
    return chunk === undefined ? [audio] : this.order.push(chunk, audio);
  }
}

function started({ stream_id: streamId, start }: Extract<z.output<typeof Message>, { event: 'start' }>): DialectEvent[] {
  const { call_control_id: callId, from, to, custom_parameters: parameters, media_format } = start;
  const format = formatOf(media_format.encoding, media_format.sample_rate);
  if (!format) return [{ kind: 'lost-track', message: `Telnyx streams ${media_format.encoding}, which was not asked for` }];
  return [{ kind: 'started', start: { format, callId, streamId, from, to, parameters } }];
}

/** Telnyx's media streams. */
export const telnyxMedia: MediaProtocol = {
  capabilities: telnyxMediaCapabilities,
  subprotocols: [],
  open: (options) => new CallLine(new TelnyxDialect(), options),
};

const Credentials = z.object({
  apiKey: z.string().min(1).meta({ secret: true }),
  connectionId: z
    .string()
    .min(1)
    .max(100)
    .meta({ description: 'The id of the Voice API application, which Telnyx calls a connection.' }),
  publicKey: z
    .string()
    .refine((key) => telnyxKey(key) !== undefined, 'must be the public key of the account: 32 bytes in base64')
    .meta({ description: 'The public key of the account, with which its webhooks are verified.' }),
  apiUrl: ApiUrl('https://api.telnyx.com'),
});

/** Telnyx: call control with bidirectional media streams. */
export const telnyx: CarrierDescriptor<typeof Credentials> = {
  id: 'telnyx',
  name: 'Telnyx',
  credentials: Credentials,
  capabilities: {
    media: telnyxMediaCapabilities,
    control: telnyxControlCapabilities,
    connects: 'websocket',
    signs: { webhooks: true, upgrade: false },
  },
  open: (credentials, { fetch }) => {
    const control = new TelnyxControl(credentials, fetch);
    return askedCarrier({
      id: 'telnyx',
      media: telnyxMedia,
      control,
      webhooks: new TelnyxWebhooks(credentials.publicKey, control, credentials.connectionId),
    });
  },
};
