import { createServer, type Server } from 'node:net';
import { once } from 'node:events';
import { freePort } from './door-port';

describe('a free port', () => {
  const servers: Server[] = [];
  afterEach(() => servers.splice(0).forEach((server) => server.close()));

  it('is given once, can be listened on, and is none that an outgoing connection would be given', async () => {
    const ports = await Promise.all(Array.from({ length: 200 }, freePort));
    expect(new Set(ports).size).toBe(200);
    // Linux gives from 32,768 on, others from 49,152.
    expect(Math.max(...ports)).toBeLessThan(32_768);
    for (const port of ports.slice(0, 20)) {
      const server = createServer().listen(port, '127.0.0.1');
      servers.push(server);
      await once(server, 'listening');
    }
  });
});
