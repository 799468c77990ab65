import {
  ChatBody,
  examplesOf,
  Fault,
  listAgents,
  placeCall,
  saveAgent,
  saveCampaign,
  saveCatalog,
  SpeechText,
} from '@parley/contracts';
import { recordOf } from '@parley/testing';
import { z } from 'zod';
import { handWritten } from '../api/hand-written';
import { parseInput, readInput } from './gateway-call';
import { everyRoute } from '../api/routes/route-table';

function complaintsOf(schema: z.ZodType, input: unknown): { field: string; message: string }[] {
  try {
    parseInput(schema, input);
    return [];
  } catch (error) {
    if (error instanceof Fault && error.code === 'VALIDATION_FAILED') return error.details;
    throw error;
  }
}

const schemas = new Map<string, z.ZodType>(
  [...everyRoute, ...handWritten].flatMap((endpoint) => {
    const { contract } = endpoint;
    const schema = ('body' in endpoint ? endpoint.body : undefined) ?? ('request' in contract ? contract.request : undefined);
    return schema ? [[endpoint.operationId, schema] as const] : [];
  }),
);

function shapeOf(schema: z.ZodType): z.core.JSONSchema.BaseSchema {
  const document = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  return (document.$ref && document.$defs?.[document.$ref.replace('#/$defs/', '')]) || document;
}

interface Leaf {
  readonly path: (string | number)[];
  readonly schema: z.core.JSONSchema.BaseSchema;
}

/** Every field of a request with a rule of its own, two objects deep. */
function leavesOf({ properties = {} }: z.core.JSONSchema.BaseSchema, before: string[] = []): Leaf[] {
  return Object.entries(properties).flatMap(([name, schema]) => {
    if (typeof schema !== 'object') return [];
    const path = [...before, name];
    return schema.properties && before.length === 0 ? leavesOf(schema, path) : [{ path, schema }];
  });
}

function withValue(base: object, [step, ...rest]: (string | number)[], value: unknown): object {
  if (step === undefined) return base;
  const inner: unknown = Reflect.get(base, step);
  return { ...base, [step]: rest.length === 0 ? value : withValue(recordOf(inner ?? {}), rest, value) };
}

describe('text that Postgres cannot store', () => {
  const anything = z.object({
    named: z.string().optional(),
    free: z.record(z.string(), z.unknown()).optional(),
    list: z.array(z.unknown()).optional(),
    json: z
      .string()
      .transform((text): unknown => JSON.parse(text))
      .optional(),
  });

  test.each([
    ['half a surrogate pair', '\ud800', 'must not contain half of a surrogate pair'],
    ['the other half', 'x\udfff', 'must not contain half of a surrogate pair'],
    ['a NUL character', 'a\u0000b', 'must not contain the NUL character'],
  ])('is refused anywhere: %s', (_what, bad, reason) => {
    const complain = (field: string) => [{ field, message: `${field} ${reason}` }];
    expect(complaintsOf(anything, { named: bad })).toEqual(complain('named'));
    expect(complaintsOf(anything, { free: { deep: [{ er: bad }] } })).toEqual(complain('free.deep.0.er'));
    expect(complaintsOf(anything, { list: ['fine', bad] })).toEqual(complain('list.1'));
    expect(complaintsOf(anything, { json: JSON.stringify({ within: bad }) })).toEqual(complain('json.within'));
    expect(complaintsOf(anything, { free: { [bad]: 1 } })).toEqual([{ field: 'free', message: `free ${reason}` }]);
  });

  test('does not include valid surrogate pairs, even in names', () => {
    expect(complaintsOf(anything, { named: '🏳️‍🌈', free: { '😀': ['𝒳', null, 1, true] } })).toEqual([]);
  });
});

/** Values that a rule forbids, each with what the message must say. */
function forbiddenBy(schema: z.core.JSONSchema.BaseSchema): [value: unknown, said: string[]][] {
  const { type: types, minimum, maximum, enum: values, maxLength, maxItems, anyOf } = schema;
  // A field that may be null as well is of two types.
  const [type] = [types].flat();
  if (anyOf) return [[{ no: 'such thing' }, []]];
  if (values) return [['no such word', values.map(String)]];
  const bounds = [minimum, maximum].filter((bound) => bound !== undefined && Math.abs(bound) < 2 ** 40).map(String);
  if (type === 'integer' || type === 'number')
    return [
      ['a word', bounds],
      ...(maximum !== undefined && maximum < 2 ** 40 ? [[maximum + 1, bounds] as [unknown, string[]]] : []),
    ];
  if (type === 'string')
    return [
      [{ no: 'text' }, maxLength && !schema.format ? [String(maxLength)] : []],
      ...(maxLength && maxLength < 25_000 ? [['x'.repeat(maxLength * 20), []] as [unknown, string[]]] : []),
    ];
  if (type === 'array') return [['no list', maxItems ? [String(maxItems)] : []]];
  if (type === 'boolean') return [['no', ['true', 'false']]];
  return type === 'object' ? [['no object', ['object']]] : [];
}

describe('every 400 about a field', () => {
  const cases = [...schemas].flatMap(([operationId, schema]) => {
    return leavesOf(shapeOf(schema)).flatMap(({ path, schema: leaf }) =>
      forbiddenBy(leaf).map(([value, said]) => ({ operationId, schema, path, value, said })),
    );
  });

  test('says what the field may be: the words, the range, the length or the format', () => {
    const silent: string[] = [];
    let complained = 0;
    for (const { operationId, schema, path, value, said } of cases) {
      const [example = {}] = examplesOf(schema);
      const field = path.join('.');
      const found = complaintsOf(schema, withValue(recordOf(example), path, value)).filter((each) =>
        each.field.startsWith(field),
      );
      complained += found.length;
      const words = found.map(({ message }) => message).join('; ');
      const isSaid = said.every((word) => words.includes(word) || words.includes(Number(word).toLocaleString('en')));
      const isVague = found.some(({ message }) => /is not valid$|expected form|Invalid/.test(message));
      if (found.length > 0 && (!isSaid || isVague)) silent.push(`${operationId} ${field}: ${words}`);
    }
    expect(complained).toBeGreaterThan(500);
    expect(silent).toEqual([]);
  });

  test.each<[string, z.ZodType, object, string]>([
    ['both ends of a range', listAgents.request, { pageSize: 201 }, 'pageSize must be an integer from 1 to 200'],
    ['both ends for a word in its place', listAgents.request, { pageNo: 'two' }, 'pageNo must be an integer from 1 to 1000000'],
    ['the words', SpeechText, { language: 'french' }, 'language must be one of english, hindi, marathi'],
    ['how long a text may be', ChatBody, { question: '' }, 'question must be a string of 1 to 8000 characters'],
    ['what an id looks like', saveAgent.request, { AgentKeyID: 'x' }, 'AgentKeyID must be a UUID or null'],
    [
      'fields of elements',
      saveCatalog.request,
      { products: [{ price: -1 }] },
      'products.0.price must be a number from 0 to 1000000000000',
    ],
    [
      'fields of groups',
      placeCall.request,
      { voicemail: { action: 'SING' } },
      'voicemail.action must be one of TALK, HANG_UP, LEAVE_MESSAGE',
    ],
    [
      'what a strict object does not take',
      saveCampaign.request,
      { ResultSchema: { properties: { plan: { type: 'string', pattern: '^a', $ref: '#' } } } },
      'ResultSchema.properties.plan must not have pattern, $ref, only type, description, enum, format',
    ],
    [
      'a name that is none, in the words of its rule',
      saveCampaign.request,
      { ResultSchema: { properties: { '9lives': { type: 'string' } } } },
      'ResultSchema.properties.9lives must start with a letter and have only letters, digits and _',
    ],
    [
      'what is left out or false',
      saveCampaign.request,
      { ResultSchema: { properties: { plan: { type: 'string' } }, additionalProperties: true } },
      'ResultSchema.additionalProperties must be false',
    ],
  ])('names %s', (_what, schema, change, message) => {
    const messages = complaintsOf(schema, { ...recordOf(examplesOf(schema)[0]), ...change }).map((each) => each.message);
    expect(messages).toContain(message);
  });
});

const Rows = z.object({ contacts: z.array(z.object({ ContactNumber: z.string(), TimeZone: z.string().optional() })) });

describe('null in an optional field', () => {
  test('equals leaving it out, on every route', () => {
    const refused: string[] = [];
    let tried = 0;
    for (const [operationId, schema] of schemas) {
      for (const example of examplesOf(schema)) {
        const absent = Object.keys(shapeOf(schema).properties ?? {}).filter((name) => !(name in recordOf(example)));
        tried += absent.length;
        for (const name of absent) {
          const complaints = complaintsOf(schema, { ...recordOf(example), [name]: null });
          if (complaints.some(({ message }) => !message.endsWith('is required'))) refused.push(`${operationId} ${name}`);
        }
      }
    }
    expect(tried).toBeGreaterThan(20);
    expect(refused).toEqual([]);
  });

  test('is not passed to the service', () => {
    const asked = { question: 'When?', variables: null, sessionUUID: null };
    expect(readInput(ChatBody, asked).given).toEqual({ question: 'When?' });
  });

  test('is an error if the field is required', () => {
    expect(complaintsOf(SpeechText, { text: null, language: 'english' })).toEqual([
      { field: 'text', message: 'text is required' },
    ]);
  });

  test('is left out of each row of a list', () => {
    const rows = [{ ContactNumber: '1', TimeZone: null }, { ContactNumber: '2' }, { ContactNumber: '3', TimeZone: null }];
    const { given } = readInput(Rows, { contacts: rows });
    expect(given).toEqual({ contacts: rows.map(({ ContactNumber }) => ({ ContactNumber })) });
  });

  test('is named where an item of a list is null', () => {
    expect(() => readInput(Rows, { contacts: [null] })).toThrow('contacts.0 must be an object');
  });

  test('is kept where null has a meaning', () => {
    const body = { ...recordOf(examplesOf(saveAgent.request)[0]), Greeting: null, Version: null };
    expect(readInput(saveAgent.request, body).given).toMatchObject({ Greeting: null });
    expect(readInput(saveAgent.request, body).given).not.toHaveProperty('Version');
  });
});
