import { z } from 'zod';
import { contractByName, nameOf, schemasOf } from './catalogue';
import { type MessageContract, ownerOf } from './messages';
import { examplesOf } from './vocabulary';

const contracts = [...contractByName];
const schemas = contracts.flatMap(([name, contract]) =>
  Object.entries(schemasOf(contract)).map(([part, schema]) => ({ name, part, schema, title: `${name}, ${part}` })),
);
const inputs = new Set(['request', 'opening', 'signal']);

const uuid = /(?<=")[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}(?=")/g;

/** A value after one trip over the wire. */
function throughJson(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

describe('the messages of the platform', () => {
  it('have unique subjects', () => {
    const subjects = contracts.map(([, { subject }]) => subject);
    expect(new Set(subjects).size).toBe(subjects.length);
    expect(subjects.length).toBeGreaterThan(120);
  });

  it.each(contracts)('%s has a subject of service, noun and verb', (_name, contract) => {
    expect(contract.subject).toMatch(/^[a-z-]+\.[a-z-]+\.[a-z-]+$/);
    expect(ownerOf(contract)).toBe(contract.subject.split('.')[0]);
  });

  it.each(contracts)('%s is found by its subject', (name, contract) => {
    expect(nameOf({ subject: contract.subject })).toBe(name);
  });

  it('have no name for an unknown subject', () => {
    expect(() => nameOf({ subject: 'gateway.nobody.knows' })).toThrow(TypeError);
  });
});

describe('every schema of a message', () => {
  it.each(schemas)('has an id, a description and an example: $title', ({ schema }) => {
    expect(schema.meta()).toMatchObject({ id: expect.stringMatching(/^[A-Z]\w+$/), description: expect.stringMatching(/\.$/) });
    expect(examplesOf(schema).length).toBeGreaterThan(0);
  });

  it.each(schemas)('accepts its own examples: $title', ({ schema }) => {
    for (const example of examplesOf(schema)) expect(schema.safeParse(example)).toMatchObject({ success: true });
  });

  it.each(schemas.filter(({ part }) => inputs.has(part)))('reads UUIDs in capitals as the same ones: $title', ({ schema }) => {
    for (const example of examplesOf(schema)) {
      const text = JSON.stringify(schema.parse(example));
      const capitals = JSON.stringify(example).replaceAll(uuid, (found) => found.toUpperCase());
      expect(JSON.stringify(schema.parse(JSON.parse(capitals)))).toBe(text);
    }
  });

  it.each(schemas)('changes nothing when parsed again at the other end: $title', ({ schema }) => {
    for (const example of examplesOf(schema)) {
      const once = schema.parse(example);
      expect(schema.parse(throughJson(once))).toEqual(throughJson(once));
    }
  });

  it.each(schemas)('becomes JSON Schema: $title', ({ schema, part }) => {
    const document = z.toJSONSchema(schema, { io: inputs.has(part) ? 'input' : 'output' });
    expect(document).toHaveProperty('$schema');
  });

  it('shares its id with no other schema', () => {
    const owners = new Map<string, Set<z.ZodType>>();
    for (const { schema } of schemas) {
      const id = String(schema.meta()?.id);
      owners.set(id, (owners.get(id) ?? new Set()).add(schema));
    }
    expect([...owners].filter(([, same]) => same.size > 1).map(([id]) => id)).toEqual([]);
  });
});

/** The fields of a record, of the rows of a list, or of the elements of an array. */
function fieldsOf(schema: unknown): string[] {
  if (schema instanceof z.ZodArray) return fieldsOf(schema.element);
  if (!(schema instanceof z.ZodObject)) return [];
  return 'rows' in schema.shape ? fieldsOf(schema.shape.rows) : Object.keys(schema.shape);
}

function idsMissing(contract: MessageContract): string[] {
  const fields = contract.kind === 'request' ? fieldsOf(contract.reply) : [];
  const uuids = fields.filter((field) => /^[A-Z]\w+KeyID$/.test(field));
  return uuids.filter((field) => !fields.includes(field.replace(/KeyID$/, 'ID')));
}

describe('a reply about a record', () => {
  it('carries the integer id beside every UUID', () => {
    const missing = contracts.flatMap(([name, contract]) => idsMissing(contract).map((field) => `${name}: ${field}`));
    expect(missing).toEqual([]);
  });
});
