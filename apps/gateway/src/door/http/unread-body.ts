import type { FastifyInstance } from 'fastify';
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';

/** What is still taken from somebody who was refused, so that an honest client reads why. */
const restBytesMax = 65_536;
const restMsMax = 1_000;

/**
 * Does not read to its end what a stranger still sends who was refused: Node would, to keep the connection. A little is read and
 * thrown away; a client that goes on is cut off. Whoever may have to be cut off is told not to use the connection again.
 */
export function leaveUnreadBodies(fastify: FastifyInstance): void {
  fastify.addHook<unknown>('onSend', (request, reply, payload, done) => {
    const isStranger = request.principal === undefined;
    if (!isStranger || request.raw.complete || reply.statusCode < 400 || !isUnread(request.raw)) return done();
    const left = leave(request.raw);
    const declared = Number(request.headers['content-length'] ?? Number.POSITIVE_INFINITY);
    if (declared <= restBytesMax) return done();
    void reply.header('connection', 'close');
    if (typeof payload !== 'string') return done();
    void reply.header('content-length', Buffer.byteLength(payload));
    done(null, Readable.from(heldOpen(payload, left)));
  });
}

/** Node closes a connection with the end of its last answer, and what is under way then takes the answer with it. */
async function* heldOpen(payload: string, left: Promise<void>): AsyncGenerator<Buffer> {
  yield Buffer.from(payload);
  await left;
}

/** Whether nobody reads the body: it was never begun, or its reader gave it up. */
function isUnread(body: IncomingMessage): boolean {
  return !body.destroyed && body.listenerCount('data') === 0 && body.listenerCount('readable') === 0;
}

/** Resolves when the client has sent all or is gone, at the latest when the time is up. */
function leave(body: IncomingMessage): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let bytes = 0;
  const cut = setTimeout(() => body.socket.destroy(), restMsMax).unref();
  body.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    // Unread from here on: what the client still sends waits in the network until the time is up.
    if (bytes > restBytesMax) body.pause();
  });
  for (const event of ['close', 'end'])
    body.once(event, () => {
      clearTimeout(cut);
      resolve();
    });
  body.resume();
  return promise;
}
