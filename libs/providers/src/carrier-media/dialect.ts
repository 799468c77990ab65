import type { MediaCapabilities, MediaFormat, MediaStart, WireMessage } from '@parley/ports';
import { z } from 'zod';

/** What a message from a carrier says. */
export type DialectEvent =
  | { readonly kind: 'started'; readonly start: MediaStart }
  | { readonly kind: 'audio'; readonly bytes: Uint8Array }
  | { readonly kind: 'digit'; readonly digit: string }
  | { readonly kind: 'marked'; readonly name: string }
  | { readonly kind: 'stopped'; readonly message: string }
  /** The carrier pauses audio, and resumes it. */
  | { readonly kind: 'held' }
  | { readonly kind: 'released' }
  /** Everything that the carrier held was heard. */
  | { readonly kind: 'drained' }
  | { readonly kind: 'trouble'; readonly message: string }
  /** Not of this protocol. */
  | { readonly kind: 'malformed'; readonly message: string }
  /** Nothing can follow that would be understood. */
  | { readonly kind: 'lost-track'; readonly message: string };

/** What one message may hold, in bytes of one format. */
export interface ChunkLimits {
  readonly bytesMin: number;
  readonly bytesMultiple: number;
  readonly bytesMax: number;
}

/** One carrier's messages, both ways, for one call. It knows the words; what a call does with them is the line's. */
export interface Dialect {
  readonly capabilities: MediaCapabilities;
  /** Whether the carrier announces an orderly close. If not, closing means hanging up. */
  readonly saysStop: boolean;
  chunkOf(format: MediaFormat): ChunkLimits;
  /** Never throws. */
  read(message: WireMessage): readonly DialectEvent[];
  /** The start assumed when the carrier has sent no start message a second after connecting. */
  presumedStart?(): readonly DialectEvent[];
  audio(bytes: Uint8Array): WireMessage;
  /** Only where the carrier has marks. */
  mark?(name: string): WireMessage;
  /** Only if the carrier can drop buffered audio. */
  clear?(): readonly WireMessage[];
  digits?(digits: string): readonly WireMessage[];
  /** Requests `drained`; without it a mark is awaited before the end. */
  drain?(): WireMessage;
  hangUp?(): WireMessage;
}

/** One sample's worth of silence. */
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

/** Audio of a JSON message. Decoding is the one copy that such a carrier costs on the way in. */
export function audioOf(payload: string): DialectEvent[] {
  const bytes = Buffer.from(payload, 'base64');
  return bytes.length > 0 ? [{ kind: 'audio', bytes }] : [];
}

/** Audio as a JSON message carries it: the one copy on the way out. */
export function base64Of(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64');
}

/** One key of a keypad; anything else is not passed on. */
export function digitOf(digit: string | undefined): DialectEvent[] {
  return digit !== undefined && /^[0-9*#A-D]$/.test(digit) ? [{ kind: 'digit', digit }] : [];
}

/** What a start message sent along: texts only, and not without limit. */
export const Parameters = z
  .record(z.string(), z.unknown())
  .catch({})
  .transform((all) => {
    const texts = Object.entries(all).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
    return Object.fromEntries(texts.slice(0, 50).map(([name, value]) => [name, value.slice(0, 1024)]));
  });

/** A number, or the text of one. */
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

/** Any length of whole samples, up to a second. */
export function anyLength({ encoding, sampleRate }: MediaFormat): ChunkLimits {
  const sampleBytes = encoding === 'pcm16' ? 2 : 1;
  return { bytesMin: sampleBytes, bytesMultiple: sampleBytes, bytesMax: sampleRate * sampleBytes };
}

const aheadMax = 5;

/**
 * Orders chunks by number. A missing one is given up once enough later ones have come: at 20 ms a chunk that delays a tenth of a
 * second after a loss, and nothing otherwise.
 */
export class ChunkOrder<Chunk> {
  private readonly waiting = new Map<number, Chunk>();
  private next: number | undefined;

  /** What may be heard now. A chunk that comes twice, or after it was given up, is dropped. */
  push(number: number, chunk: Chunk): Chunk[] {
    this.next ??= number;
    if (number < this.next) return [];
    this.waiting.set(number, chunk);
    const ready = this.inOrder();
    if (this.waiting.size < aheadMax) return ready;
    this.next = Math.min(...this.waiting.keys());
    return [...ready, ...this.inOrder()];
  }

  /** Everything that still waits, in order. */
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
