import { CustomersServer, switchProtocol } from './customers-server.suite';
import {
  anyAddress,
  askPublicServer,
  askThrough,
  isPublicAddress,
  publicAddresses,
  guardedRequest,
  whyRefused,
} from './public-address';

const bounds = { timeoutMs: 5000, bytesMax: 1000 };
const askAnybody = askThrough({ isAllowed: () => true, protocols: ['http:'] });

describe('servers that customers name', () => {
  const server = new CustomersServer((request, response) => {
    if (request.url === '/away') return response.writeHead(302, { location: '/elsewhere' }).end();
    if (request.url === '/silent') return undefined;
    if (request.url === '/switch') return switchProtocol(response);
    return response.end('x'.repeat(5000));
  });
  const { asked } = server;
  let port: number;
  beforeAll(async () => {
    await server.start();
    port = server.port;
  });
  beforeEach(() => {
    asked.length = 0;
  });
  afterAll(() => server.stop());

  it.each([
    '127.0.0.1',
    '10.1.2.3',
    '172.31.0.1',
    '192.168.1.1',
    '169.254.169.254',
    '100.100.100.200',
    '0.0.0.0',
    '224.0.0.1',
    '255.255.255.255',
    '::1',
    '::',
    'fe80::1',
    'fd00:ec2::254',
    '::ffff:127.0.0.1',
    '::ffff:0:127.0.0.1',
    '64:ff9b::7f00:1',
    '2002:7f00:1::',
    'ff02::1',
    '3fff::1',
    '4000::1',
    '5f00::1',
    '9000::1',
    'not an address',
  ])('are refused at %s', (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });

  it.each(['8.8.8.8', '1.1.1.1', '172.32.0.1', '2606:4700:4700::1111'])('may be at %s', (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });

  it.each([
    '169.254.169.254',
    '169.254.170.2',
    '100.100.100.200',
    'fd00:ec2::254',
    'fe80::a9fe:a9fe',
    '::ffff:169.254.169.254',
    '::ffff:0:169.254.169.254',
    '64:ff9b::169.254.169.254',
    '2002:a9fe:a9fe::',
    '::169.254.169.254',
    '::100.100.100.200',
    'not an address',
  ])('are refused at the cloud’s metadata, even where private networks are allowed: %s', (address) => {
    expect(anyAddress.isAllowed(address)).toBe(false);
  });

  it.each(['127.0.0.1', '::1', '10.1.2.3', 'fd00::1', '::ffff:10.1.2.3', '8.8.8.8'])('may be at %s there', (address) => {
    expect(anyAddress.isAllowed(address)).toBe(true);
  });

  it('are not reached by a literal address, a spelling of one, or a name of this machine', async () => {
    for (const host of ['127.0.0.1', '2130706433', '0x7f.1', '[::1]', '[::ffff:127.0.0.1]', 'localhost']) {
      await expect(askPublicServer({ url: `https://${host}:${port}/`, ...bounds })).rejects.toThrow('not public');
    }
    await expect(askPublicServer({ url: `http://127.0.0.1:${port}/`, ...bounds })).rejects.toThrow('http: is not allowed');
    const byName = askThrough({ isAllowed: isPublicAddress, protocols: ['http:'] });
    await expect(byName({ url: `http://localhost:${port}/`, ...bounds })).rejects.toThrow('not public');
    expect(asked).toEqual([]);
  });

  it('are refused before anything is sent, with the reason; a name that leads nowhere yet is not', async () => {
    for (const host of ['localhost', '127.0.0.1', '[::1]', '10.0.0.7']) {
      expect(await whyRefused(publicAddresses, new URL(`https://${host}/`))).toBe('the address is not public');
      expect(await whyRefused(anyAddress, new URL(`http://${host}/`))).toBeUndefined();
    }
    expect(await whyRefused(publicAddresses, new URL('http://8.8.8.8/'))).toContain('http: is not allowed');
    expect(await whyRefused(publicAddresses, new URL('https://nowhere.invalid/'))).toBeUndefined();
  });

  it.each(['{{host}}', '.', '-', 'xn--', 'a..b'])('are refused when no such host can exist: %s', async (host) => {
    for (const policy of [publicAddresses, anyAddress])
      expect(await whyRefused(policy, new URL(`https://${host}/x`))).toBe(`${host} is no name of a host`);
  });

  it.each(['localhost', 'LOCALHOST.', 'shop.localhost', 'metadata.google.internal', 'metadata.google.internal.'])(
    'are refused as soon as they are named %s, before anything is looked up',
    (host) => {
      expect(() => guardedRequest(publicAddresses, new URL(`https://${host}/`))).toThrow('not public');
      const anywhere = { isAllowed: () => true, protocols: ['https:'] };
      expect(() => guardedRequest(anywhere, new URL(`https://${host}/`))).not.toThrow();
    },
  );

  it('cannot send us on, keep us waiting or fill our memory', async () => {
    expect((await askAnybody({ url: `http://127.0.0.1:${port}/away`, ...bounds })).status).toBe(302);
    expect(asked).toEqual(['GET /away']);
    expect((await askAnybody({ url: `http://localhost:${port}/long`, ...bounds })).body).toHaveLength(1000);
    await expect(askAnybody({ url: `http://127.0.0.1:${port}/silent`, ...bounds, timeoutMs: 50 })).rejects.toThrow('aborted');
    await expect(askAnybody({ url: `http://127.0.0.1:${port}/switch`, ...bounds })).rejects.toThrow('another protocol');
  });
});
