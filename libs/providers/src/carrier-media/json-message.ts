import type { MediaFormat, WireMessage } from '@parley/ports';
import { z } from 'zod';
import type { ChunkLimits, Happening } from './dialect';

const charactersMax = 512 * 1024;

/** A text message as whatever JSON it holds; undefined for anything else. */
export function jsonOf(message: WireMessage): unknown {
  if (typeof message !== 'string' || message.length > charactersMax) return undefined;
  try {
    const json: unknown = JSON.parse(message);
    return json;
  } catch {
    return undefined;
  }
}

/** What is said of a message that the carrier's documentation does not know. */
export function malformed(carrier: string): Happening[] {
  return [{ kind: 'malformed', message: `a message that is none of ${carrier}'s` }];
}

/** Audio of a JSON message. Decoding is the one copy that such a carrier costs on the way in. */
export function audioOf(payload: string): Happening[] {
  const bytes = Buffer.from(payload, 'base64');
  return bytes.length > 0 ? [{ kind: 'audio', bytes }] : [];
}

/** Audio as a JSON message carries it: the one copy on the way out. */
export function base64Of(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64');
}

/** One key of a keypad; anything else is not passed on. */
export function digitOf(digit: string | undefined): Happening[] {
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

/** Any length that is made of whole samples, up to a second. */
export function anyLength({ encoding, sampleRate }: MediaFormat): ChunkLimits {
  const sampleBytes = encoding === 'pcm16' ? 2 : 1;
  return { bytesMin: sampleBytes, bytesMultiple: sampleBytes, bytesMax: sampleRate * sampleBytes };
}
