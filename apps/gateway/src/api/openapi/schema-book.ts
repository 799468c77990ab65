import { z } from 'zod';
import { explained } from './explained';

/** A piece of JSON Schema, draft 2020-12, as OpenAPI 3.1 takes it. */
export type JsonSchema = z.core.JSONSchema.BaseSchema;
type Definitions = Readonly<Record<string, JsonSchema>>;
type Direction = 'input' | 'output';

const selfEvident = ['uuid', 'date', 'date-time', 'email', 'ipv4', 'ipv6'];
const standardFormats = [...selfEvident, 'time', 'duration', 'uri', 'hostname'];

/**
 * The named schemas of the document. A schema that reads otherwise as input than as output (defaults, transforms)
 * gets two names; everything else is written once.
 */
export class SchemaBook {
  private readonly components = new Map<string, JsonSchema>();
  private readonly spellings = new Map<string, string>();

  /** The schema of a value, with its named parts moved to the components. */
  schemaOf(schema: z.ZodType, direction: Direction): JsonSchema {
    const {
      $defs: found = {},
      $schema: _,
      ...root
    } = z.toJSONSchema(schema, {
      io: direction,
      unrepresentable: 'any',
      override: tidy,
    });
    const $defs = Object.fromEntries(Object.entries(found).map(([id, definition]) => [id, explained(definition, id)]));
    const named = namesFor($defs, (id, text) => this.nameOf(id, text, direction));
    for (const [id, definition] of Object.entries($defs)) this.components.set(named(id), renamed(definition, named));
    return renamed(explained(root, ''), named);
  }

  /** The same with its outermost name resolved, for callers that need its properties. */
  shapeOf(schema: z.ZodType, direction: Direction): JsonSchema {
    const found = this.schemaOf(schema, direction);
    const name = found.$ref?.replace('#/components/schemas/', '');
    return (name && this.components.get(name)) || found;
  }

  toJSON(): Definitions {
    return Object.fromEntries([...this.components].sort(([a], [b]) => a.localeCompare(b)));
  }

  private nameOf(id: string, text: string, direction: Direction): string {
    const names = [id, direction === 'input' ? `${id}Input` : `${id}Output`];
    const name = names.find((candidate) => (this.spellings.get(candidate) ?? text) === text);
    if (!name) throw new TypeError(`two schemas are called ${id}`);
    this.spellings.set(name, text);
    return name;
  }
}

/**
 * What would mislead readers: patterns that only repeat a format, formats that only zod knows, bounds that are only JavaScript's,
 * and the promise that replies never grow a field.
 */
function tidy({ jsonSchema }: { jsonSchema: JsonSchema }): void {
  if (jsonSchema.format && selfEvident.includes(jsonSchema.format)) delete jsonSchema.pattern;
  if (jsonSchema.format && !standardFormats.includes(jsonSchema.format)) delete jsonSchema.format;
  if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
}

function namesFor(definitions: Definitions, nameOf: (id: string, text: string) => string): (id: string) => string {
  const names = new Map(Object.keys(definitions).map((id) => [id, nameOf(id, textOf(id, definitions))]));
  return (id) => names.get(id) ?? id;
}

/** A definition with everything that it refers to, as text: two are the same exactly when these are. */
function textOf(id: string, definitions: Definitions, seen = new Set<string>()): string {
  if (seen.has(id)) return '';
  seen.add(id);
  const text = JSON.stringify(definitions[id]);
  const inner = [...text.matchAll(/"#\/\$defs\/([^"]+)"/g)].map(([, name = '']) => textOf(name, definitions, seen));
  return text + inner.join('');
}

function renamed(schema: JsonSchema, named: (id: string) => string): JsonSchema {
  const text = JSON.stringify(schema).replaceAll(
    /"#\/\$defs\/([^"]+)"/g,
    (_, id: string) => `"#/components/schemas/${named(id)}"`,
  );
  return JSON.parse(text);
}
