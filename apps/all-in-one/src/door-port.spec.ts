import { once } from 'node:events';
import { createServer } from 'node:net';
import { freePort, requireFreePort } from './door-port';

describe('the port of the door', () => {
  it('is refused in one line that names another when it is taken', async () => {
    const port = await freePort();
    const squatter = createServer().listen(port, '127.0.0.1');
    await once(squatter, 'listening');
    await expect(requireFreePort('127.0.0.1', port)).rejects.toThrow(`port ${port} is taken. Stop what uses it, or choose another: PORT=${port + 1} npm start`);
    squatter.close();
    await once(squatter, 'close');
    await requireFreePort('127.0.0.1', port);
  });

  it('is refused when the address is not of this machine', async () => {
    await expect(requireFreePort('192.0.2.1', 0)).rejects.toThrow(/cannot listen on 192\.0\.2\.1/);
  });
});
