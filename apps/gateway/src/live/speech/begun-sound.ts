import { Readable } from 'node:stream';
import { type AudioItem, Fault } from '@parley/contracts';
import type { Logger } from '@parley/service-kit';
import type { FastifyReply } from 'fastify';

/** A run of sound, and how much of the text is spoken by its end. */
interface SoundPart {
  readonly bytes: Buffer;
  readonly characters: number | undefined;
}

/** Sound of which the first part is there, though none has left yet. */
export interface BegunSound {
  readonly format: Extract<AudioItem, { type: 'format' }>;
  /** In parts of at most 64 kB. Leaving the loop early ends the synthesis. */
  readonly bytes: AsyncGenerator<SoundPart>;
}

/** Waits until there is sound: so long a refusal can still be a proper answer. */
export async function beginSound(items: AsyncIterable<AudioItem>): Promise<BegunSound> {
  const steps = items[Symbol.asyncIterator]();
  const format = await steps.next();
  if (format.done || format.value.type !== 'format')
    throw new Fault('INTERNAL', { cause: new Error('an audio stream begins with its format') });
  return { format: format.value, bytes: partsOf(await steps.next(), steps) };
}

async function* partsOf(first: IteratorResult<AudioItem>, steps: AsyncIterator<AudioItem>): BegunSound['bytes'] {
  try {
    for (let next = first; !next.done; next = await steps.next()) {
      if (next.value.type !== 'audio') continue;
      const { base64, characters } = next.value;
      yield { bytes: Buffer.from(base64, 'base64'), characters };
    }
  } finally {
    await steps.return?.();
  }
}

/** Sends sound as fast as the listener takes it. What breaks off on the way can only be cut off, so it is logged here. */
export function sendSound(reply: FastifyReply, { format, bytes }: BegunSound, log: Logger): void {
  reply.type(format.contentType);
  if (format.totalBytes !== null) reply.header('content-length', format.totalBytes);
  const body = Readable.from(bytesOnly(bytes), { objectMode: false });
  body.once('error', (error) => {
    const isOurs = reply.raw.headersSent && !(error instanceof Fault && error.code === 'CANCELLED');
    if (isOurs) log.error('Sound broke off on its way to a listener', { requestId: reply.request.id, error });
  });
  reply.send(body);
}

async function* bytesOnly(parts: BegunSound['bytes']): AsyncGenerator<Buffer> {
  for await (const { bytes } of parts) yield bytes;
}
