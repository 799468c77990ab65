import { get, request } from '../platform/client';
import { demo } from '../platform/platform';

interface Operation {
  readonly method: string;
  readonly path: string;
  /** Whether the document says that it requires no key. */
  readonly isPublic: boolean;
}

async function everyOperation(): Promise<Operation[]> {
  const { body } = await get('/openapi.json');
  return Object.entries(body.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => {
      const ways = (operation as { security: object[] }).security;
      const isPublic = ways.length === 0 || ways.some((way) => Object.keys(way).length === 0);
      return { method: method.toUpperCase(), path, isPublic };
    }),
  );
}

const stranger = '00000000-0000-4000-8000-000000000000';

/** The path with an unknown id for every parameter. */
function concrete(path: string): string {
  return path.replaceAll(/\{[^}]+\}/g, stranger);
}

describe('every route of the API document', () => {
  it('answers an Owner who sends nothing useful with a 4xx or a result, never with a 5xx', async () => {
    const failures: string[] = [];
    for (const { method, path } of await everyOperation()) {
      if (path.startsWith('/ws/')) continue;
      const reply = await request(concrete(path), { method, key: demo().workspaceKey, body: method === 'GET' ? undefined : {} });
      if (reply.status >= 500) failures.push(`${method} ${path}: ${reply.status} ${JSON.stringify(reply.body).slice(0, 200)}`);
    }
    expect(failures).toEqual([]);
  });

  it('refuses requests without a key', async () => {
    const open: string[] = [];
    for (const { method, path, isPublic } of await everyOperation()) {
      if (!path.startsWith('/api/') || isPublic) continue;
      const reply = await request(concrete(path), { method, body: method === 'GET' ? undefined : {} });
      if (reply.status !== 401 || reply.body.code !== 'API_KEY_MISSING') open.push(`${method} ${path}: ${reply.status}`);
    }
    expect(open).toEqual([]);
  });
});

describe('hostile input', () => {
  it.each([
    ['malformed JSON', { raw: '{"question":' }, 400, 'MALFORMED_JSON'],
    [
      'a content type that is not taken',
      { raw: 'x=1', contentType: 'application/x-www-form-urlencoded' },
      415,
      'UNSUPPORTED_MEDIA_TYPE',
    ],
    ['a body over the limit', { raw: JSON.stringify({ question: 'a'.repeat(2_000_000) }) }, 413, 'PAYLOAD_TOO_LARGE'],
    ['a missing field', { raw: '{}' }, 400, 'VALIDATION_FAILED'],
  ])(
    '%s is refused in the one error shape',
    async (_what, { raw, contentType = 'application/json' }: { raw: string; contentType?: string }, status, code) => {
      const reply = await request('/api/v1/ttt', { method: 'POST', key: demo().agentKey, raw, contentType });
      expect(reply).toMatchObject({ status, body: { statusCode: status, code, requestId: expect.any(String) } });
      expect(reply.headers.get('x-request-id')).toBe(reply.body.requestId);
    },
  );

  it('an unknown route is 404 with the standard error', async () => {
    const reply = await get('/api/v1/external/parrots');
    expect(reply).toMatchObject({ status: 404, body: { statusCode: 404, code: 'ROUTE_NOT_FOUND' } });
  });
});
