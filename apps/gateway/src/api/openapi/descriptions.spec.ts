import { fieldMeanings, meaningsGivenTwice } from '@parley/contracts';
import { recordOf } from '@parley/testing';
import { z } from 'zod';
import { socketLimits } from '../../live/sockets/relay';
import { SocketDocument } from './socket-document';
import { publicRoutes } from '../routes/route-table';
import { openApiJson } from './api-document';

interface Field {
  readonly place: string;
  readonly description: string;
  /** Whether clients send it. */
  readonly isInput: boolean;
}

const parts = ['anyOf', 'oneOf', 'allOf', 'items', 'additionalProperties'] as const;
const api: unknown = JSON.parse(openApiJson(publicRoutes));
const sockets: unknown = JSON.parse(new SocketDocument('ws://127.0.0.1:1', socketLimits).json);

/** Every field and parameter below a node of a document, with its description. */
function fieldsIn(part: unknown, place: string): Field[] {
  if (Array.isArray(part)) return part.flatMap((each) => fieldsIn(each, place));
  if (typeof part !== 'object' || part === null) return [];
  const { properties, parameters, in: where, name } = recordOf(part);
  const isInput = /\/requestBody|Request|Query|Body|Choice/.test(place);
  const own = Object.entries(properties ?? {}).map(([field, value]) => ({
    place: `${place}.${field}`,
    description: wordsOf(value),
    isInput,
  }));
  const asked = where && name ? [{ place: `${place}?${name}`, description: wordsOf(part), isInput: true }] : [];
  const isSchema = properties !== undefined || 'type' in part;
  const inner = isSchema
    ? [...parts.map((key) => [key, (part as Record<string, unknown>)[key]] as const), ...Object.entries(properties ?? {})]
    : Object.entries(part).filter(([key]) => key !== 'examples' && key !== 'example' && key !== 'parameters');
  return [
    ...own,
    ...asked,
    ...fieldsIn(parameters, place),
    ...inner.flatMap(([key, value]) => fieldsIn(value, `${place}/${key}`)),
  ];
}

/** What is said of a field itself: what its named schema says of all its fields is not shown beside this one. */
const wordsOf = (schema: unknown): string => String(recordOf(schema ?? {}).description ?? '');

describe.each([
  ['OpenAPI', api, 2_200],
  ['AsyncAPI', sockets, 60],
])('the %s document', (_name, document, atLeast) => {
  const fields = fieldsIn(document, '');

  test('describes every field and parameter in a sentence', () => {
    expect(fields.length).toBeGreaterThan(atLeast);
    expect(fields.filter(({ description }) => !/^.{4,}[.)]$/s.test(description)).map(({ place }) => place)).toEqual([]);
  });

  test('names only lists that are routes', () => {
    const paths = [...publicRoutes.rows, ...publicRoutes.handWritten].map(({ path }) => path);
    const named = fields.flatMap(({ description }) => [...description.matchAll(/`(?:GET |POST )?([\w-]*\/[\w/-]+)`/g)]);
    expect(named.length).toBeGreaterThan(document === api ? 200 : -1);
    expect(named.map(([, path = '']) => path).filter((path) => !paths.some((each) => each.endsWith(path)))).toEqual([]);
  });
});

test('says for every id chosen from a list which list that is', () => {
  const listed =
    /\.(AgentTypeID|RegionTypeID|TimeZoneID|Industry(Type)?ID|LanguageID|ToneID|IconID|TemplateID|roleTypeID|SalesUserID|\w+ProviderID|\w*VoiceIDs?|\w*TranscribeIDs?|LLM\w*ModelIDs?|AgentID|AgentKeyID|KBID)$/;
  const chosen = fieldsIn((api as { components: { schemas: object } }).components.schemas, '').filter(
    ({ place }) => /\/(Save|Create|Set)\w+Input\b/.test(place) && listed.test(place),
  );
  expect(chosen.length).toBeGreaterThan(30);
  // The id of the record itself names no list: `null` creates one.
  const isOwn = /^[^`]*(?:change|to create|creates)/;
  const named = ({ description }: Field) => /`(?:GET |POST )?[\w-]*\/[\w/-]+`/.test(description) || isOwn.test(description);
  expect(chosen.filter((field) => !named(field)).map(({ place, description }) => `${place}: ${description}`)).toEqual([]);
});

test('has no duplicate and no unused description', () => {
  const shown = new Set([api, sockets].flatMap((document) => fieldsIn(document, '')).map(({ description }) => description));
  expect(meaningsGivenTwice).toEqual([]);
  expect([...fieldMeanings].filter(([, sentence]) => !shown.has(sentence)).map(([key]) => key)).toEqual([]);
});

test('refuses a field without a description', () => {
  const [row] = publicRoutes.rows;
  if (!row) throw new Error('no row');
  const request = z.object({ unheardOf: z.string() }).meta({ id: 'UnheardOf' });
  const table = { rows: [{ ...row, input: 'json' as const, contract: { ...row.contract, request } }], handWritten: [] };
  const document: unknown = JSON.parse(openApiJson(table));
  expect(fieldsIn(document, '')).toContainEqual(expect.objectContaining({ description: '', isInput: expect.any(Boolean) }));
});

it('the removal of a member says which keys outlive it', () => {
  const { paths } = recordOf(api);
  const { delete: removal } = recordOf(recordOf(paths)['/api/v1/external/team-management/member/{memberAdminID}']);
  expect(wordsOf(removal)).toMatch(/Agent keys, speech keys and widgets .* stay valid.* Keys: `wsk`\./);
});

const fillerWords = 'the its it a an of this in is are whose that to for as by from with when what which whether how only has';
const wordsIn = (text: string): string[] =>
  (text.match(/[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+/g) ?? []).map((word) => word.toLowerCase().replace(/s$/, ''));
/** Words that say nothing of a field by themselves. */
const fillers = new Set(wordsIn(fillerWords));

test('says more of every field than its name does', () => {
  const idle = [api, sockets]
    .flatMap((document) => fieldsIn(document, ''))
    .filter(({ place, description }) => {
      const name = new Set(wordsIn(place.split(/[.?]/).at(-1) ?? ''));
      const said = wordsIn(description).filter((word) => !fillers.has(word));
      return said.length > 0 && said.every((word) => name.has(word));
    });
  expect(idle.map(({ place, description }) => `${place}: ${description}`)).toEqual([]);
});

test('says of every search what it looks in', () => {
  const searches = fieldsIn(api, '').filter(({ place }) => /[.?](searchName|search)$/.test(place));
  expect(searches.length).toBeGreaterThanOrEqual(20);
  const vague = searches.filter(
    ({ description }) => !/^Only [\w ]+ (whose|in which|that) .*(contain).*; empty for all\.$/.test(description),
  );
  expect(vague.map(({ place, description }) => `${place}: ${description}`)).toEqual([]);
});
