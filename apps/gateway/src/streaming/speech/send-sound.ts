import { Readable } from 'node:stream';
import { Fault } from '@parley/contracts';
import type { Logger } from '@parley/service-kit';
import type { FastifyReply } from 'fastify';
import type { BegunSound } from './begun-sound';

/** Sends sound as fast as the listener takes it. What breaks off on the way can only be cut off, so it is logged here. */
export function sendSound(reply: FastifyReply, { format, bytes }: BegunSound, log: Logger): void {
  reply.type(format.contentType);
  if (format.totalBytes !== null) reply.header('content-length', format.totalBytes);
  const body = Readable.from(bytes);
  body.once('error', (error) => {
    const isOurs = reply.raw.headersSent && !(error instanceof Fault && error.code === 'CANCELLED');
    if (isOurs) log.error('Sound broke off on its way to a listener', { requestId: reply.request.id, error });
  });
  reply.send(body);
}
