import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { Draft } from '../turns/draft';
import { anAgent } from '../surroundings.suite';
import { OwnTool, TransferCall } from './toolbox';

const surroundings = () => ({
  agent: anAgent(),
  draft: new Draft('english'),
  call: { requestId: 'spec', deadlineAtMs: Number.POSITIVE_INFINITY, signal: new AbortController().signal },
});

describe('an agent’s own tool', () => {
  let server: Server;
  let asked: { method: string; url: string; headers: IncomingMessage['headers']; body: string }[];
  let reply: { status: number; body: string; isNever?: boolean };
  beforeAll(async () => {
    server = createServer((request, response) => {
      void text(request).then((body) => {
        asked.push({ method: request.method ?? '', url: request.url ?? '', headers: request.headers, body });
        if (!reply.isNever) response.writeHead(reply.status).end(reply.body);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  beforeEach(() => {
    asked = [];
    reply = { status: 200, body: 'Order 7 is on its way.' };
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  const tool = (changes: { method?: 'GET' | 'POST' | 'DELETE'; timeoutMs?: number; parameters?: object } = {}) => {
    const { port } = server.address() as AddressInfo;
    const own = {
      name: 'order_status',
      description: 'Where an order is.',
      parameters: { type: 'object' as const, properties: { order: { type: 'integer' }, city: { type: 'string' } } },
      method: 'POST' as const,
      url: `http://127.0.0.1:${port}/orders?shop=4`,
      headers: [{ name: 'x-shop-key', value: 'secret', isSecret: true }],
      timeoutMs: 2000,
    };
    return new OwnTool({ ...own, ...changes, parameters: { ...own.parameters, ...changes.parameters } }, fetch);
  };

  it('receives the model’s arguments as JSON, with the configured headers', async () => {
    await expect(tool().run({ order: 7 })).resolves.toBe('Order 7 is on its way.');
    expect(asked).toMatchObject([
      { method: 'POST', url: '/orders?shop=4', headers: { 'x-shop-key': 'secret', 'content-type': 'application/json' } },
    ]);
    expect(JSON.parse(asked[0]?.body ?? '')).toEqual({ order: 7 });
  });

  it('receives them in the query if the method has no body', async () => {
    await tool({ method: 'GET' }).run({ order: 7, city: 'Pune & Nashik' });
    expect(asked).toMatchObject([{ method: 'GET', url: '/orders?shop=4&order=7&city=Pune+%26+Nashik', body: '' }]);
  });

  it.each(['shop', 'Shop', ' shop', 'shop[]', 'shop\0x', 'admin'])(
    'puts no argument %j into the query that nobody declared',
    async (name) => {
      for (const method of ['GET', 'DELETE'] as const) await tool({ method }).run({ order: 7, [name]: 5 });
      expect(asked.map(({ url }) => url)).toEqual(['/orders?shop=4&order=7', '/orders?shop=4&order=7']);
    },
  );

  it('receives an argument that its builder declared, also in the place of one in the query', async () => {
    await tool({ method: 'GET', parameters: { properties: { shop: { type: 'integer' } } } }).run({ shop: 5 });
    expect(asked).toMatchObject([{ url: '/orders?shop=5' }]);
  });

  it('receives nothing if the arguments are no object', async () => {
    await expect(tool().run('order 7')).resolves.toContain('Wrong arguments');
    expect(asked).toEqual([]);
  });

  it.each([
    [404, 'no such order', 'Not found. no such order'],
    [500, 'broken', 'It failed with status 500. broken'],
    [204, '', 'Done; it said nothing.'],
  ])('reports status %i to the model', async (status, body, told) => {
    reply = { status, body };
    await expect(tool().run({})).resolves.toBe(told);
  });

  it('truncates a long answer for the model', async () => {
    reply = { status: 200, body: 'x'.repeat(200_000) };
    expect(await tool().run({})).toHaveLength(16_000);
  });

  it('is given up after its timeout', async () => {
    reply = { status: 200, body: 'late', isNever: true };
    await expect(tool({ timeoutMs: 40 }).run({})).rejects.toMatchObject({ name: 'TimeoutError' });
  });
});

describe('the transfer tool', () => {
  const numbers = [
    { name: 'Sales', number: '+912025501234' },
    { name: 'Workshop', number: '+912025505678' },
  ];

  it('transfers a telephone caller to the number of that name, in any letter case', async () => {
    const call = surroundings();
    await expect(new TransferCall(numbers, true).run({ name: ' workshop ' }, call)).resolves.toContain('connected with Workshop');
    expect(call.draft.transferTo).toBe('+912025505678');
  });

  it('tells the number if there is no call, and transfers nobody', async () => {
    const chat = surroundings();
    await expect(new TransferCall(numbers, false).run({ name: 'Sales' }, chat)).resolves.toContain('+912025501234');
    expect(chat.draft.transferTo).toBeUndefined();
  });

  it.each([[{ name: 'Police' }], [{ name: '+919999999999' }], [undefined], [{ name: 7 }]])(
    'never reaches a number that was not configured: %j',
    async (given) => {
      const call = surroundings();
      await expect(new TransferCall(numbers, true).run(given, call)).resolves.toContain('only Sales, Workshop');
      expect(call.draft.transferTo).toBeUndefined();
    },
  );

  it('offers the model only the names, and says what will happen', () => {
    const { specification } = new TransferCall(numbers, true);
    expect(specification).toMatchObject({
      name: 'transfer_call',
      parameters: { properties: { name: { enum: ['Sales', 'Workshop'] } } },
    });
    expect(JSON.stringify(specification)).not.toContain('+91');
  });
});
