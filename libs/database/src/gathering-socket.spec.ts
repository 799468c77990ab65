import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { GatheringSocket } from './connection-options';

describe('a socket that gathers', () => {
  it('sends what one turn writes as one piece and in order, and the next turn again', async () => {
    const server = createServer((peer) => peer.pipe(peer)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address: AddressInfo | string | null = server.address();
    if (typeof address !== 'object' || !address) throw new TypeError('no port');
    const socket = new GatheringSocket().connect(address.port, '127.0.0.1');
    await once(socket, 'connect');
    const pieces = jest.spyOn(socket, '_writev');
    for (const expected of ['first second third', 'fourth fifth']) {
      for (const [index, word] of expected.split(' ').entries()) socket.write(index === 0 ? word : ` ${word}`);
      const [echo] = await once(socket, 'data');
      expect(String(echo)).toBe(expected);
    }
    expect(pieces).toHaveBeenCalledTimes(2);
    socket.destroy();
    server.close();
  });
});
