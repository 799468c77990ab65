import type { FastifyInstance } from 'fastify';

const sweepEveryMs = 50;

/**
 * Takes leave of clients that keep connections open. From the announcement on every answer asks its client to connect
 * anew next time, elsewhere; a connection cut while a request is on its way would be a failed request.
 */
export function sayFarewell(server: FastifyInstance, isStopping: () => boolean): void {
  server.addHook('onSend', (_request, reply, payload, done) => {
    if (isStopping()) reply.header('connection', 'close');
    done(null, payload);
  });
}

/** Closes the door: requests in flight finish, and connections go as they fall idle. */
export async function closeDoor(server: FastifyInstance): Promise<void> {
  const sweep = setInterval(() => server.server.closeIdleConnections(), sweepEveryMs);
  try {
    await server.close();
  } finally {
    clearInterval(sweep);
  }
}
