import type { CarrierDescriptor, MediaCapabilities, MediaFormat, MediaProtocol, WireMessage } from '@parley/ports';
import { z } from 'zod';
import { ApiUrl } from '../carrier-http';
import {
  anyLength,
  CallLine,
  type ChunkLimits,
  Count,
  type Dialect,
  digitOf,
  type DialectEvent,
  jsonOf,
  malformed,
} from '../carrier-media';
import { JambonzControl, jambonzControlCapabilities, JambonzWebhooks } from './jambonz-calls';

const narrow = { encoding: 'pcm16', sampleRate: 8000 } as const;

/** An audio fork of FreeSWITCH or jambonz, with bidirectional streaming. */
const audioForkMediaCapabilities: MediaCapabilities = {
  formats: [narrow, { encoding: 'pcm16', sampleRate: 16_000 }],
  frameMs: 20,
  chunk: anyLength(narrow),
  marks: 'carrier',
  clears: 'carrier',
  aheadMsMax: 10_000,
  leadMs: 60,
  digitsIn: true,
  digitsOut: 'tone',
  hangUpEndsCall: true,
};

/** The first text frame, with jambonz's field names; a FreeSWITCH dialplan may send anything. */
const Metadata = z.looseObject({
  callSid: z.string().optional(),
  from: z.string().optional(),
  to: z.string().optional(),
  sampleRate: Count.optional().catch(undefined),
  mixType: z.string().default('mono'),
});

const Message = z.union([
  z.object({ type: z.literal('mark'), data: z.object({ name: z.string() }) }),
  z.object({ event: z.literal('dtmf'), digit: z.union([z.string(), z.number()]).transform(String) }),
  z.object({ type: z.enum(['playDone', 'transcription', 'error', 'connect', 'disconnect', 'json']) }),
]);

/**
 * `mod_audio_fork` of FreeSWITCH and the `listen` verb of jambonz, with bidirectional streaming: binary 16-bit PCM, which is not copied.
 * The connection is closed when the call is over.
 */
class AudioForkDialect implements Dialect {
  readonly capabilities = audioForkMediaCapabilities;
  readonly saysStop = false;
  readonly chunkOf = (format: MediaFormat): ChunkLimits => anyLength(format);
  private hasStarted = false;

  read(message: WireMessage): readonly DialectEvent[] {
    if (typeof message !== 'string') return message.length > 0 ? [{ kind: 'audio', bytes: message }] : [];
    const json = jsonOf(message);
    if (!this.hasStarted) return this.started(json);
    const { data } = Message.safeParse(json);
    if (!data) return malformed('an audio fork');
    if ('event' in data) return digitOf(data.digit);
    return data.type === 'mark' ? [{ kind: 'marked', name: data.data.name }] : [];
  }

  audio(bytes: Uint8Array): Uint8Array {
    return bytes;
  }

  mark(name: string): string {
    return JSON.stringify({ type: 'mark', data: { name } });
  }

  clear(): string[] {
    return ['{"type":"killAudio"}', '{"type":"clearMarks"}'];
  }

  hangUp(): string {
    return '{"type":"disconnect"}';
  }

  private started(json: unknown): DialectEvent[] {
    const { data } = Metadata.safeParse(json);
    if (!data) return malformed('an audio fork');
    if (data.mixType !== 'mono') return [{ kind: 'lost-track', message: `a fork of mixType ${data.mixType}: it must be mono` }];
    const sampleRate = data.sampleRate ?? narrow.sampleRate;
    if (![8000, 16_000, 24_000, 48_000].includes(sampleRate))
      return [{ kind: 'lost-track', message: `a fork at ${sampleRate} Hz` }];
    this.hasStarted = true;
    const texts = Object.entries(data).filter((field): field is [string, string] => typeof field[1] === 'string');
    const parameters = Object.fromEntries(texts.slice(0, 50));
    const format: MediaFormat = { encoding: 'pcm16', sampleRate };
    const { callSid: callId, from, to } = data;
    return [{ kind: 'started', start: { format, callId, streamId: undefined, from, to, parameters } }];
  }
}

/** An audio fork over a WebSocket. */
export const audioForkMedia: MediaProtocol = {
  capabilities: audioForkMediaCapabilities,
  subprotocols: ['audio.jambonz.org', 'audio.drachtio.org'],
  open: (options) => new CallLine(new AudioForkDialect(), options),
};

const Credentials = z.object({
  accountSid: z
    .string()
    .min(1)
    .max(100)
    .optional()
    .meta({ description: 'The account at jambonz. Leave it out for FreeSWITCH without jambonz.' }),
  apiKey: z
    .string()
    .min(1)
    .optional()
    .meta({ description: 'The API key at jambonz. Leave it out for FreeSWITCH without jambonz.', secret: true }),
  webhookSecret: z
    .string()
    .min(8)
    .meta({ description: 'The webhook secret of the account; for FreeSWITCH, a password of your choice.', secret: true }),
  apiUrl: ApiUrl('https://api.jambonz.cloud'),
});

/** jambonz with its `listen` verb; or a self-hosted FreeSWITCH with `mod_audio_fork`, which cannot place calls. */
export const audioFork: CarrierDescriptor<typeof Credentials> = {
  id: 'audio-fork',
  name: 'jambonz, or FreeSWITCH with mod_audio_fork',
  credentials: Credentials,
  capabilities: {
    media: audioForkMediaCapabilities,
    control: jambonzControlCapabilities,
    connects: 'websocket',
    signs: { webhooks: true, upgrade: true },
  },
  open: ({ accountSid, apiKey, webhookSecret, apiUrl }, { fetch }) => {
    const control = accountSid && apiKey ? new JambonzControl({ accountSid, apiKey, apiUrl }, fetch) : undefined;
    return {
      id: 'audio-fork',
      media: audioForkMedia,
      ...(control && { control, test: (signal?: AbortSignal) => control.test(signal) }),
      webhooks: new JambonzWebhooks(webhookSecret, accountSid),
      close: async () => {},
    };
  },
};
