import type { MediaCapabilities, MediaFormat, MediaStart, WireMessage } from '@parley/ports';
import { z } from 'zod';

/** The content of a carrier's message. */
export type DialectEvent =
  | { readonly kind: 'started'; readonly start: MediaStart }
  | { readonly kind: 'audio'; readonly bytes: Uint8Array }
  | { readonly kind: 'digit'; readonly digit: string }
  | { readonly kind: 'marked'; readonly name: string }
  | { readonly kind: 'stopped'; readonly message: string }
  /** The carrier asks us to pause sending audio. */
  | { readonly kind: 'held' }
  | { readonly kind: 'released' }
  /** The carrier has played everything in its buffer. */
  | { readonly kind: 'drained' }
  | { readonly kind: 'trouble'; readonly message: string }
  /** A message that is not part of the protocol. */
  | { readonly kind: 'malformed'; readonly message: string }
  /** Framing is lost, so no later message can be understood. */
  | { readonly kind: 'lost-track'; readonly message: string };

/** The size limits of a message, in bytes of one format. */
export interface ChunkLimits {
  readonly bytesMin: number;
  readonly bytesMultiple: number;
  readonly bytesMax: number;
}

/** Reads and writes a carrier's messages for one call. What they mean for the call is up to `CallLine`. */
export interface Dialect {
  readonly capabilities: MediaCapabilities;
  /** Whether the carrier announces an orderly end. If not, closing the connection means hanging up. */
  readonly saysStop: boolean;
  chunkOf(format: MediaFormat): ChunkLimits;
  /** Never throws. */
  read(message: WireMessage): readonly DialectEvent[];
  /** The start that is assumed if the carrier sends no start message within a second. */
  presumedStart?(): readonly DialectEvent[];
  audio(bytes: Uint8Array): WireMessage;
  /** Present if the carrier supports marks. */
  mark?(name: string): WireMessage;
  /** Present if the carrier can drop buffered audio. */
  clear?(): readonly WireMessage[];
  digits?(digits: string): readonly WireMessage[];
  /** Requests `drained`. Absent: a mark is awaited before the end. */
  drain?(): WireMessage;
  hangUp?(): WireMessage;
}

/** Silence of this many bytes. */
export function silenceOf({ encoding }: MediaFormat, bytes: number): Uint8Array {
  return new Uint8Array(bytes).fill(encoding === 'mulaw' ? 0xff : encoding === 'alaw' ? 0xd5 : 0);
}

const charactersMax = 512 * 1024;

/** A text message parsed as JSON; undefined for anything else. */
export function jsonOf(message: WireMessage): unknown {
  if (typeof message !== 'string' || message.length > charactersMax) return undefined;
  try {
    const json: unknown = JSON.parse(message);
    return json;
  } catch {
    return undefined;
  }
}

/** The warning for a message that the carrier's documentation does not describe. */
export function malformed(carrier: string): DialectEvent[] {
  return [{ kind: 'malformed', message: `a message that is none of ${carrier}'s` }];
}

/** Decodes the audio of a JSON message, which is the only copy on the way in. */
export function audioOf(payload: string): DialectEvent[] {
  const bytes = Buffer.from(payload, 'base64');
  return bytes.length > 0 ? [{ kind: 'audio', bytes }] : [];
}

/** Encodes audio for a JSON message, which is the only copy on the way out. */
export function base64Of(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64');
}

/** The event of a key; anything else is ignored. */
export function digitOf(digit: string | undefined): DialectEvent[] {
  return digit !== undefined && /^[0-9*#A-D]$/.test(digit) ? [{ kind: 'digit', digit }] : [];
}

/** The parameters of a start message: texts, limited in number and length. */
export const Parameters = z
  .record(z.string(), z.unknown())
  .catch({})
  .transform((all) => {
    const texts = Object.entries(all).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
    return Object.fromEntries(texts.slice(0, 50).map(([name, value]) => [name, value.slice(0, 1024)]));
  });

/** A number, possibly as text. */
export const Count = z.union([z.number(), z.string().regex(/^\d{1,15}$/)]).transform(Number);

/** Encoding names as carriers write them. */
export function formatOf(encoding: string, sampleRate: number): MediaFormat | undefined {
  const name = encoding.toLowerCase();
  if (sampleRate < 8000 || sampleRate > 48_000) return undefined;
  if (/mulaw|ulaw|pcmu/.test(name)) return { encoding: 'mulaw', sampleRate };
  if (/alaw|pcma/.test(name)) return { encoding: 'alaw', sampleRate };
  if (/l16|raw|pcm|slin|linear/.test(name)) return { encoding: 'pcm16', sampleRate };
  return undefined;
}

/** Chunks of any number of whole samples, up to a second. */
export function anyLength({ encoding, sampleRate }: MediaFormat): ChunkLimits {
  const sampleBytes = encoding === 'pcm16' ? 2 : 1;
  return { bytesMin: sampleBytes, bytesMultiple: sampleBytes, bytesMax: sampleRate * sampleBytes };
}

const aheadMax = 5;

/**
 * Orders chunks by number. A missing chunk is given up once enough later ones have arrived, so with chunks of 20 ms a loss causes a
 * delay of a tenth of a second, and otherwise there is none.
 */
export class ChunkOrder<Chunk> {
  private readonly waiting = new Map<number, Chunk>();
  private next: number | undefined;

  /** The chunks that are now in order. Repeated chunks, and those already given up, are dropped. */
  push(number: number, chunk: Chunk): Chunk[] {
    this.next ??= number;
    if (number < this.next) return [];
    this.waiting.set(number, chunk);
    const ready = this.inOrder();
    if (this.waiting.size < aheadMax) return ready;
    this.next = Math.min(...this.waiting.keys());
    return [...ready, ...this.inOrder()];
  }

  /** The remaining chunks, in order. */
  flush(): Chunk[] {
    const rest = [...this.waiting].sort(([one], [other]) => one - other).map(([, chunk]) => chunk);
    this.waiting.clear();
    return rest;
  }

  private inOrder(): Chunk[] {
    const ready: Chunk[] = [];
    for (let number = this.next ?? 0; ; number++) {
      const chunk = this.waiting.get(number);
      if (chunk === undefined) {
        this.next = number;
        return ready;
      }
      this.waiting.delete(number);
      ready.push(chunk);
    }
  }
}
