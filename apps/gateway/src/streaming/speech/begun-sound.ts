import { type AudioItem, Fault } from '@parley/contracts';

/** Sound of which the first part is there, though none has left yet. */
export interface BegunSound {
  readonly format: Extract<AudioItem, { type: 'format' }>;
  /** In parts of at most 64 kB. Leaving the loop early ends the synthesis. */
  readonly bytes: AsyncIterable<Buffer>;
}

/** Waits until there is sound: so long a refusal can still be a proper answer. */
export async function beginSound(items: AsyncIterable<AudioItem>): Promise<BegunSound> {
  const steps = items[Symbol.asyncIterator]();
  const format = await steps.next();
  if (format.done || format.value.type !== 'format') throw new Fault('INTERNAL', { cause: new Error('an audio stream begins with its format') });
  return { format: format.value, bytes: bytesOf(await steps.next(), steps) };
}

async function* bytesOf(first: IteratorResult<AudioItem>, steps: AsyncIterator<AudioItem>): AsyncGenerator<Buffer> {
  try {
    for (let next = first; !next.done; next = await steps.next()) {
      if (next.value.type === 'audio') yield Buffer.from(next.value.base64, 'base64');
    }
  } finally {
    await steps.return?.();
  }
}
