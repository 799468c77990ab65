import { Fault } from '@parley/contracts';
import type { Logger } from '@parley/service-kit';
import type { FastifyReply } from 'fastify';
import type { Charge } from '../../credits/charge';
import type { BegunSound } from './begun-sound';

interface Bill {
  readonly charge: Charge;
  readonly reply: FastifyReply;
  readonly log: Logger;
}

/**
 * The same sound, settled before its last byte leaves. A listener who goes away pays, since the engine was given the whole
 * text; sound that breaks off on our side costs nothing.
 */
export function paidSound({ format, bytes }: BegunSound, { charge, reply, log }: Bill): BegunSound {
  charge.use('TTS_API', format.characters);
  const settle = (): void => void charge.settle().catch((error: unknown) => log.error('A charge waits for its hold to expire', { error }));
  if (reply.raw.closed) settle();
  else reply.raw.once('close', settle);
  return { format, bytes: settledBytes(format.totalBytes, bytes, charge) };
}

async function* settledBytes(totalBytes: number | null, bytes: AsyncIterable<Buffer>, charge: Charge): AsyncGenerator<Buffer> {
  let sent = 0;
  try {
    for await (const part of bytes) {
      sent += part.length;
      if (sent === totalBytes) await charge.settle();
      yield part;
    }
    await charge.settle();
  } catch (error) {
    if (!(error instanceof Fault && error.code === 'CANCELLED')) await charge.release();
    throw error;
  }
}
