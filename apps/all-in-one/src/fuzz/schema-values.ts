import fc from 'fast-check';
import type { JsonSchema } from './api-description';

const textMax = 40;
const listMax = 3;
const words = fc.constantFrom('Asha Traders', 'hours', 'When are you open?', 'नमस्ते', 'kettle', '+919812345678', 'Asia/Kolkata');
/** A G.711 WAV in which every byte is ASCII. */
const recording = `RIFF\x44\0\0\0WAVEfmt \x10\0\0\0\x07\0\x01\0\x40\x1f\0\0\x40\x1f\0\0\x01\0\x08\0data\x20\0\0\0${'~'.repeat(32)}`;
const nearDate = fc.date({ min: new Date('2020-01-01'), max: new Date('2030-12-31'), noInvalidDate: true });

const formats: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  uuid: fc.uuid(),
  date: nearDate.map((date) => date.toISOString().slice(0, 10)),
  'date-time': nearDate.map((date) => date.toISOString()),
  email: fc.nat(500).map((n) => `person${n}@fuzz.example`),
  uri: fc.constantFrom('https://fuzz.example/', 'http://fuzz.example:8080/a?b=c'),
  ipv4: fc.ipV4(),
  ipv6: fc.ipV6(),
  binary: fc.constantFrom(
    'the bytes of the file',
    'CustomerName,ContactNumber\r\nAsha,+919812345678\r\n',
    'Question,Answer\r\nhours,9 to 5\r\n',
    recording,
  ),
};

/** Generates values that match a schema. */
export class SchemaValues {
  private readonly named = new Map<string, fc.Arbitrary<unknown>>();

  constructor(private readonly schemas: Readonly<Record<string, JsonSchema>>) {}

  /** Values of a schema. If the field of this name is an id, mostly the id of an existing record. */
  of(schema: JsonSchema, name = ''): fc.Arbitrary<unknown> {
    const drawn = this.byShape(schema, name);
    const isId = isIdName(name) && schema.type !== 'array' && schema.type !== 'object';
    if (!isId) return drawn;
    return fc.oneof({ weight: 3, arbitrary: knownId(name, drawn) }, { weight: 1, arbitrary: drawn });
  }

  private byShape(schema: JsonSchema, name: string): fc.Arbitrary<unknown> {
    if (schema.$ref) return this.referred(schema.$ref);
    if (schema.const !== undefined) return fc.constant(schema.const);
    if (schema.enum) return fc.constantFrom(...schema.enum);
    const choices = schema.anyOf ?? schema.oneOf;
    if (choices) return fc.oneof(...choices.map((each) => this.byShape(each, name)));
    if (schema.allOf) return fc.tuple(...schema.allOf.map((each) => this.of(each))).map((parts) => Object.assign({}, ...parts));
    return this.byType(schema, name);
  }

  private byType(schema: JsonSchema, name: string): fc.Arbitrary<unknown> {
    switch (schema.type) {
      case 'string':
        return textOf(schema);
      case 'integer':
        return fc.integer({
          min: schema.minimum ?? -1000,
          max: Math.max(schema.minimum ?? 0, Math.min(schema.maximum ?? 1000, 1000)),
        });
      case 'number':
        return fc.double({ min: schema.minimum ?? 0, max: schema.maximum ?? 1e6, noNaN: true });
      case 'boolean':
        return fc.boolean();
      case 'null':
        return fc.constant(null);
      case 'array':
        return this.list(schema, name);
      case 'object':
        return this.record(schema);
      default:
        return fc.jsonValue({ maxDepth: 2 });
    }
  }

  private list({ items, minItems = 0, maxItems = listMax }: JsonSchema, name: string): fc.Arbitrary<unknown> {
    const each = typeof items === 'object' && !Array.isArray(items) ? this.of(items, name) : fc.jsonValue({ maxDepth: 1 });
    return fc.array(each, { minLength: minItems, maxLength: Math.max(minItems, Math.min(maxItems, listMax)) });
  }

  private record({ properties, required = [], additionalProperties: others }: JsonSchema): fc.Arbitrary<unknown> {
    if (!properties)
      return fc.dictionary(
        fc.constantFrom('name', 'city', 'x'),
        typeof others === 'object' ? this.of(others) : fc.jsonValue({ maxDepth: 1 }),
        { noNullPrototype: true },
      );
    const fields = Object.entries(properties).flatMap(([name, each]) =>
      typeof each === 'object' ? [[name, this.of(each, name)] as const] : [],
    );
    return fc.record(Object.fromEntries(fields), { requiredKeys: required, noNullPrototype: true });
  }

  private referred(ref: string): fc.Arbitrary<unknown> {
    const name = ref.replace('#/components/schemas/', '');
    const found = this.named.get(name);
    if (found) return found;
    // Schemas may refer to themselves, so each is registered by name first.
    const { whole } = fc.letrec<{ whole: unknown }>((tie) => {
      this.named.set(name, tie('whole'));
      return { whole: this.of(this.schemas[name] ?? {}) };
    });
    this.named.set(name, whole);
    return whole;
  }
}

function textOf({ format, pattern, minLength = 0, maxLength = textMax }: JsonSchema): fc.Arbitrary<unknown> {
  const formatted = format === undefined ? undefined : formats[format];
  if (formatted) return formatted;
  if (pattern) return fc.stringMatching(new RegExp(pattern));
  const lengths = { minLength, maxLength: Math.max(minLength, Math.min(maxLength, textMax)) };
  return fc.oneof(
    words.map((word) => word.slice(0, maxLength).padEnd(minLength, '.')),
    fc.string({ unit: 'grapheme', ...lengths }),
    fc.string({ unit: 'binary', ...lengths }),
  );
}

/** A placeholder: the id of a record that exists when the request is sent, or else an unknown one. */
class KnownId {
  constructor(
    readonly name: string,
    readonly turn: number,
    readonly otherwise: unknown,
  ) {}
}

const remembered = 40;
/** Small ids shared by everyone come from the lookups, and are generated as numbers. */
const fromLookups =
  /^(AgentType|RegionType|TimeZone|Industry|Language|Tone|Icon|Template|roleType|Role|Conversational|Transcribe|Voice|LLM)/i;
const namedIds = /"(\w*(?:KeyID|UUID|memberAdminID|[A-Za-z]ID))":("[0-9a-f-]{36}"|\d+)/g;

/** Whether the field of this name holds the id of a record. */
export function isIdName(name: string): boolean {
  return /(ID|Ids?|UUID)$|^(token|email)$/.test(name) && (name.endsWith('KeyID') || !fromLookups.test(name));
}

/** The ids seen in answers, the newest of each name. */
export class KnownIds {
  private readonly byName = new Map<string, unknown[]>();
  private readonly staged = new Map<string, unknown>();

  /** Ids that the fuzzing itself depends on are never offered, so that no request can delete their records. */
  constructor(private readonly spared: ReadonlySet<unknown>) {}

  gather(text: string): void {
    for (const [, name = '', value = ''] of text.matchAll(namedIds)) this.remember(name, JSON.parse(value));
  }

  /**
   * Values that belong together: a third of the values generated for these names are taken from here, so that sometimes a
   * request's values all match.
   */
  stage(props: Readonly<Record<string, unknown>>): void {
    for (const [name, value] of Object.entries(props)) this.staged.set(singular(name), value);
  }

  /** A generated value with its placeholders replaced by real ids. */
  resolve(value: unknown): unknown {
    if (value instanceof KnownId) return this.oneOf(value);
    if (Array.isArray(value)) return value.map((each) => this.resolve(each));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, this.resolve(each)]));
  }

  private oneOf({ name, turn, otherwise }: KnownId): unknown {
    const known = this.byName.get(singular(name)) ?? [];
    if (turn % 3 === 0 && this.staged.has(singular(name))) return this.staged.get(singular(name));
    return known.length > 0 ? known[turn % known.length] : otherwise;
  }

  private remember(name: string, value: unknown): void {
    if (this.spared.has(value)) return;
    const known = this.byName.get(singular(name)) ?? [];
    if (!known.includes(value)) this.byName.set(singular(name), [value, ...known].slice(0, remembered));
  }
}

/** `agentIds`, `AgentID` and `agentId` are ids of the same kind. */
function singular(name: string): string {
  return name.toLowerCase().replace(/s$/, '');
}

/** The id of a record that exists when the request is sent. */
export function knownId(name: string, otherwise: fc.Arbitrary<unknown>): fc.Arbitrary<KnownId> {
  return fc.tuple(fc.nat(), otherwise).map(([turn, value]) => new KnownId(name, turn, value));
}
