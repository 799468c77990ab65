import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { OwnServer } from './model-servers';

describe('the connections to a server of the installation', () => {
  let server: Server;
  let own: OwnServer;
  let connections = 0;
  let answer: (response: ServerResponse) => void;
  const usual = (response: ServerResponse): void => void response.end('yes');

  beforeEach(async () => {
    connections = 0;
    answer = usual;
    server = createServer((request, response) => void request.resume().on('end', () => answer(response)));
    server.on('connection', () => (connections += 1));
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const address = server.address();
    own = new OwnServer(new URL(`http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`), {});
  });
  afterEach(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  const ask = async (signal = new AbortController().signal): Promise<void> => {
    for await (const part of await own.post('{}', signal)) expect(Buffer.from(part).toString()).toBe('yes');
  };

  /** How many connections there have been after so many requests at once. */
  const afterAsking = async (times: number): Promise<number> => {
    await Promise.all(Array.from({ length: times }, () => ask()));
    await new Promise(setImmediate);
    return connections;
  };

  it('are as many as requests at once, and serve those after them', async () => {
    expect([await afterAsking(3), await afterAsking(3), await afterAsking(2)]).toEqual([3, 3, 3]);
  });

  it('serve other requests after one that failed, and are opened again after one that was left', async () => {
    await afterAsking(2);
    answer = (response) => void response.writeHead(500).end();
    await expect(ask()).rejects.toThrow('status 500');
    answer = usual;
    expect(await afterAsking(2)).toBe(2);
    const leaving = new AbortController();
    answer = () => leaving.abort(new Error('left'));
    await expect(ask(leaving.signal)).rejects.toThrow('left');
    answer = usual;
    expect(await afterAsking(2)).toBe(3);
  });
});
