import { CustomersServer, flood, switchProtocol } from './customers-server.suite';
import { fetchPublicServer, fetchThrough, isPublicAddress } from './public-address';

const fetchAnybody = fetchThrough({ isAllowed: () => true, protocols: ['http:'] });

describe('streams of servers that customers name', () => {
  const leftEarly = Promise.withResolvers<void>();
  const server = new CustomersServer((request, response) => {
    if (request.url === '/away') return response.writeHead(302, { location: '/elsewhere' }).end();
    if (request.url === '/nothing') return response.writeHead(204).end();
    if (request.url === '/flood') return flood(response);
    if (request.url === '/switch') return switchProtocol(response);
    response.on('close', () => leftEarly.resolve());
    response.writeHead(200, { 'x-part': 'a' }).write('first ');
    return request.url === '/endless' ? undefined : response.end('second');
  });
  const { asked } = server;
  let base: string;
  beforeAll(async () => {
    await server.start();
    base = `http://127.0.0.1:${server.port}`;
  });
  beforeEach(() => {
    asked.length = 0;
  });
  afterAll(() => server.stop());

  it('are passed on with status, headers and body', async () => {
    const response = await fetchAnybody(`${base}/whole`, { method: 'POST', headers: { 'x-key': 'k' }, body: 'question' });
    expect([response.status, response.headers.get('x-part'), await response.text()]).toEqual([200, 'a', 'first second']);
    expect(asked).toEqual(['POST /whole k question']);
    expect((await fetchAnybody(`${base}/nothing`)).status).toBe(204);
  });

  it('are asked with one length, whatever headers were given', async () => {
    const headers = { 'x-key': 'k', 'transfer-encoding': 'chunked', te: 'trailers', expect: '100-continue' };
    const response = await fetchAnybody(`${base}/whole`, { method: 'POST', headers, body: 'question' });
    expect([response.status, asked]).toEqual([200, ['POST /whole k question']]);
  });

  it('do not follow redirects, and end when the client has left', async () => {
    expect((await fetchAnybody(`${base}/away`)).status).toBe(302);
    expect(asked).toHaveLength(1);
    const leaving = new AbortController();
    const { body } = await fetchAnybody(`${base}/endless`, { signal: leaving.signal });
    const reader = body?.getReader();
    expect(Buffer.from((await reader?.read())?.value ?? '').toString()).toBe('first ');
    leaving.abort();
    await expect(reader?.read()).rejects.toThrow();
    await leftEarly.promise;
  });

  it('end where they are too large, and where another protocol is to follow', async () => {
    const { body } = await fetchAnybody(`${base}/flood`);
    let bytes = 0;
    await expect(async () => {
      for await (const part of body ?? []) bytes += part.length;
    }).rejects.toThrow('too large');
    expect(bytes).toBeGreaterThan(30 * 1024 * 1024);
    expect(bytes).toBeLessThan(33 * 1024 * 1024);
    await expect(fetchAnybody(`${base}/switch`)).rejects.toThrow('another protocol');
  });

  it('are not opened to an address that is not public, by number or by name', async () => {
    for (const host of ['127.0.0.1', '0x7f.1', '[::1]', 'localhost']) {
      await expect(fetchPublicServer(`https://${host}/`)).rejects.toThrow('not public');
    }
    await expect(fetchPublicServer(base)).rejects.toThrow('http: is not allowed');
    const byName = fetchThrough({ isAllowed: isPublicAddress, protocols: ['http:'] });
    await expect(byName(base.replace('127.0.0.1', 'localhost'))).rejects.toThrow('not public');
    expect(asked).toEqual([]);
  });
});
