import { randomUUID } from 'node:crypto';
import { everyRoute, notYet } from '@parley/apps/gateway';
import {
  createKey,
  createOrganization,
  examplesOf,
  type KeyKind,
  keyKinds,
  nameOf,
  type Principal,
  saveAgent,
} from '@parley/contracts';
import { startWholePlatform, type WholePlatform } from './testing/whole-platform';

type Fields = Record<string, unknown>;
interface Tenant {
  readonly keys: ReadonlyMap<KeyKind, string>;
  readonly ids: Map<string, string | number>;
}
interface Answer {
  readonly status: number;
  readonly text: string;
}

const routes = everyRoute.filter(({ keys, contract }) => keys !== 'public' && !notYet.some((name) => name === nameOf(contract)));
/** Ids that mean the same to everybody: they come from the lookups. */
const sharedNames =
  /^(AgentType|RegionType|TimeZone|Industry|Language|Tone|Icon|Template|roleType|Role|Conversational|Transcribe|Voice|LLM|voice|transcribe|providerKeyID$)/;

let platform: WholePlatform;
let owner: Tenant;
let stranger: Tenant;

beforeAll(async () => {
  platform = await startWholePlatform();
  [owner, stranger] = [await foundTenant('Quokka Traders'), await foundTenant('Stranger Stores')];
  // Twice: what one route makes, a later and then an earlier one refers to.
  for (let round = 0; round < 2; round += 1) {
    for (const route of routes.filter(({ method }) => method !== 'DELETE')) {
      for (const example of examplesOf(route.contract.request))
        gather(owner, (await send(keyOf(owner, 'wsk'), route, filled(example, owner.ids))).text);
    }
  }
}, 90_000);
afterAll(() => platform.stop());

async function foundTenant(name: string): Promise<Tenant> {
  const owner = { email: `${randomUUID()}@tenant.example`, name: `${name} Owner` };
  const organization = { OrgKeyID: randomUUID(), OrganizationName: name, timezone: 'Asia/Kolkata', defaultRegion: 'IN', owner };
  const made = await platform.bus.ask(createOrganization, organization);
  const principal: Principal = {
    kind: 'wsk',
    keyId: 'test',
    orgId: made.OrgID,
    memberId: made.memberAdminID,
    userId: made.userID,
    roleTypeId: 1,
  };
  const { AgentKeyID } = await platform.bus.ask(saveAgent, saveAgent.request.parse(examplesOf(saveAgent.request)[0]), {
    principal,
  });
  const keys = keyKinds.map(async (kind): Promise<[KeyKind, string]> => {
    const { key } = await platform.bus.ask(
      createKey,
      { name: 'test', kind, ...(kind === 'agt' && { AgentKeyID }) },
      { principal },
    );
    return [kind, key];
  });
  return { keys: new Map(await Promise.all(keys)), ids: new Map([['memberAdminID', made.memberAdminID]]) };
}

function keyOf({ keys }: Tenant, kind: KeyKind): string {
  const key = keys.get(kind);
  if (key === undefined) throw new Error(`no key of kind ${kind}`);
  return key;
}

/** Remembers the first id of every name in an answer. */
function gather(tenant: Tenant, text: string): void {
  for (const [, name = '', value = ''] of text.matchAll(
    /"(\w*(?:KeyID|UUID|memberAdminID|[A-Za-z]ID))":("[0-9a-f-]{36}"|\d+)/g,
  )) {
    if (!tenant.ids.has(name) && !sharedNames.test(name)) tenant.ids.set(name, JSON.parse(value) as string | number);
  }
}

/** The route's own example, with every id that the tenant has in place of the example's. */
function filled(example: unknown, ids: ReadonlyMap<string, string | number>): unknown {
  if (Array.isArray(example)) return example.map((each) => filled(each, ids));
  if (typeof example !== 'object' || example === null) return example;
  return Object.fromEntries(Object.entries(example).map(([name, value]) => [name, valueOf(name, value, ids)]));
}

function valueOf(name: string, value: unknown, ids: ReadonlyMap<string, string | number>): unknown {
  const known = ids.get(name);
  // Null and 0 ask for a new record.
  if (known !== undefined && value !== null && value !== 0)
    return Array.isArray(value) ? [known] : typeof value === 'string' ? String(known) : known;
  return filled(value, ids);
}

async function send(key: string, route: (typeof routes)[number], body: unknown): Promise<Answer> {
  const fields = Object(body) as Fields;
  const path = route.path.replaceAll(/:(\w+)/g, (_, name: string) => String(fields[name]));
  const query = new URLSearchParams(Object.entries(fields).map(([name, value]): [string, string] => [name, String(value)]));
  const reply = await fetch(`${platform.url}${path}${route.input === 'query' ? `?${query}` : ''}`, {
    method: route.method,
    headers: { 'x-api-key': key, ...(route.input === 'json' && { 'content-type': 'application/json' }) },
    ...(route.input === 'json' && { body: JSON.stringify(fields) }),
    ...(route.input === 'form' && { body: formOf(fields) }),
  });
  return { status: reply.status, text: await reply.text() };
}

function formOf(fields: Fields): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, String(value));
  return form;
}

it('has records of the first organization to guard', () => {
  const names = [...owner.ids.keys()];
  for (const name of ['AgentKeyID', 'AgentID', 'KBKeyID', 'KBID', 'KBFAQKeyID', 'TeamInviteKeyID', 'IntegrationKeyID'])
    expect(names).toContain(name);
});

it('has a stranger whose keys are known: an unknown one gets 401', async () => {
  const url = `${platform.url}/api/v1/external/team-management/my-access`;
  const statuses = keyKinds.map(async (kind) => (await fetch(url, { headers: { 'x-api-key': keyOf(stranger, kind) } })).status);
  expect(keyKinds).toEqual(['agt', 'ext', 'wsk']);
  expect(await Promise.all(statuses)).toEqual([403, 403, 200]);
});

/** What the stranger has said so far, which its own audit log may repeat. */
let said = '';

it.each(routes.flatMap((route) => keyKinds.map((kind) => ({ route, kind, title: `${route.method} ${route.path}` }))))(
  'shows and does nothing of another organization: $title with a key of kind $kind',
  async ({ route, kind }) => {
    const secrets = [...owner.ids.values()].filter((value) => typeof value === 'string');
    for (const example of examplesOf(route.contract.request)) {
      const body = filled(example, owner.ids);
      const asked = JSON.stringify(body);
      said += asked;
      const { status, text } = await send(keyOf(stranger, kind), route, body);
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
