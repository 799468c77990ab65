import { joinSamples, resample } from '@parley/audio';
import type { CarrierDescriptor, MediaCapabilities, MediaClock, MediaProtocol, WireMessage } from '@parley/ports';
import { z } from 'zod';
import {
  anyLength,
  CallLine,
  type Dialect,
  digitOf,
  formatOf,
  type DialectEvent,
  jsonOf,
  malformed,
  Parameters,
} from '../carrier-media';
import { Flite } from '../flite';
import { commandsOf, LoopbackControl, loopbackControlCapabilities, remoteNetwork } from './loopback-control';
import { LoopbackNetwork } from './loopback-network';
import { LoopbackWebhooks } from './loopback-webhooks';
import { networkRate } from './handset';

export {
  Handset,
  menu,
  networkRate,
  person,
  type Phone,
  type PhoneStep,
  type PreparedStep,
  preparedScript,
  voicemail,
} from './handset';
export { type LoopbackFaults, LoopbackNetwork, type LoopbackOrder } from './loopback-network';
export { serveNetwork } from './loopback-control';

const mulaw = { encoding: 'mulaw', sampleRate: 8000 } as const;

/** A line of the simulated network: mu-law, like most telephone lines. */
const loopbackMediaCapabilities: MediaCapabilities = {
  formats: [mulaw],
  frameMs: 20,
  chunk: anyLength(mulaw),
  marks: 'carrier',
  clears: 'carrier',
  aheadMsMax: Number.POSITIVE_INFINITY,
  leadMs: 60,
  digitsIn: true,
  digitsOut: 'message',
  hangUpEndsCall: true,
};

/** The text messages of the simulated network; audio is binary. */
const Message = z.discriminatedUnion('event', [
  z.object({
    event: z.literal('start'),
    callId: z.string(),
    from: z.string(),
    to: z.string(),
    encoding: z.string(),
    sampleRate: z.number(),
    parameters: Parameters.default({}),
  }),
  z.object({ event: z.literal('digit'), digit: z.string() }),
  z.object({ event: z.literal('mark'), name: z.string() }),
  z.object({ event: z.literal('stop') }),
]);

class LoopbackDialect implements Dialect {
  readonly capabilities = loopbackMediaCapabilities;
  readonly saysStop = true;
  readonly chunkOf = anyLength;

  read(message: WireMessage): readonly DialectEvent[] {
    if (typeof message !== 'string') return message.length > 0 ? [{ kind: 'audio', bytes: message }] : [];
    const { data } = Message.safeParse(jsonOf(message));
    if (!data) return malformed('the simulated network');
    switch (data.event) {
      case 'start': {
        const { callId, from, to, parameters } = data;
        const format = formatOf(data.encoding, data.sampleRate);
        if (!format) return [{ kind: 'lost-track', message: 'an encoding that the simulated network does not know' }];
        return [{ kind: 'started', start: { format, callId, streamId: undefined, from, to, parameters } }];
      }
      case 'digit':
        return digitOf(data.digit);
      case 'mark':
        return [{ kind: 'marked', name: data.name }];
      case 'stop':
        return [{ kind: 'stopped', message: 'the other side hung up' }];
    }
  }

  audio(bytes: Uint8Array): Uint8Array {
    return bytes;
  }

  mark(name: string): string {
    return JSON.stringify({ event: 'mark', name });
  }

  clear(): string[] {
    return ['{"event":"clear"}'];
  }

  digits(digits: string): string[] {
    return [JSON.stringify({ event: 'digits', digits })];
  }

  hangUp(): string {
    return '{"event":"hangup"}';
  }
}

/** The simulated network's media: JSON messages and binary mu-law, which is not copied or decoded on our side. */
export const loopbackMedia: MediaProtocol = {
  capabilities: loopbackMediaCapabilities,
  subprotocols: [],
  open: (options) => new CallLine(new LoopbackDialect(), options),
};

const Credentials = z.object({
  secret: z
    .string()
    .min(8)
    .default('loopback-demo-secret')
    .meta({ description: 'The secret with which the simulated network signs its requests.', secret: true }),
  networkUrl: z
    .url({ protocol: /^https?$/ })
    .optional()
    .meta({ description: 'A simulated network in another process; without it there is one in this process.' }),
});

let ownNetwork: LoopbackNetwork | undefined;

/** The network of this process, on the clock of its first user. Its simulated people speak with flite. */
function localNetwork(clock: MediaClock): LoopbackNetwork {
  ownNetwork ??= new LoopbackNetwork({ clock, voice: fliteVoice() });
  return ownNetwork;
}

/** The flite voice that the demo recognizer understands best over a telephone. */
const voice = 'rms';

/** Synthesizes English words at 8 kHz; the engine is started with the first request. */
export function fliteVoice(): (words: string) => Promise<Int16Array> {
  let flite: Flite | undefined;
  return async (text) => {
    flite ??= new Flite({ threads: 1 });
    const blocks: Int16Array[] = [];
    let sampleRate = networkRate;
    for await (const block of flite.speak({ text, language: 'english', voice })) {
      blocks.push(block.samples);
      sampleRate = block.sampleRate;
    }
    return resample(joinSamples(blocks), sampleRate, networkRate);
  };
}

/** A simulated telephone network for development, demonstrations and tests. */
export const loopback: CarrierDescriptor<typeof Credentials> = {
  id: 'loopback',
  name: 'Simulated network',
  credentials: Credentials,
  capabilities: {
    media: loopbackMediaCapabilities,
    control: loopbackControlCapabilities,
    connects: 'websocket',
    reachesAnyHost: true,
    signs: { webhooks: true, upgrade: false },
  },
  open: ({ secret, networkUrl }, { publicUrl, clock }) => {
    const commands = networkUrl === undefined ? commandsOf(localNetwork(clock)) : remoteNetwork(networkUrl);
    return {
      id: 'loopback',
      media: loopbackMedia,
      control: new LoopbackControl(commands, secret),
      webhooks: new LoopbackWebhooks(secret, publicUrl),
      close: async () => {},
    };
  },
};
