import { once } from 'node:events';
import { connect } from 'node:net';
import { keys, type RunningGateway, runGateway } from '../../testing/running-gateway';

describe('a request with the header Expect', () => {
  let gateway: RunningGateway;
  beforeAll(async () => {
    gateway = await runGateway();
  });
  afterAll(() => gateway.close());

  /** Sends each text once the previous one is answered with the status before it; returns all that was received. */
  const exchange = async (first: string, ...later: [after: string, text: string][]): Promise<string> => {
    const client = connect(gateway.port, '127.0.0.1');
    let received = '';
    client.on('data', (part: Buffer) => {
      received += part.toString();
      const [next] = later;
      if (next && received.includes(next[0])) client.write(later.shift()?.[1] ?? '');
    });
    client.write(first);
    await once(client, 'close');
    return received;
  };
  const head = (more: string, { key = keys.agent, bytes = 16 } = {}): string =>
    `POST /api/v1/ask HTTP/1.1\r\nHost: x\r\nx-api-key: ${key}\r\nContent-Type: application/json\r\nContent-Length: ${bytes}\r\n${more}\r\n`;
  const body = '{"question":"?"}';
  const statuses = (received: string) => [...received.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status));

  it.each(['200-maybe', '100-continue, 200-maybe', 'x'])('is refused if it says %s, in the form of every error', async (said) => {
    const received = await exchange(head(`Expect: ${said}\r\n`) + body);
    expect(statuses(received)).toEqual([417]);
    expect(received).toMatch(/^x-request-id: \S+/im);
    expect(JSON.parse(received.slice(received.indexOf('\r\n\r\n')))).toMatchObject({
      statusCode: 417,
      code: 'EXPECTATION_FAILED',
    });
  });

  it('is asked for its body once it is admitted', async () => {
    const received = await exchange(head('Expect: 100-continue\r\nConnection: close\r\n'), ['100 Continue', body]);
    expect(statuses(received)).toEqual([100, 200]);
  });

  it.each([
    ['with a wrong key', { key: 'agt_wrong' }, 401],
    ['with a key of the wrong kind', { key: keys.owner }, 403],
    ['with too long a body', { bytes: 99_999_999 }, 413],
    ['with a wrong key and too long a body', { key: 'agt_wrong', bytes: 99_999_999 }, 401],
  ])('is refused without being asked for its body %s, and its connection closes', async (_, about, status) => {
    const received = await exchange(head('Expect: 100-continue\r\n', about));
    expect(statuses(received)).toEqual([status]);
    expect(received).toMatch(/^connection: close/im);
  });

  it('is answered in its order on one connection', async () => {
    const plain = head('') + body;
    const expecting = head('Expect: 100-continue\r\n');
    const last = head('Connection: close\r\n') + body;
    const received = await exchange(plain + expecting, ['100 Continue', body + plain + last]);
    expect(statuses(received)).toEqual([200, 100, 200, 200, 200]);
  });

  it.each(['/api/v1/things', '/nowhere'])('is refused if it names two hosts, at %s', async (path) => {
    for (const version of ['1.0', '1.1']) {
      const received = await exchange(`GET ${path} HTTP/${version}\r\nHost: x\r\nhOST: y\r\nConnection: close\r\n\r\n`);
      expect(statuses(received)).toEqual([400]);
      expect(received).toContain('more than one Host header');
    }
  });
});
