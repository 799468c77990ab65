import { complaintsAbout, type FaultDetail, ownWords, type RuntimeSettings } from '@parley/contracts';
import { z } from 'zod';

const bytesMax = 16_384;
/** Nested schemas; providers accept no more. */
const depthMax = 10;
const faultsMax = 10;
/** What the strictest provider accepts. */
const propertyName = /^[a-zA-Z0-9_.-]{1,64}$/;

const Type = z.enum(['object', 'array', 'string', 'number', 'integer', 'boolean', 'null']);
const count = z.int().min(0);
const text = z.string();
const named = z.record(z.string(), z.unknown());
const listed = z.array(z.unknown()).min(1);

/** The JSON Schema keywords whose values can be wrong. Others are ignored, as the standard says. */
const Keywords = z
  .looseObject({
    ...{ $ref: text, title: text, description: text, format: text, type: z.union([Type, z.array(Type).min(1)]) },
    ...{ properties: named, patternProperties: named, dependentSchemas: named, $defs: named, definitions: named },
    ...{ anyOf: listed, oneOf: listed, allOf: listed, prefixItems: listed, enum: listed },
    ...{ minLength: count, maxLength: count, minItems: count, maxItems: count, minProperties: count, maxProperties: count },
    ...{ minimum: z.number(), maximum: z.number(), exclusiveMinimum: z.number(), exclusiveMaximum: z.number() },
    ...{ multipleOf: z.number().positive(), uniqueItems: z.boolean() },
    pattern: text.refine(isExpression, 'must be a regular expression'),
    required: z.array(text).refine((names) => new Set(names).size === names.length, 'must not repeat a name'),
  })
  .partial();
type Keywords = z.output<typeof Keywords>;

const schemasByName = ['properties', 'patternProperties', 'dependentSchemas', '$defs', 'definitions'] as const;
const listsOfSchemas = ['anyOf', 'oneOf', 'allOf', 'prefixItems'] as const;
const schemas = ['items', 'contains', 'propertyNames', 'not', 'if', 'then', 'else'] as const;
/** For these keywords, a schema may also be true or false. */
const switches = ['additionalProperties', 'unevaluatedItems', 'unevaluatedProperties'] as const;
const refusedAtTop = ['anyOf', 'oneOf', 'allOf', 'not', 'enum'] as const;
const bounds = [
  ['minLength', 'maxLength'],
  ['minItems', 'maxItems'],
  ['minProperties', 'maxProperties'],
  ['minimum', 'maximum'],
] as const;

/** A schema within the parameters, and the path to it. */
interface Place {
  readonly path: readonly string[];
  readonly schema: unknown;
  readonly depth: number;
}

/**
 * What a provider would refuse about a function's parameters, which must be the JSON Schema of an object. If they were only
 * refused when the agent answers, every turn of that agent would fail.
 */
export function unusableParameters({ name, parameters }: RuntimeSettings['Tools'][number]): FaultDetail[] {
  const root = `Tools.${name}.parameters`;
  const fault = (path: readonly string[], says: string): FaultDetail => {
    const field = [root, ...path].join('.');
    return { field, message: `${field} ${says}` };
  };
  if (parameters.type !== 'object') return [fault([], 'must be a JSON Schema of type object')];
  if (Buffer.byteLength(JSON.stringify(parameters)) > bytesMax) return [fault([], `must be at most ${bytesMax} bytes of JSON`)];
  const faults = refusedAtTop
    .filter((keyword) => Object.hasOwn(parameters, keyword))
    .map((keyword) => fault([keyword], 'is not possible at the top: every provider wants a plain object there'));
  const waiting: Place[] = [{ path: [], schema: parameters, depth: 1 }];
  for (let place = waiting.pop(); place && faults.length < faultsMax; place = waiting.pop()) {
    const { data: found, error } = Keywords.safeParse(place.schema, { error: ownWords });
    const [issue] = error?.issues ?? [];
    if (!found) faults.push(fault([...place.path, ...(issue?.path ?? []).map(String)], messageOf(place.schema, issue)));
    else if (place.depth > depthMax) faults.push(fault(place.path, `is nested deeper than ${depthMax} schemas`));
    else {
      for (const { keys, says } of contradictionsOf(found, parameters)) faults.push(fault([...place.path, ...keys], says));
      waiting.push(...schemasWithin(found, place));
    }
  }
  return faults.slice(0, faultsMax);
}

function messageOf(schema: unknown, issue: z.core.$ZodIssue | undefined): string {
  if (issue?.code === 'custom') return issue.message;
  const key = issue?.path.at(-1);
  if (key === 'type' || issue?.path.at(-2) === 'type') return `must be one of ${Type.options.join(', ')}, or a list of them`;
  const [complaint] = issue ? complaintsAbout(Keywords, schema, [issue]) : [];
  return `is no JSON Schema: it ${complaint?.predicate ?? 'cannot be read'}`;
}

function schemasWithin(schema: Keywords, { path, depth }: Place): Place[] {
  const within = (keys: readonly string[], found: unknown): Place => ({
    path: [...path, ...keys],
    schema: found,
    depth: depth + 1,
  });
  return [
    ...schemasByName.flatMap((word) => Object.entries(schema[word] ?? {}).map(([name, found]) => within([word, name], found))),
    ...listsOfSchemas.flatMap((word) => (schema[word] ?? []).map((found, place) => within([word, String(place)], found))),
    ...schemas.flatMap((word) => (schema[word] === undefined ? [] : [within([word], schema[word])])),
    ...switches.flatMap((word) => {
      const found = schema[word];
      return found === undefined || typeof found === 'boolean' ? [] : [within([word], found)];
    }),
  ];
}

interface Contradiction {
  readonly keys: readonly string[];
  readonly says: string;
}

function contradictionsOf(schema: Keywords, root: Readonly<Record<string, unknown>>): Contradiction[] {
  const { properties, required = [], type, $ref } = schema;
  const names = Object.keys(properties ?? {});
  const isList = type === 'array' || (Array.isArray(type) && type.includes('array'));
  return [
    ...names
      .filter((name) => !propertyName.test(name))
      .map((name) => ({ keys: ['properties', name], says: 'must have a name of at most 64 letters, digits and _ . -' })),
    ...required
      .filter((name) => properties !== undefined && !names.includes(name))
      .map((name) => ({ keys: ['required'], says: `names ${name}, which is none of the properties` })),
    ...Object.keys(schema.patternProperties ?? {})
      .filter((name) => !isExpression(name))
      .map((name) => ({ keys: ['patternProperties', name], says: 'must be a regular expression' })),
    ...bounds
      .filter(([least, most]) => (schema[least] ?? -Infinity) > (schema[most] ?? Infinity))
      .map(([least, most]) => ({ keys: [least], says: `must not be more than ${most}` })),
    ...(isList && schema.items === undefined && schema.prefixItems === undefined
      ? [{ keys: [], says: 'must say by items what the array has' }]
      : []),
    ...($ref === undefined || leadsToSchema($ref, root) ? [] : [{ keys: ['$ref'], says: `leads to no schema within: ${$ref}` }]),
  ];
}

function isExpression(written: string): boolean {
  try {
    return new RegExp(written, 'u') instanceof RegExp;
  } catch {
    return false;
  }
}

/** Whether a reference, followed through further references, ends at a schema in the same document. */
function leadsToSchema(reference: string, root: Readonly<Record<string, unknown>>): boolean {
  const seen = new Set<string>();
  for (let next = reference; !seen.has(next);) {
    seen.add(next);
    const found = named.safeParse(at(next, root)).data;
    if (!found) return false;
    if (typeof found.$ref !== 'string') return true;
    next = found.$ref;
  }
  return false;
}

/** What a JSON pointer in a fragment refers to. */
function at(reference: string, root: unknown): unknown {
  if (reference !== '#' && !reference.startsWith('#/')) return undefined;
  let found = root;
  for (const part of reference.split('/').slice(1)) {
    const key = keyOf(part);
    if (typeof found !== 'object' || found === null || key === undefined || !Object.hasOwn(found, key)) return undefined;
    found = Reflect.get(found, key);
  }
  return found;
}

function keyOf(part: string): string | undefined {
  try {
    return decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~');
  } catch {
    return undefined;
  }
}
