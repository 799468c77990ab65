import { randomUUID } from 'node:crypto';
import { everyRoute, handWritten } from '@parley/apps/gateway';
import {
  acceptInvite,
  createKey,
  createOrganization,
  examplesOf,
  type KeyKind,
  keyKinds,
  listMailOutbox,
  nameOf,
  Nothing,
  type Principal,
  saveAgent,
  saveInvite,
} from '@parley/contracts';
import { recordOf } from '@parley/testing';
import type { WholePlatform } from './whole-platform';

type Fields = Record<string, unknown>;
type Endpoint = (typeof everyRoute)[number] | (typeof handWritten)[number];

/** Every endpoint with a key and a finite answer: no sockets, and no stream that stays open. */
export const askedEndpoints: readonly Endpoint[] = [...everyRoute, ...handWritten].filter(
  ({ keys, contract, method }) => keys !== 'public' && method !== 'WS' && nameOf(contract) !== 'watchCalls',
);

/** The schema of an endpoint's body or query. */
export function schemaOf(endpoint: Endpoint) {
  const { contract } = endpoint;
  return 'body' in endpoint && endpoint.body ? endpoint.body : 'request' in contract ? contract.request : Nothing;
}

/** An organization with a key of each kind, and the ids of its records. */
export interface Tenant {
  readonly owner: Principal;
  readonly keys: ReadonlyMap<KeyKind, string>;
  readonly ids: Map<string, string | number>;
}

export interface Answer {
  readonly status: number;
  readonly text: string;
}

/** Ids that are the same for everyone, because they come from the lookups. */
const sharedNames =
  /^(AgentType|RegionType|TimeZone|Industry|Language|Tone|Icon|Template|roleType|Role|ConversationalMode|Transcribe|Voice|LLM|voice|transcribe|providerKeyID$)/;

/** Creates an organization with an agent. */
export async function createTenant(platform: WholePlatform, name: string): Promise<Tenant> {
  const person = { email: `${randomUUID()}@tenant.example`, name: `${name} Owner` };
  const organization = {
    OrgKeyID: randomUUID(),
    OrganizationName: name,
    timezone: 'Asia/Kolkata',
    defaultRegion: 'IN',
    owner: person,
  };
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
  const ids = new Map<string, string | number>([
    ['memberAdminID', made.memberAdminID],
    ['AdminID', made.userID],
  ]);
  const keys = keyKinds.map(async (kind): Promise<[KeyKind, string]> => {
    const { key } = await platform.bus.ask(
      createKey,
      { name: 'test', kind, ...(kind === 'agt' && { AgentKeyID }) },
      { principal },
    );
    return [kind, key];
  });
  return { owner: principal, keys: new Map(await Promise.all(keys)), ids };
}

/** A key of a new Admin who is restricted to some of the organization's agents. */
export async function keyOfRestricted(platform: WholePlatform, { owner }: Tenant, agentIds: number[]): Promise<string> {
  const email = `${randomUUID()}@tenant.example`;
  const held = { roleTypeID: 2, userType: 'Web', agentAccessScope: 'RESTRICTED', agentIds } as const;
  await platform.bus.ask(saveInvite, { action: 'ADD', emails: [email], ...held }, { principal: owner });
  const { rows } = await platform.bus.ask(listMailOutbox, { searchName: email }, { principal: owner });
  const token = /inv_[\w-]+/.exec(rows[0]?.text ?? '')?.[0] ?? '';
  const { memberAdminID } = await platform.bus.ask(acceptInvite, { token });
  return (await platform.bus.ask(createKey, { name: 'test', kind: 'wsk', memberAdminID }, { principal: owner })).key;
}

const rounds = 3;

const isList = ({ contract }: Endpoint): boolean => nameOf(contract).startsWith('list');

/** The kind of key to call an endpoint with: an agent's, if it is accepted. */
export function kindFor({ keys }: Endpoint): KeyKind {
  return keyKinds.find((kind) => keys !== 'public' && keys.some((each) => each === kind)) ?? 'wsk';
}

/** Creates a record of each kind from the examples of the routes, and remembers the ids. */
export async function createRecords(platform: WholePlatform, tenant: Tenant): Promise<void> {
  // In several rounds, because records of one route may be used by earlier routes too.
  for (let round = 0; round < rounds; round += 1) {
    for (const endpoint of askedEndpoints.filter(
      (each) => each.method !== 'DELETE' && nameOf(each.contract) !== 'cancelCampaign',
    )) {
      // The example of a list may match nothing; without filters, it shows everything.
      const examples: readonly unknown[] = [...examplesOf(schemaOf(endpoint)), ...(isList(endpoint) ? [{}] : [])];
      for (const example of examples) {
        // The number that the examples call must stay off the do-not-call list.
        const body =
          nameOf(endpoint.contract) === 'addDoNotCall' ? { ContactNumbers: ['+919820098299'] } : filled(example, tenant.ids);
        gather(tenant, (await send(platform.url, keyOf(tenant, kindFor(endpoint)), { endpoint, body })).text);
      }
    }
  }
}

/** The organization's key of a kind. */
export function keyOf({ keys }: Tenant, kind: KeyKind): string {
  const key = keys.get(kind);
  if (key === undefined) throw new Error(`no key of kind ${kind}`);
  return key;
}

/** Remembers the first id of each name in an answer. */
export function gather(tenant: Pick<Tenant, 'ids'>, text: string): void {
  for (const [, name = '', value = ''] of text.matchAll(
    /"(\w*(?:KeyID|UUID|memberAdminID|[A-Za-z]ID))":("[0-9a-f-]{36}"|\d+)/g,
  )) {
    if (!tenant.ids.has(name) && !sharedNames.test(name)) tenant.ids.set(name, JSON.parse(value) as string | number);
  }
}

/** The route's own example, with the tenant's ids in place of the example's wherever it has them. */
export function filled(example: unknown, ids: ReadonlyMap<string, string | number>): unknown {
  if (Array.isArray(example)) return example.map((each) => filled(each, ids));
  if (typeof example !== 'object' || example === null) return example;
  return Object.fromEntries(Object.entries(example).map(([name, value]) => [name, valueOf(name, value, ids)]));
}

/** The tenant's id for a field, whichever way its name is spelled: `agentIds`, `AgentID`, `teamInviteKeyID`. */
export function idNamed(name: string, ids: ReadonlyMap<string, string | number>): string | number | undefined {
  const sought = name.replace(/s$/, '').toLowerCase();
  return [...ids].find(([known]) => known.toLowerCase() === sought)?.[1];
}

function valueOf(name: string, value: unknown, ids: ReadonlyMap<string, string | number>): unknown {
  const known = idNamed(name, ids);
  // Null and 0 would create a new record.
  if (known !== undefined && value !== null && value !== 0)
    return Array.isArray(value) ? [known] : typeof value === 'string' ? String(known) : known;
  return filled(value, ids);
}

interface Sent {
  readonly endpoint: Endpoint;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Calls an endpoint with the fields of the body placed where it expects them, and returns the answer. */
export async function send(url: string, key: string, { endpoint, body, headers = {} }: Sent): Promise<Answer> {
  const fields = recordOf(body ?? {});
  const path = endpoint.path.replaceAll(/:(\w+)/g, (_, name: string) => String(fields[name]));
  const query = new URLSearchParams(Object.entries(fields).map(([name, value]): [string, string] => [name, String(value)]));
  const input = inputOf(endpoint);
  const reply = await fetch(`${url}${path}${input === 'query' ? `?${query}` : ''}`, {
    method: endpoint.method,
    headers: { ...headers, 'x-api-key': key, ...(input === 'json' && { 'content-type': 'application/json' }) },
    ...(input === 'json' && { body: JSON.stringify(fields) }),
    ...(input === 'form' && { body: formOf(endpoint, fields) }),
  });
  return { status: reply.status, text: await reply.text() };
}

function inputOf(endpoint: Endpoint): 'query' | 'json' | 'form' {
  if ('input' in endpoint) return endpoint.input;
  if (endpoint.method !== 'POST') return 'query';
  return endpoint.accepts.includes('application/json') ? 'json' : 'form';
}

/** The file field of each form that has one. */
const files: Readonly<Record<string, string>> = { saveDocument: 'document', transcribeRecording: 'audioFile' };

function formOf(endpoint: Endpoint, fields: Fields): FormData {
  const form = new FormData();
  const file = 'accepts' in endpoint ? (files[nameOf(endpoint.contract)] ?? 'file') : undefined;
  for (const [name, value] of Object.entries(fields))
    if (name !== file) form.append(name, typeof value === 'object' ? JSON.stringify(value) : String(value));
  const contacts = new File(['CustomerName,ContactNumber\nAsha,+919820098200\n'], 'contacts.csv', { type: 'text/csv' });
  if (file) form.append(file, contacts);
  return form;
}
