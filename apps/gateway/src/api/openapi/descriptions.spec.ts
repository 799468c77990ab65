import { fieldMeanings, meaningsGivenTwice } from '@parley/contracts';
import { z } from 'zod';
import { socketLimits } from '../../live/sockets/exchange';
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

/** Every field and parameter below a part of a document, with what is said of it. */
function fieldsIn(part: unknown, place: string, document: unknown): Field[] {
  if (Array.isArray(part)) return part.flatMap((each) => fieldsIn(each, place, document));
  if (typeof part !== 'object' || part === null) return [];
  const { properties, parameters, in: where, name } = Object(part);
  const isInput = /\/requestBody|Request|Query|Body|Choice/.test(place);
  const own = Object.entries(Object(properties)).map(([field, value]) => ({
    place: `${place}.${field}`,
    description: wordsOf(value, document),
    isInput,
  }));
  const asked = where && name ? [{ place: `${place}?${name}`, description: wordsOf(part, document), isInput: true }] : [];
  const isSchema = properties !== undefined || 'type' in part;
  const inner = isSchema
    ? [...parts.map((key) => [key, (part as Record<string, unknown>)[key]] as const), ...Object.entries(Object(properties))]
    : Object.entries(part).filter(([key]) => key !== 'examples' && key !== 'example' && key !== 'parameters');
  return [
    ...own,
    ...asked,
    ...fieldsIn(parameters, place, document),
    ...inner.flatMap(([key, value]) => fieldsIn(value, `${place}/${key}`, document)),
  ];
}

/** What is said of a field itself, or of the named schema that it is of. */
function wordsOf(schema: unknown, document: unknown): string {
  const { description, $ref, anyOf } = Object(schema);
  if (typeof description === 'string') return description;
  if (typeof $ref === 'string') return wordsOf(found($ref, document), document);
  return Array.isArray(anyOf) ? (anyOf.map((each) => wordsOf(each, document)).find((words) => words !== '') ?? '') : '';
}

function found($ref: string, document: unknown): unknown {
  return $ref
    .slice(2)
    .split('/')
    .reduce<unknown>((part, step) => (part as Record<string, unknown>)[step], document);
}

describe.each([
  ['OpenAPI', api, 2_200],
  ['AsyncAPI', sockets, 60],
])('the %s document', (_name, document, atLeast) => {
  const fields = fieldsIn(document, '', document);

  test('says of every field and parameter what it is, in a sentence', () => {
    expect(fields.length).toBeGreaterThan(atLeast);
    expect(fields.filter(({ description }) => !/^.{4,}[.)]$/s.test(description)).map(({ place }) => place)).toEqual([]);
  });

  test('names no list that is not a route', () => {
    const paths = [...publicRoutes.rows, ...publicRoutes.handWritten].map(({ path }) => path);
    const named = fields.flatMap(({ description }) => [...description.matchAll(/`(?:GET |POST )?([\w-]*\/[\w/-]+)`/g)]);
    expect(named.length).toBeGreaterThan(document === api ? 200 : -1);
    expect(named.map(([, path = '']) => path).filter((path) => !paths.some((each) => each.endsWith(path)))).toEqual([]);
  });
});

test('says of every id that clients choose from a list, which list that is', () => {
  const listed =
    /\.(AgentTypeID|RegionTypeID|TimeZoneID|Industry(Type)?ID|LanguageID|ToneID|IconID|TemplateID|roleTypeID|SalesUserID|\w+ProviderID|\w*VoiceIDs?|\w*TranscribeIDs?|LLM\w*ModelIDs?|AgentID|AgentKeyID|KBID)$/;
  const chosen = fieldsIn((api as { components: { schemas: object } }).components.schemas, '', api).filter(
    ({ place }) => /\/(Save|Create|Set)\w+Request\b/.test(place) && listed.test(place),
  );
  expect(chosen.length).toBeGreaterThan(30);
  expect(chosen.filter(({ description }) => !/`|change/.test(description)).map(({ place }) => place)).toEqual([]);
});

test('keeps no sentence twice, and none of which no document makes use', () => {
  const shown = new Set(
    [api, sockets].flatMap((document) => fieldsIn(document, '', document)).map(({ description }) => description),
  );
  expect(meaningsGivenTwice).toEqual([]);
  expect([...fieldMeanings].filter(([, sentence]) => !shown.has(sentence)).map(([key]) => key)).toEqual([]);
});

test('refuses a field that nobody describes', () => {
  const [row] = publicRoutes.rows;
  if (!row) throw new Error('no row');
  const request = z.object({ unheardOf: z.string() }).meta({ id: 'UnheardOf' });
  const table = { rows: [{ ...row, input: 'json' as const, contract: { ...row.contract, request } }], handWritten: [] };
  const document: unknown = JSON.parse(openApiJson({ ...table, isAnswered: () => true }));
  expect(fieldsIn(document, '', document)).toContainEqual(
    expect.objectContaining({ description: '', isInput: expect.any(Boolean) }),
  );
});
