import { randomUUID } from 'node:crypto';
import { examplesOf, saveAgent } from '@parley/contracts';
import { z } from 'zod';
import {
  type Answer,
  askedEndpoints,
  filled,
  foundTenant,
  furnish,
  idNamed,
  keyOf,
  keyOfRestricted,
  schemaOf,
  send,
  type Tenant,
} from './testing/tenants';
import { startWholePlatform, type WholePlatform } from './testing/whole-platform';

type Endpoint = (typeof askedEndpoints)[number];
type Shape = z.core.JSONSchema.BaseSchema;
type Defs = Readonly<Record<string, Shape>>;

/** A field of a request that names a record: where it stands, and whether it takes one or several. */
interface IdField {
  readonly path: readonly string[];
  readonly name: string;
  readonly isInteger: boolean;
  readonly isList: boolean;
}

/** Rows of tables that every installation has; and names that a client makes up itself. */
const ofNoRecord =
  /^(AgentTypeID|RegionTypeID|TimeZoneID|IndustryID|IndustryTypeID|LanguageID|ToneID|IconID|TemplateID|roleTypeID|ConversationalModeIDs|callUUID)$/;

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

/** A shape with all that it refers to or offers as a choice. */
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
  owner = await foundTenant(platform, 'Quokka Traders');
  await furnish(platform, owner);
  const agent = saveAgent.request.parse(examplesOf(saveAgent.request)[0]);
  const { AgentID, AgentKeyID } = await platform.bus.ask(saveAgent, agent, { principal: owner.owner });
  const ids = new Map([...owner.ids, ['AgentID', AgentID], ['AgentKeyID', AgentKeyID]] as const);
  restricted = { key: await keyOfRestricted(platform, owner, [AgentID]), ids };
  require('fs').writeFileSync('/tmp/ids-known.txt', JSON.stringify([...owner.ids], null, 1));
}, 90_000);
afterAll(() => platform.stop());

/** An example of the request that has the field, or else any. */
function bodyWith({ endpoint, field }: (typeof named)[number], ids: Tenant['ids'], id: string | number): unknown {
  const examples = examplesOf(schemaOf(endpoint));
  const has = examples.find((example) => field.path.reduce<unknown>((at, name) => Object(at)[name], example) !== undefined);
  return withId(filled(has ?? examples[0], ids), field, id);
}

function withId(example: unknown, field: IdField, id: string | number): unknown {
  const [first = '', ...rest] = field.path;
  const inner = Array.isArray(example) ? example[0] : Object(example);
  const changed = {
    ...inner,
    [first]: rest.length > 0 ? withId(inner[first], { ...field, path: rest }, id) : field.isList ? [id] : id,
  };
  return Array.isArray(example) ? [changed] : changed;
}

const unknownOf = ({ isInteger }: IdField): string | number => (isInteger ? 2_000_000_001 : randomUUID());

const out: string[] = [];
afterAll(() => require('fs').writeFileSync('/tmp/unknown.txt', out.join('\n')));
it.each(named)('an id that no record of the organization has is NOT_FOUND: $title', async (each) => {
  const { endpoint, field } = each;
  const kind = typeof endpoint.keys !== 'string' && endpoint.keys.some((one) => one === 'wsk') ? 'wsk' : 'agt';
  const { status, text } = await send(platform.url, keyOf(owner, kind), {
    endpoint,
    body: bodyWith(each, owner.ids, unknownOf(field)),
  });
  out.push(`${status} ${each.title} ${status === 404 ? '' : text.slice(0, 160)}`);
});

const ofAgents = named.filter(({ field: { name } }) =>
  /^(agent|campaign|campaignContact|number|call|widget|webhook|conversationalLog|integration|provider|session)(Key|Credential)*(UU)?IDs?$/i.test(
    name,
  ),
);
it.each(ofAgents)('a member of some agents cannot tell another’s id from none: $title', async (each) => {
  const theirs = idNamed(each.field.name, owner.ids);
  if (theirs === undefined) {
    out.push('NO ID ' + each.title);
    return;
  }
  const answers = [];
  for (const id of [theirs, unknownOf(each.field)]) {
    const { status, text } = await send(platform.url, restricted.key, {
      endpoint: each.endpoint,
      body: bodyWith(each, restricted.ids, id),
    });
    answers.push(`${status} ${text.replace(/"requestId.*/, '')}`.replaceAll(String(id), '<id>'));
  }
  if (answers[0] !== answers[1])
    out.push(`TELLS ${each.title}\n    ${answers[0].slice(0, 300)}\n    ${answers[1].slice(0, 300)}`);
});
