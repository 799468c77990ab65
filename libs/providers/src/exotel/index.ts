import type { CarrierDescriptor, MediaCapabilities, MediaFormat, MediaProtocol, WireMessage } from '@parley/ports';
import { z } from 'zod';
import { ApiUrl, askedCarrier } from '../carrier-http';
import {
  audioOf,
  base64Of,
  CallLine,
  type ChunkLimits,
  Count,
  type Dialect,
  digitOf,
  type DialectEvent,
  jsonOf,
  malformed,
  Parameters,
} from '../carrier-media';
import { ExotelControl, exotelControlCapabilities, ExotelWebhooks } from './exotel-calls';

/** Exotel refuses chunks under 3200 bytes or over 100 KB, and leaves gaps unless they are multiples of 320. */
const chunk = { bytesMin: 3200, bytesMultiple: 320, bytesMax: 32_000 };

/** A voicebot stream of Exotel. Its chunks last 200 ms at 8 kHz, so audio must be sent well ahead. */
const exotelMediaCapabilities: MediaCapabilities = {
  formats: [
    { encoding: 'pcm16', sampleRate: 8000 },
    { encoding: 'pcm16', sampleRate: 16_000 },
    { encoding: 'pcm16', sampleRate: 24_000 },
  ],
  frameMs: 100,
  chunk,
  marks: 'carrier',
  clears: 'carrier',
  aheadMsMax: Number.POSITIVE_INFINITY,
  leadMs: 260,
  digitsIn: true,
  digitsOut: 'tone',
  hangUpEndsCall: true,
};

const Message = z.discriminatedUnion('event', [
  z.object({ event: z.literal('media'), media: z.object({ payload: z.string() }) }),
  z.object({
    event: z.literal('start'),
    stream_sid: z.string().optional(),
    start: z.object({
      stream_sid: z.string().optional(),
      call_sid: z.string(),
      from: z.string().optional(),
      to: z.string().optional(),
      custom_parameters: Parameters.default({}),
      media_format: z.object({ sample_rate: Count.optional().catch(undefined) }).default({}),
    }),
  }),
  z.object({ event: z.literal('mark'), mark: z.object({ name: z.string() }) }),
  z.object({ event: z.literal('dtmf'), dtmf: z.object({ digit: z.string() }) }),
  z.object({ event: z.enum(['connected', 'clear', 'stop']) }),
]);

/**
 * Exotel's voicebot streams: 16-bit PCM in base64. Incoming frames are decoded once; outgoing frames of 20 ms are joined into chunks of
 * 3200 bytes (one copy) and encoded once.
 */
class ExotelDialect implements Dialect {
  readonly capabilities = exotelMediaCapabilities;
  readonly saysStop = true;
  private streamSid = '""';

  chunkOf(_format: MediaFormat): ChunkLimits {
    return chunk;
  }

  read(message: WireMessage): readonly DialectEvent[] {
    const { data } = Message.safeParse(jsonOf(message));
    if (!data) return malformed('Exotel');
    switch (data.event) {
      case 'media':
        return audioOf(data.media.payload);
      case 'start':
        return this.started(data);
      case 'mark':
        return [{ kind: 'marked', name: data.mark.name }];
      case 'dtmf':
        return digitOf(data.dtmf.digit);
      case 'connected':
      case 'clear':
        return [];
      case 'stop':
        return [{ kind: 'stopped', message: 'Exotel stopped the stream' }];
    }
  }

  audio(bytes: Uint8Array): string {
    return `{"event":"media","stream_sid":${this.streamSid},"media":{"payload":"${base64Of(bytes)}"}}`;
  }

  mark(name: string): string {
    return `{"event":"mark","stream_sid":${this.streamSid},"mark":{"name":${JSON.stringify(name)}}}`;
  }

  clear(): string[] {
    return [`{"event":"clear","stream_sid":${this.streamSid}}`];
  }

  private started({ stream_sid, start }: Extract<z.output<typeof Message>, { event: 'start' }>): DialectEvent[] {
    const sampleRate = start.media_format.sample_rate ?? 8000;
    if (![8000, 16_000, 24_000].includes(sampleRate)) {
      return [{ kind: 'lost-track', message: `Exotel streams at ${sampleRate} Hz, which it does not document` }];
    }
    const streamId = start.stream_sid ?? stream_sid ?? '';
    this.streamSid = JSON.stringify(streamId);
    const { call_sid: callId, from, to, custom_parameters: parameters } = start;
    const format: MediaFormat = { encoding: 'pcm16', sampleRate };
    return [{ kind: 'started', start: { format, callId, streamId, from, to, parameters } }];
  }
}

/** Exotel's voicebot applet. */
export const exotelMedia: MediaProtocol = {
  capabilities: exotelMediaCapabilities,
  subprotocols: [],
  open: (options) => new CallLine(new ExotelDialect(), options),
};

const Credentials = z.object({
  accountSid: z.string().min(1).max(100),
  apiKey: z.string().min(1).meta({ secret: true }),
  apiToken: z.string().min(1).meta({ secret: true }),
  flowId: z.string().regex(/^\d+$/).optional().meta({
    description: 'The flow with the Voicebot applet that answers outbound calls; without it the call is streamed directly.',
  }),
  webhookSecret: z.string().min(16).meta({
    description: 'A password of your choice: Exotel does not sign its requests, so the addresses that it requests contain this.',
    secret: true,
  }),
  apiUrl: ApiUrl('https://api.exotel.com'),
});

/** Exotel: Indian numbers, with the Voicebot applet. */
export const exotel: CarrierDescriptor<typeof Credentials> = {
  id: 'exotel',
  name: 'Exotel',
  credentials: Credentials,
  capabilities: {
    media: exotelMediaCapabilities,
    control: exotelControlCapabilities,
    connects: 'websocket',
    signs: { webhooks: false, upgrade: false },
  },
  open: (credentials, { fetch }) => {
    const control = new ExotelControl(credentials, fetch);
    return askedCarrier({
      id: 'exotel',
      media: exotelMedia,
      control,
      webhooks: new ExotelWebhooks(credentials.webhookSecret, credentials.accountSid),
    });
  },
};
