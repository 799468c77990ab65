import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { pipeline, Readable } from 'node:stream';
import { z } from 'zod';
import { askCarrier } from './carrier-http';
import { callProvider, readJson } from './provider-http';

describe('an answer without an end', () => {
  /** Its server, and how much of it was taken. */
  let server: Server;
  let url: string;
  let taken: number;
  let status: number;
  let letter: string;

  beforeEach(async () => {
    taken = 0;
    status = 200;
    letter = 'x';
    server = createServer((_, response) => {
      const endless = new Readable({
        read() {
          taken += 65_536;
          this.push(Buffer.alloc(65_536, letter));
        },
      });
      pipeline(endless, response.writeHead(status), () => undefined);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    url = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}/`;
  });
  // Closes only once no connection is left.
  afterEach(async () => {
    server.close();
    await once(server, 'close');
  });

  const request = () => ({ provider: 'p', url, headers: {}, body: '{}' });

  it('of a carrier is read to a megabyte', async () => {
    const { text } = await askCarrier({ carrier: 'c', method: 'GET', url, headers: {} });
    expect(text).toHaveLength(1024 * 1024);
    expect(taken).toBeLessThan(16 * 1024 * 1024);
  });

  it('of a provider fails, whether it should be JSON or a complaint', async () => {
    await expect(readJson(await callProvider(request()), z.object({}), 'p')).rejects.toThrow('too much');
    expect(taken).toBeLessThan(64 * 1024 * 1024);
    letter = 'अ';
    await expect(readJson(await callProvider(request()), z.object({}), 'p')).rejects.toThrow('too much');
    letter = 'x';
    taken = 0;
    status = 500;
    await expect(callProvider(request())).rejects.toThrow(/answered 500: x{500}$/);
    expect(taken).toBeLessThan(16 * 1024 * 1024);
  });
});
