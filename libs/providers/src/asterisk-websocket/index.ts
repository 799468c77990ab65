import {
  bytesOfMs,
  type CarrierDescriptor,
  type MediaCapabilities,
  type MediaFormat,
  type MediaProtocol,
  type WireMessage,
} from '@parley/ports';
import { z } from 'zod';
import { askedCarrier } from '../carrier-http';
import { AsteriskControl, asteriskControlCapabilities, AsteriskCredentials, AsteriskWebhooks } from '../asterisk';
import {
  CallLine,
  type ChunkLimits,
  Count,
  type Dialect,
  digitOf,
  formatOf,
  type DialectEvent,
  jsonOf,
  Parameters,
} from '../carrier-media';

const mulaw = { encoding: 'mulaw', sampleRate: 8000 } as const;
const bytesMax = 8000;

/**
 * Asterisk's WebSocket channel. Its queue has 20 s, can be flushed, and signals when to pause and continue. Audio is still sent in real
 * time, at most 400 ms ahead, which never fills the queue and is enough to survive a busy machine.
 */
const asteriskWebSocketMediaCapabilities: MediaCapabilities = {
  formats: [
    mulaw,
    { encoding: 'alaw', sampleRate: 8000 },
    { encoding: 'pcm16', sampleRate: 8000 },
    { encoding: 'pcm16', sampleRate: 16_000 },
    { encoding: 'pcm16', sampleRate: 24_000 },
  ],
  frameMs: 20,
  chunk: { bytesMin: 160, bytesMultiple: 160, bytesMax },
  marks: 'carrier',
  clears: 'carrier',
  aheadMsMax: 400,
  leadMs: 60,
  digitsIn: true,
  digitsOut: 'tone',
  hangUpEndsCall: true,
};

const Event = z.looseObject({
  event: z.string().max(50),
  connection_id: z.string().optional(),
  channel: z.string().optional(),
  channel_id: z.string().optional(),
  format: z.string().optional(),
  optimal_frame_size: Count.optional().catch(undefined),
  channel_variables: Parameters.default({}),
  correlation_id: z.string().optional(),
  digit: z.string().optional(),
  error_text: z.string().optional(),
});
type Event = z.output<typeof Event>;

/**
 * `chan_websocket` of Asterisk 20.16, 22.6 and later: binary audio in the channel's codec, which is not copied if the speech service
 * delivers whole frames; commands and events as plain text or JSON, depending on Asterisk's configuration.
 */
class AsteriskWebSocketDialect implements Dialect {
  readonly capabilities = asteriskWebSocketMediaCapabilities;
  readonly saysStop = false;
  private speaksJson = false;
  private frameBytes: number | undefined;

  /** Only whole frames, since Asterisk drops incomplete ones. */
  chunkOf(format: MediaFormat): ChunkLimits {
    const frame = this.frameBytes ?? bytesOfMs(format, 20);
    return { bytesMin: frame, bytesMultiple: frame, bytesMax: Math.max(frame, bytesMax - (bytesMax % frame)) };
  }

  read(message: WireMessage): readonly DialectEvent[] {
    if (typeof message !== 'string') return message.length > 0 ? [{ kind: 'audio', bytes: message }] : [];
    const event = this.eventOf(message);
    return event ? this.happened(event) : [{ kind: 'malformed', message: 'an event that no Asterisk sends' }];
  }

  audio(bytes: Uint8Array): Uint8Array {
    return bytes;
  }

  mark(name: string): string {
    return this.command('MARK_MEDIA', name);
  }

  clear(): string[] {
    return [this.command('FLUSH_MEDIA')];
  }

  drain(): string {
    return this.command('REPORT_QUEUE_DRAINED');
  }

  hangUp(): string {
    return this.command('HANGUP');
  }

  private command(command: string, id?: string): string {
    if (this.speaksJson) return JSON.stringify({ command, correlation_id: id });
    return id === undefined ? command : `${command} ${id}`;
  }

  private eventOf(message: string): Event | undefined {
    if (!message.startsWith('{')) return plainEvent(message);
    this.speaksJson = true;
    return Event.safeParse(jsonOf(message)).data;
  }

  private happened(event: Event): DialectEvent[] {
    switch (event.event) {
      case 'MEDIA_START':
        return this.started(event);
      case 'MEDIA_XOFF':
        return [{ kind: 'held' }];
      case 'MEDIA_XON':
        return [{ kind: 'released' }];
      case 'MEDIA_MARK_PROCESSED':
        return event.correlation_id ? [{ kind: 'marked', name: event.correlation_id }] : [];
      case 'QUEUE_DRAINED':
        return [{ kind: 'drained' }];
      case 'DTMF_END':
        return digitOf(event.digit);
      case 'ERROR':
        return [{ kind: 'trouble', message: `Asterisk reports: ${event.error_text?.slice(0, 300) ?? 'nothing more'}` }];
      case 'MEDIA_BUFFERING_COMPLETED':
      case 'STATUS':
        return [];
      default:
        return [{ kind: 'malformed', message: 'an event that no Asterisk sends' }];
    }
  }

  private started(event: Event): DialectEvent[] {
    const format = channelFormat(event.format ?? '');
    const size = event.optimal_frame_size ?? 0;
    if (!format || size < 1 || size > bytesMax) {
      return [{ kind: 'lost-track', message: 'the channel has another codec than ulaw, alaw or slin' }];
    }
    this.frameBytes = size;
    const { connection_id: streamId, channel_variables: parameters } = event;
    // The event names the WebSocket's channel, not the one in the dialplan.
    return [{ kind: 'started', start: { format, callId: undefined, streamId, from: undefined, to: undefined, parameters } }];
  }
}

/** Parses `NAME id` or `NAME key:value key:value`. Values contain no spaces, except the last one of an error. */
function plainEvent(message: string): Event | undefined {
  const [event = '', ...words] = message.trim().slice(0, 2000).split(' ');
  if (!/^[A-Z_]+$/.test(event)) return undefined;
  const pairs = words.flatMap((word) =>
    word.includes(':') ? [[word.slice(0, word.indexOf(':')), word.slice(word.indexOf(':') + 1)] as const] : [],
  );
  const [id] = words;
  const errorText = /error_text:(.*)/.exec(message)?.[1];
  const fields = Object.fromEntries(pairs);
  return Event.safeParse({ ...fields, event, ...(id !== undefined && { correlation_id: id }), error_text: errorText }).data;
}

function channelFormat(name: string): MediaFormat | undefined {
  const slin = /^slin(\d{0,3})$/.exec(name);
  if (slin) return formatOf('slin', slin[1] ? Number(slin[1]) * 1000 : 8000);
  return name === 'ulaw' || name === 'alaw' ? formatOf(name, 8000) : undefined;
}

/** Asterisk's `chan_websocket`, which connects to us or accepts connections. */
export const asteriskWebSocketMedia: MediaProtocol = {
  capabilities: asteriskWebSocketMediaCapabilities,
  subprotocols: ['media'],
  open: (options) => new CallLine(new AsteriskWebSocketDialect(), options),
};

/** A self-hosted Asterisk with its WebSocket channel, 20.16, 22.6 or later. */
export const asteriskWebSocket: CarrierDescriptor<typeof AsteriskCredentials> = {
  id: 'asterisk-websocket',
  name: 'Asterisk, by WebSocket',
  credentials: AsteriskCredentials,
  capabilities: {
    media: asteriskWebSocketMediaCapabilities,
    control: asteriskControlCapabilities,
    connects: 'websocket',
    signs: { webhooks: false, upgrade: false },
  },
  open: (credentials, { fetch }) => {
    const control = new AsteriskControl(credentials, fetch);
    return askedCarrier({
      id: 'asterisk-websocket',
      media: asteriskWebSocketMedia,
      control,
      webhooks: new AsteriskWebhooks(credentials.webhookSecret),
    });
  },
};
