import { randomUUID } from 'node:crypto';
import { createKey, examplesOf, type KeyKind, keyKinds, permissionAreas } from '@parley/contracts';
import { recordOf } from '@parley/testing';
import { type HandWritten, post, type Route } from '../../endpoint/endpoint';
import { publicRoutes } from '../../api/routes/route-table';
import { Harness } from '../../testing/harness';

type Endpoint = Route | HandWritten;

// Sockets are not requests and have tests of their own.
const endpoints = [...publicRoutes.rows, ...publicRoutes.handWritten].filter(
  ({ method, keys }) => method !== 'WS' && keys !== 'public',
);
const named = endpoints.map((endpoint) => [`${endpoint.method} ${endpoint.path}`, endpoint] as const);
const forMembers = named.filter(([, endpoint]) => takes(endpoint, 'wsk'));
const withNeed = forMembers.filter(([, { needs }]) => needs !== 'membership' && needs !== 'key-kind');
const namingAgents = forMembers.filter(([, endpoint]) => endpoint.method === 'POST' && 'AgentID' in exampleOf(endpoint));

const holdingNothing = Object.fromEntries(permissionAreas.map((area) => [area, []]));

function takes({ keys }: Endpoint, kind: KeyKind): boolean {
  return keys !== 'public' && keys.some((each) => each === kind);
}

function exampleOf({ contract }: Endpoint): object {
  return 'request' in contract ? recordOf(examplesOf(contract.request)[0] ?? {}) : {};
}

describe('every endpoint', () => {
  let harness: Harness;
  let url: string;
  const keys: Record<string, string> = {};

  beforeAll(async () => {
    harness = await Harness.open();
    ({ url } = await harness.startGateway());
    const mine = harness.organization();
    for (const kind of keyKinds) keys[kind] = (await harness.key(mine, kind)).key;
    const nobody = harness.member(mine.orgId, { roleTypeId: 3, permissions: holdingNothing });
    const restricted = harness.member(mine.orgId, { roleTypeId: 1, agentIds: [mine.agent.AgentID] });
    keys.nobody = (await harness.key(mine, 'wsk', { memberAdminID: nobody.memberId })).key;
    keys.restricted = (await harness.key(mine, 'wsk', { memberAdminID: restricted.memberId })).key;
  });
  afterAll(() => harness.close());

  const ask = async (endpoint: Endpoint, key: string | undefined, body: object = exampleOf(endpoint)) => {
    const path = endpoint.path.replaceAll(/:\w+/g, () => randomUUID());
    const isPost = endpoint.method === 'POST';
    const headers = { ...(isPost && { 'content-type': 'application/json' }), ...(key && { 'x-api-key': key }) };
    const response = await fetch(url + path, { method: endpoint.method, headers, ...(isPost && { body: JSON.stringify(body) }) });
    return [response.status, await response.json()];
  };

  it('is covered here', () => {
    expect(named.length).toBeGreaterThan(100);
    expect(withNeed.length).toBeGreaterThan(90);
    expect(namingAgents.length).toBeGreaterThan(0);
  });

  it.each(named)('refuses a missing and a wrong key: %s', async (_name, endpoint) => {
    expect(await ask(endpoint, undefined)).toMatchObject([401, { code: 'API_KEY_MISSING' }]);
    expect(await ask(endpoint, `wsk_${'0'.repeat(38)}`)).toMatchObject([401, { code: 'API_KEY_INVALID' }]);
  });

  it.each(named)('refuses a key of another kind: %s', async (_name, endpoint) => {
    const wrongKinds = keyKinds.filter((kind) => !takes(endpoint, kind));
    expect(wrongKinds.length).toBeGreaterThan(0);
    for (const kind of wrongKinds) expect(await ask(endpoint, keys[kind])).toMatchObject([403, { code: 'SCOPE_MISSING' }]);
  });

  it.each(withNeed)('refuses a member without the permission: %s', async (_name, endpoint) => {
    expect(await ask(endpoint, keys.nobody)).toMatchObject([403, { code: 'SCOPE_MISSING' }]);
  });

  it.each(namingAgents)('refuses a restricted member another agent: %s', async (_name, endpoint) => {
    expect(await ask(endpoint, keys.restricted, { ...exampleOf(endpoint), AgentID: 999 })).toMatchObject([
      403,
      { code: 'SCOPE_MISSING' },
    ]);
  });
});

test('a route without a requirement, or with one that does not fit its keys, does not compile', () => {
  // @ts-expect-error: it says which keys it takes and not what they must hold
  post('/x', createKey, 'X', { keys: ['wsk'] });
  // @ts-expect-error: it says nothing at all
  post('/x', createKey, 'X', {});
  // @ts-expect-error: there is no such permission
  post('/x', createKey, 'X', { keys: ['wsk'], needs: 'agents.CanDance' });
  // @ts-expect-error: for a workspace key, its kind is not enough
  post('/x', createKey, 'X', { keys: ['wsk'], needs: 'key-kind' });
  expect(post('/x', createKey, 'X', { keys: ['wsk'], needs: 'membership' }).needs).toBe('membership');
});
