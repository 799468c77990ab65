import type { CarrierDescriptor, MediaCapabilities, MediaProtocol, WireMessage } from '@parley/ports';
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
  Parameters,
} from '../carrier-media';
import { TwilioControl, twilioControlCapabilities, TwilioWebhooks } from './twilio-calls';

const mulaw = { encoding: 'mulaw', sampleRate: 8000 } as const;

/** A media stream of Twilio, which supports only mu-law and queues at most ten minutes. */
const twilioMediaCapabilities: MediaCapabilities = {
  formats: [mulaw],
  frameMs: 20,
  chunk: anyLength(mulaw),
  marks: 'carrier',
  clears: 'carrier',
  aheadMsMax: 9 * 60_000,
  leadMs: 60,
  digitsIn: true,
  digitsOut: 'tone',
  hangUpEndsCall: false,
};

const Message = z.discriminatedUnion('event', [
  z.object({
    event: z.literal('media'),
    media: z.object({ payload: z.string(), track: z.string().optional() }),
  }),
  z.object({
    event: z.literal('start'),
    start: z.object({
      streamSid: z.string(),
      callSid: z.string(),
      mediaFormat: z.object({ encoding: z.string(), sampleRate: Count }),
      customParameters: Parameters.default({}),
    }),
  }),
  z.object({ event: z.literal('mark'), mark: z.object({ name: z.string() }) }),
  z.object({ event: z.literal('dtmf'), dtmf: z.object({ digit: z.string() }) }),
  z.object({ event: z.enum(['connected', 'stop']) }),
]);

/**
 * Twilio Media Streams. Audio is mu-law in base64 in both directions: each frame is decoded or encoded once, and its samples are never
 * converted.
 */
class TwilioDialect implements Dialect {
  readonly capabilities = twilioMediaCapabilities;
  readonly saysStop = true;
  private streamSid = '';

  chunkOf(): ChunkLimits {
    return this.capabilities.chunk;
  }

  read(message: WireMessage): readonly DialectEvent[] {
    const { data } = Message.safeParse(jsonOf(message));
    if (!data) return malformed('Twilio');
    switch (data.event) {
      case 'media':
        return data.media.track?.startsWith('outbound') ? [] : audioOf(data.media.payload);
      case 'start':
        return this.started(data.start);
      case 'mark':
        return [{ kind: 'marked', name: data.mark.name }];
      case 'dtmf':
        return digitOf(data.dtmf.digit);
      case 'connected':
        return [];
      case 'stop':
        return [{ kind: 'stopped', message: 'Twilio stopped the stream' }];
    }
  }

  audio(bytes: Uint8Array): string {
    // Built by hand, since only the payload differs between frames.
    return `{"event":"media","streamSid":${this.streamSid},"media":{"payload":"${base64Of(bytes)}"}}`;
  }

  mark(name: string): string {
    return `{"event":"mark","streamSid":${this.streamSid},"mark":{"name":${JSON.stringify(name)}}}`;
  }

  clear(): string[] {
    return [`{"event":"clear","streamSid":${this.streamSid}}`];
  }

  private started(start: Extract<z.output<typeof Message>, { event: 'start' }>['start']): DialectEvent[] {
    const format = formatOf(start.mediaFormat.encoding, start.mediaFormat.sampleRate);
    if (format?.encoding !== 'mulaw') return [{ kind: 'lost-track', message: 'Twilio streams something else than mu-law' }];
    if (this.streamSid === '') this.streamSid = JSON.stringify(start.streamSid);
    const { callSid: callId, streamSid: streamId, customParameters: parameters } = start;
    return [{ kind: 'started', start: { format, callId, streamId, from: undefined, to: undefined, parameters } }];
  }
}

/** Twilio's bidirectional media streams, as opened by `<Connect><Stream>`. */
export const twilioMedia: MediaProtocol = {
  capabilities: twilioMediaCapabilities,
  subprotocols: [],
  open: (options) => new CallLine(new TwilioDialect(), options),
};

const Credentials = z.object({
  accountSid: z
    .string()
    .regex(/^AC[0-9a-f]{32}$/i, 'must be an Account SID, which begins with AC')
    .meta({ example: 'AC…' }),
  authToken: z.string().min(1).meta({ description: 'The Auth Token, with which Twilio also signs its requests.', secret: true }),
  apiUrl: ApiUrl('https://api.twilio.com'),
});

/** Twilio: programmable voice with bidirectional media streams. */
export const twilio: CarrierDescriptor<typeof Credentials> = {
  id: 'twilio',
  name: 'Twilio',
  credentials: Credentials,
  capabilities: {
    media: twilioMediaCapabilities,
    control: twilioControlCapabilities,
    connects: 'websocket',
    signs: { webhooks: true, upgrade: true },
  },
  open: (credentials, { publicUrl, fetch }) => {
    const control = new TwilioControl(credentials, fetch);
    return askedCarrier({
      id: 'twilio',
      media: twilioMedia,
      control,
      webhooks: new TwilioWebhooks(credentials.authToken, publicUrl, credentials.accountSid),
    });
  },
};
