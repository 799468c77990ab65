import type { MediaCapabilities, MediaProtocol, WireMessage } from '@parley/ports';
import { z } from 'zod';
import {
  anyLength,
  CallLine,
  type Dialect,
  digitOf,
  formatOf,
  type Happening,
  jsonOf,
  malformed,
  Parameters,
} from '../carrier-media';

const mulaw = { encoding: 'mulaw', sampleRate: 8000 } as const;

/** A line of the simulated network: mu-law, as most telephone lines are. */
export const loopbackMediaCapabilities: MediaCapabilities = {
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

/** What the simulated network says on a line beside audio, which is binary. */
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

  read(message: WireMessage): readonly Happening[] {
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

/** The simulated network's media: JSON words and binary mu-law, neither copied nor decoded on our side. */
export const loopbackMedia: MediaProtocol = {
  capabilities: loopbackMediaCapabilities,
  subprotocols: [],
  open: (options) => new CallLine(new LoopbackDialect(), options),
};
