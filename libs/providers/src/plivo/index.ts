import type { CarrierDescriptor, MediaCapabilities, MediaFormat, MediaProtocol, WireMessage } from '@parley/ports';
import { z } from 'zod';
import { ApiUrl, askedCarrier } from '../carrier-http';
import {
  anyLength,
  audioOf,
  base64Of,
  CallLine,
  type ChunkLimits,
  Count,
  type Dialect,
  digitOf,
  formatOf,
  type DialectEvent,
  jsonOf,
  malformed,
} from '../carrier-media';
import { PlivoControl, plivoControlCapabilities, PlivoWebhooks } from './plivo-calls';

const mulaw = { encoding: 'mulaw', sampleRate: 8000 } as const;

/** An audio stream of Plivo, as requested by our answer document. */
const plivoMediaCapabilities: MediaCapabilities = {
  formats: [mulaw, { encoding: 'pcm16', sampleRate: 8000 }, { encoding: 'pcm16', sampleRate: 16_000 }],
  frameMs: 20,
  chunk: anyLength(mulaw),
  marks: 'carrier',
  clears: 'carrier',
  aheadMsMax: Number.POSITIVE_INFINITY,
  leadMs: 60,
  digitsIn: true,
  digitsOut: 'tone',
  hangUpEndsCall: false,
};

const Message = z.discriminatedUnion('event', [
  z.object({ event: z.literal('media'), media: z.object({ payload: z.string(), track: z.string().optional() }) }),
  z.object({
    event: z.literal('start'),
    start: z.object({
      callId: z.string(),
      streamId: z.string(),
      mediaFormat: z.object({ encoding: z.string(), sampleRate: Count }).default({ encoding: 'audio/x-l16', sampleRate: 8000 }),
    }),
    extra_headers: z.string().max(2000).catch(''),
  }),
  z.object({ event: z.literal('playedStream'), name: z.string() }),
  z.object({ event: z.literal('dtmf'), dtmf: z.object({ digit: z.string() }) }),
  z.object({ event: z.enum(['connected', 'clearedAudio', 'stop']) }),
]);

/**
 * Plivo's audio streams, in base64 in both directions. With mu-law, which our answer document requests, samples are never converted. A
 * checkpoint that Plivo does not acknowledge counts as heard when a later one is.
 */
class PlivoDialect implements Dialect {
  readonly capabilities = plivoMediaCapabilities;
  readonly saysStop = true;
  private streamId = '""';
  private audioHead = '';

  chunkOf(format: MediaFormat): ChunkLimits {
    return anyLength(format);
  }

  read(message: WireMessage): readonly DialectEvent[] {
    const { data } = Message.safeParse(jsonOf(message));
    if (!data) return malformed('Plivo');
    switch (data.event) {
      case 'media':
        return data.media.track === 'outbound' ? [] : audioOf(data.media.payload);
      case 'start':
        return this.started(data);
      case 'playedStream':
        return [{ kind: 'marked', name: data.name }];
      case 'dtmf':
        return digitOf(data.dtmf.digit);
      case 'connected':
      case 'clearedAudio':
        return [];
      case 'stop':
        return [{ kind: 'stopped', message: 'Plivo stopped the stream' }];
    }
  }

  audio(bytes: Uint8Array): string {
    return `${this.audioHead}${base64Of(bytes)}"}}`;
  }

  mark(name: string): string {
    return `{"event":"checkpoint","streamId":${this.streamId},"name":${JSON.stringify(name)}}`;
  }

  clear(): string[] {
    return [`{"event":"clearAudio","streamId":${this.streamId}}`];
  }

  private started({ start, extra_headers }: Extract<z.output<typeof Message>, { event: 'start' }>): DialectEvent[] {
    const { callId, streamId, mediaFormat } = start;
    const format = formatOf(mediaFormat.encoding, mediaFormat.sampleRate);
    if (!format) return [{ kind: 'lost-track', message: `Plivo streams ${mediaFormat.encoding}, which is not known` }];
    this.streamId = JSON.stringify(streamId);
    const contentType = format.encoding === 'mulaw' ? 'audio/x-mulaw' : 'audio/x-l16';
    this.audioHead = `{"event":"playAudio","media":{"contentType":"${contentType}","sampleRate":${format.sampleRate},"payload":"`;
    const parameters = extraHeadersOf(extra_headers);
    return [{ kind: 'started', start: { format, callId, streamId, from: undefined, to: undefined, parameters } }];
  }
}

/** Parses `a=1,b=2`, which may be in braces and have names prefixed with `X-PH-`. */
function extraHeadersOf(text: string): Record<string, string> {
  const pairs = text.replace(/[{}]/g, '').split(/[,;]/);
  const named = pairs.map((pair) => /^\s*(?:X-PH-)?([A-Za-z0-9-]+)\s*[=:]\s*(.*?)\s*$/.exec(pair));
  return Object.fromEntries(named.flatMap((found) => (found ? [[found[1] ?? '', found[2] ?? '']] : [])));
}

/** Plivo's bidirectional audio streams. */
export const plivoMedia: MediaProtocol = {
  capabilities: plivoMediaCapabilities,
  subprotocols: [],
  open: (options) => new CallLine(new PlivoDialect(), options),
};

const Credentials = z.object({
  authId: z.string().min(1).max(100).meta({ example: 'MA…' }),
  authToken: z.string().min(1).meta({ description: 'The Auth Token, with which Plivo also signs its requests.', secret: true }),
  apiUrl: ApiUrl('https://api.plivo.com'),
});

/** Plivo: programmable voice with bidirectional audio streams. */
export const plivo: CarrierDescriptor<typeof Credentials> = {
  id: 'plivo',
  name: 'Plivo',
  credentials: Credentials,
  capabilities: {
    media: plivoMediaCapabilities,
    control: plivoControlCapabilities,
    connects: 'websocket',
    signs: { webhooks: true, upgrade: false },
  },
  open: (credentials, { publicUrl, fetch }) => {
    const control = new PlivoControl(credentials, fetch);
    return askedCarrier({
      id: 'plivo',
      media: plivoMedia,
      control,
      webhooks: new PlivoWebhooks(credentials.authToken, publicUrl, credentials.authId),
    });
  },
};
