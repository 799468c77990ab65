import { randomUUID } from 'node:crypto';
import { examplesOf, saveAgent } from '@parley/contracts';
import { recordOf } from '@parley/testing';
import { z } from 'zod';
import {
  askedEndpoints,
  createRecords,
  createTenant,
  filled,
  idNamed,
  keyOf,
  kindFor,
  keyOfRestricted,
  schemaOf,
  send,
  type Tenant,
} from './testing/tenants';
import { startWholePlatform, type WholePlatform } from './testing/whole-platform';

type Shape = z.core.JSONSchema.BaseSchema;
type Defs = Readonly<Record<string, Shape>>;

/** A field of a request that names a record: its path, and whether it takes one or several. */
interface IdField {
  readonly path: readonly string[];
  readonly name: string;
  readonly isInteger: boolean;
  readonly isList: boolean;
}

/** Rows of tables that every installation has, names chosen by clients, and voices that may be missing. */
const ofNoRecord =
  /^(preferred\w+|UploadKeyID|AgentTypeID|RegionTypeID|TimeZoneID|IndustryID|IndustryTypeID|LanguageID|ToneID|IconID|TemplateID|roleTypeID|ConversationalModeIDs|callUUID)$/;

function* idFieldsOf(shape: Shape, defs: Defs, path: readonly string[] = []): Generator<IdField> {
  for (const part of partsOf(shape, defs)) {
    if (typeof part.items === 'object' && !Array.isArray(part.items)) yield* idFieldsOf(part.items, defs, path);
    for (const [name, field] of Object.entries(part.properties ?? {})) {
      if (typeof field === 'boolean' || ofNoRecord.test(name)) continue;
      if (/(ID|Id|UUID)s?$/.test(name)) yield idFieldOf([...path, name], partsOf(field, defs), defs);
      else yield* idFieldsOf(field, defs, [...path, name]);
    }
  }
}

function idFieldOf(path: readonly string[], parts: readonly Shape[], defs: Defs): IdField {
  const items = parts.flatMap((part) =>
    typeof part.items === 'object' && !Array.isArray(part.items) ? partsOf(part.items, defs) : [],
  );
  const isInteger = [...parts, ...items].some(({ type }) => type === 'integer');
  return { path, name: path.at(-1) ?? '', isInteger, isList: parts.some(({ type }) => type === 'array') };
}

/** A schema with everything it refers to or offers as a choice. */
function partsOf(shape: Shape, defs: Defs): Shape[] {
  const { $ref, anyOf = [], oneOf = [], allOf = [] } = shape;
  const referred = defs[$ref?.split('/').at(-1) ?? ''];
  return [shape, ...[...(referred ? [referred] : []), ...anyOf, ...oneOf, ...allOf].flatMap((part) => partsOf(part, defs))];
}

const named = askedEndpoints.flatMap((endpoint) => {
  const shape = z.toJSONSchema(schemaOf(endpoint), { io: 'input', unrepresentable: 'any' });
  const fields = new Map([...idFieldsOf(shape, shape.$defs ?? {})].map((field) => [field.path.join('.'), field]));
  return [...fields.values()].map((field) => ({
    endpoint,
    field,
    title: `${endpoint.method} ${endpoint.path} ${field.path.join('.')}`,
  }));
});

let platform: WholePlatform;
let owner: Tenant;
let restricted: { readonly key: string; readonly ids: Tenant['ids'] };
beforeAll(async () => {
  platform = await startWholePlatform();
  owner = await createTenant(platform, 'Quokka Traders');
  await createRecords(platform, owner);
  const agent = saveAgent.request.parse(examplesOf(saveAgent.request)[0]);
  const { AgentID, AgentKeyID } = await platform.bus.ask(saveAgent, agent, { principal: owner.owner });
  const ids = new Map([...owner.ids, ['AgentID', AgentID], ['AgentKeyID', AgentKeyID]] as const);
  restricted = { key: await keyOfRestricted(platform, owner, [AgentID]), ids };
});
afterAll(() => platform.stop());

/** An example of the request that has the field, or otherwise any. */
function bodyWith({ endpoint, field }: (typeof named)[number], ids: Tenant['ids'], id: string | number): unknown {
  const examples = examplesOf(schemaOf(endpoint));
  const reached = (path: readonly string[]) =>
    examples.find((example) =>
      Boolean(path.reduce<unknown>((at, name) => (at as Record<string, unknown> | undefined)?.[name], example)),
    );
  // A request that invites new members ignores the invitation's id.
  if (field.name === 'TeamInviteKeyID' && 'emails' in recordOf(examples[0] ?? {}))
    return { action: 'UPDATE', TeamInviteKeyID: id };
  const own = reached(field.path) ?? reached(field.path.slice(0, -1)) ?? examples[0];
  return withId(filled(own, ids), field, id);
}

function withId(example: unknown, field: IdField, id: string | number): unknown {
  const [first = '', ...rest] = field.path;
  const inner = recordOf((Array.isArray(example) ? example[0] : example) ?? {});
  const changed = {
    ...inner,
    [first]: rest.length > 0 ? withId(inner[first], { ...field, path: rest }, id) : field.isList ? [id] : id,
  };
  return Array.isArray(example) ? [changed] : changed;
}

const unknownOf = ({ isInteger }: IdField): string | number => (isInteger ? 2_000_000_001 : randomUUID());

/** Answered per id: the valid ones are accepted. */
const eachByItself = /map-contacts ContactID$/;

it.each(named)('refuses an id without a record in the organization: $title', async (each) => {
  const { endpoint, field, title } = each;
  const body = bodyWith(each, owner.ids, unknownOf(field));
  const { status, text } = await send(platform.url, keyOf(owner, kindFor(endpoint)), { endpoint, body });
  if (eachByItself.test(title)) expect([status, text]).toEqual([200, expect.stringContaining('"changedCount":0')]);
  else if (status === 400) expect(text).toContain(`"details":[{"field":"${field.path.join('.')}`);
  else expect([title, status, endpoint.faults]).toEqual([title, 404, expect.arrayContaining(['NOT_FOUND'])]);
});

const ofAgents = named.filter(({ field: { name } }) =>
  /^(agent|campaign|campaignContact|number|call|widget|webhook|conversationalLog|integration|session)(Key)?(UU)?IDs?$/i.test(
    name,
  ),
);

it.each(ofAgents)('does not tell a restricted member whether another agent’s record exists: $title', async (each) => {
  const theirs = idNamed(each.field.name, owner.ids);
  const asked = [theirs ?? '', unknownOf(each.field)].map(async (id) => {
    const body = bodyWith(each, restricted.ids, id);
    const { status, text } = await send(platform.url, restricted.key, { endpoint: each.endpoint, body });
    return [status, text.replace(/"requestId.*/, '').replaceAll(String(id), 'the id')];
  });
  const [ofTheirs, ofNobody] = await Promise.all(asked);
  expect(theirs).toBeDefined();
  expect(ofTheirs).toEqual(ofNobody);
});
