import type { FastifyInstance } from 'fastify';
import type { IncomingMessage } from 'node:http';

/** What is still taken from somebody who was refused, so that an honest client reads why. */
const restBytesMax = 65_536;
const restMsMax = 1_000;

/**
 * Does not read to its end what a stranger still sends who was refused: Node would, to keep the connection. A little is read and
 * thrown away; a client that goes on is cut off.
 */
export function leaveUnreadBodies(fastify: FastifyInstance): void {
  fastify.addHook('onSend', (request, reply, _payload, done) => {
    const isStranger = request.principal === undefined;
    if (isStranger && !request.raw.complete && reply.statusCode >= 400 && isUnread(request.raw)) leave(request.raw);
    done();
  });
}

/** Whether nobody reads the body: it was never begun, or its reader gave it up. */
function isUnread(body: IncomingMessage): boolean {
  return !body.destroyed && body.listenerCount('data') === 0 && body.listenerCount('readable') === 0;
}

function leave(body: IncomingMessage): void {
  let bytes = 0;
  const cut = setTimeout(() => body.socket.destroy(), restMsMax).unref();
  body.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    // Unread from here on: what the client still sends waits in the network until the time is up.
    if (bytes > restBytesMax) body.pause();
  });
  body.once('close', () => clearTimeout(cut));
  body.once('end', () => clearTimeout(cut));
  body.resume();
}
