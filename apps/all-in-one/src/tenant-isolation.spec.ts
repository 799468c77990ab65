import { examplesOf, keyKinds } from '@parley/contracts';
import { askedEndpoints, createRecords, createTenant, filled, keyOf, schemaOf, send, type Tenant } from './testing/tenants';
import { startWholePlatform, type WholePlatform } from './testing/whole-platform';

let platform: WholePlatform;
let owner: Tenant;
let stranger: Tenant;

beforeAll(async () => {
  platform = await startWholePlatform();
  [owner, stranger] = [await createTenant(platform, 'Quokka Traders'), await createTenant(platform, 'Stranger Stores')];
  await createRecords(platform, owner);
});
afterAll(() => platform.stop());

it('creates records of the first organization to protect', () => {
  const names = [...owner.ids.keys()];
  for (const name of ['AgentKeyID', 'AgentID', 'KBKeyID', 'KBID', 'KBFAQKeyID', 'TeamInviteKeyID', 'IntegrationKeyID'])
    expect(names).toContain(name);
});

it('gives the other organization valid keys, since an unknown one gets 401', async () => {
  const url = `${platform.url}/api/v1/external/team-management/my-access`;
  const statuses = keyKinds.map(async (kind) => (await fetch(url, { headers: { 'x-api-key': keyOf(stranger, kind) } })).status);
  expect(keyKinds).toEqual(['agt', 'ext', 'wsk']);
  expect(await Promise.all(statuses)).toEqual([403, 403, 200]);
});

/** What the other organization has sent, which its own audit log may repeat. */
let said = '';

const asked = askedEndpoints.flatMap((endpoint) =>
  keyKinds.map((kind) => ({ endpoint, kind, title: `${endpoint.method} ${endpoint.path}` })),
);

it.each(asked)(
  'shows and changes nothing of another organization: $title with a key of kind $kind',
  async ({ endpoint, kind }) => {
    const secrets = [...owner.ids.values()].filter((value) => typeof value === 'string');
    for (const example of examplesOf(schemaOf(endpoint))) {
      const body = filled(example, owner.ids);
      const asked = JSON.stringify(body);
      said += asked;
      const { status, text } = await send(platform.url, keyOf(stranger, kind), { endpoint, body });
      const leaked = secrets.filter((secret) => text.includes(secret) && !said.includes(secret));
      expect({ leaked, canary: text.includes('Quokka'), isOurFault: status >= 500 }).toEqual({
        leaked: [],
        canary: false,
        isOurFault: false,
      });
      if (secrets.some((secret) => asked.includes(secret))) expect([403, 404]).toContain(status);
    }
  },
);
