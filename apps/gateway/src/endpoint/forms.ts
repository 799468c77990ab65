import { Fault, FileReference } from '@parley/contracts';
import { z } from 'zod';

/**
 * The fields of a form as its schema wants them: clients send Python's `True`, lists as repeated fields, as `name[]`, as JSON or with
 * commas, and empty fields for nothing. What cannot be read stays as it is, and the schema refuses it.
 */
export function formInput(
  schema: z.ZodType,
  parts: readonly (readonly [name: string, value: unknown])[],
): Record<string, unknown> {
  const fields = new Map(parts);
  for (const [name, kind] of formKinds(schema)) {
    const isList = kind === 'array' || kind === 'series';
    const sent = parts.filter(([each]) => each === name || (isList && each === `${name}[]`));
    const filled = sent.map(([, value]) => value).filter((value) => value !== '');
    const value = isList ? filled.flatMap((each) => itemsIn(each, kind)) : fieldIn(name, kind, filled.at(-1));
    if (filled.length > 0) fields.set(name, value);
    else fields.delete(name);
  }
  return Object.fromEntries(fields);
}

type Json = z.core.JSONSchema.BaseSchema;

/**
 * What a field of a form is, where it is no plain text. `true,false` is a choice of these two words; the items of a `series` hold no
 * comma, so that commas may separate them; a `value` is a number, an id, or another text that is never empty.
 */
type FormKind = 'boolean' | 'true,false' | 'array' | 'series' | 'object' | 'value';

/** The fields of a form: which are text, which one is its file, and what the others are. */
interface FormShape {
  readonly kinds: ReadonlyMap<string, FormKind>;
  /** Without the file. */
  readonly names: ReadonlySet<string>;
  /** Fields that may be longer than others, with how many bytes each may have. */
  readonly long: ReadonlyMap<string, number>;
}

/** How long a field of a form may be, if it does not declare more. */
const fieldBytesMax = 65_536;
/** As long as a body of JSON may be, where the endpoint does not say otherwise. */
const jsonBytesMax = 1024 ** 2;
const bytesPerCharacterMax = 4;

const shapesBySchema = new WeakMap<z.ZodType, FormShape>();

function formShape(schema: z.ZodType): FormShape {
  const known = shapesBySchema.get(schema);
  if (known) return known;
  const document = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  const { $defs = {} } = document;
  const { properties = {} } = named(document, $defs);
  const kinds = new Map<string, FormKind>();
  const names = new Set<string>();
  const long = new Map<string, number>();
  for (const [name, field] of Object.entries(properties)) {
    if (typeof field !== 'object' || isFileOf(field, $defs)) continue;
    const kind = kindOf(field, $defs);
    names.add(name);
    if (kind) kinds.set(name, kind);
    const bytesMax = kind === 'object' ? jsonBytesMax : (named(field, $defs).maxLength ?? 0) * bytesPerCharacterMax;
    if (bytesMax > fieldBytesMax) long.set(name, bytesMax);
  }
  const shape = { kinds, names, long };
  shapesBySchema.set(schema, shape);
  return shape;
}

/** The fields of a form that are neither plain text nor its file, by its schema. */
export function formKinds(schema: z.ZodType): ReadonlyMap<string, FormKind> {
  return formShape(schema).kinds;
}

/** The fields of a form that may be longer than `fieldBytesMax`, with how many bytes each may have. */
export function longFields(schema: z.ZodType): ReadonlyMap<string, number> {
  return formShape(schema).long;
}

/**
 * Options for the parser of forms. A field that the schema declares as text or JSON is one even if the client names a file for it, as
 * curl does for `-F variables=@body.json`: it has the size limit of a field, and is never written anywhere as a file. Those of
 * `streamed` are given to the reader as they arrive, who counts them.
 */
export function formOptions(
  schema: z.ZodType,
  streamed: ReadonlyMap<string, number> = new Map(),
): {
  readonly isPartAFile: (field: string | undefined, contentType: string | undefined, fileName: string | undefined) => boolean;
} {
  const { names } = formShape(schema);
  const isDeclared = (field = '') => names.has(field) || names.has(field.replace(/\[\]$/, ''));
  return {
    isPartAFile: (field, contentType, fileName) =>
      streamed.has(field ?? '') || (!isDeclared(field) && (contentType === 'application/octet-stream' || fileName !== undefined)),
  };
}

function named(place: Json, defs: Readonly<Record<string, Json>>): Json {
  return defs[place.$ref?.replace('#/$defs/', '') ?? ''] ?? place;
}

const fileSchema = `#/$defs/${FileReference.meta()?.id}`;

function isFileOf(field: Json, defs: Readonly<Record<string, Json>>): boolean {
  return field.$ref === fileSchema || optionsOf(field).some((option) => isFileOf(option, defs));
}

function optionsOf({ anyOf = [] }: Json): Json[] {
  return anyOf.filter((option) => typeof option === 'object');
}

function kindOf(field: Json, defs: Readonly<Record<string, Json>>): FormKind | undefined {
  const { enum: words, type, items, ...rest } = named(field, defs);
  if (words?.join() === 'true,false') return 'true,false';
  const found = [type].flat().find((each) => each === 'boolean' || each === 'array' || each === 'object');
  if (found === 'array')
    return typeof items === 'object' && !Array.isArray(items) && holdsNoComma(named(items, defs)) ? 'series' : 'array';
  const takesEmpty = words?.includes('') || optionsOf(rest).some((option) => option.const === '');
  const isValue = words !== undefined || type === 'integer' || type === 'number' || rest.format !== undefined;
  return (
    found ??
    (takesEmpty ? [] : optionsOf(rest)).map((option) => kindOf(option, defs)).find(Boolean) ??
    (isValue && !takesEmpty ? 'value' : undefined)
  );
}

/** Numbers, ids, and choices of words without a comma. */
function holdsNoComma({ type, format, enum: words }: Json): boolean {
  if (words) return !words.some((word) => String(word).includes(','));
  return type === 'integer' || type === 'number' || format === 'uuid';
}

const booleans: Readonly<Record<string, string>> = { true: 'true', 1: 'true', false: 'false', 0: 'false' };

function fieldIn(field: string, kind: FormKind, value: unknown): unknown {
  if (kind === 'value') return value;
  // A part that says it is JSON has been parsed.
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') return value;
  if (kind !== 'object') {
    const word = booleans[String(value).toLowerCase()];
    if (!word) throw new Fault('VALIDATION_FAILED', { details: [{ field, message: 'must be true, false, 1 or 0' }] });
    return kind === 'boolean' ? word === 'true' : word;
  }
  try {
    return typeof value === 'string' ? JSON.parse(value) : value;
  } catch (cause) {
    throw new Fault('VALIDATION_FAILED', { details: [{ field, message: 'must be valid JSON' }], cause });
  }
}

/** One item, or all of a list in JSON or with commas. */
function itemsIn(value: unknown, kind: FormKind): unknown[] {
  if (Array.isArray(value)) return value;
  if (typeof value !== 'string') return [value];
  if (!value.startsWith('[')) return kind === 'series' ? separated(value) : [value];
  try {
    return z.array(z.unknown()).parse(JSON.parse(value));
  } catch {
    return [value];
  }
}

/** Where nothing stands between two commas it stays whole, and is refused: read as a number it would be 0. */
function separated(text: string): string[] {
  const items = text.split(',').map((item) => item.trim());
  return items.includes('') ? [text] : items;
}

/** What a client gets whose field is longer than the form takes. */
export function tooLong(field: string, bytesMax = fieldBytesMax): string {
  return `${field} is too long: in a form it may have ${bytesMax} bytes.`;
}

/** What a client gets that sent a form in which the parser found a fault: a missing boundary, a broken part header. */
export function formFault(error: unknown): unknown {
  if (error instanceof Fault || (error instanceof Error && 'statusCode' in error)) return error;
  return new Fault('VALIDATION_FAILED', { message: 'The form is not complete.', cause: error });
}
