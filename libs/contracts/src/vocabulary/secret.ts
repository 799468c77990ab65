import { z } from 'zod';

/** The key with which a schema marks its value as a secret; the API documents show it. */
const mark = 'x-secret';
/** The same for an address that may contain a secret anywhere after its origin. */
const pathMark = 'x-secret-path';

type Schema = z.core.$ZodType;

/** What clients read instead of a stored secret, and send back to keep it. */
export const secretMask = '••••';
/** Replaces a secret. */
export const hiddenSecret = '(hidden)';
/** Replaces a field unknown to every contract, which may be a secret. */
export const hiddenUnknown = '(not in the contract)';

/**
 * Marks a field as a secret, once, where its message is defined. The audit log, idempotency and everything else that stores
 * bodies rely on this mark, not on names. With `when`, a boolean field next to it decides whether it is one, except for a header
 * whose `name` says that it is.
 */
export function secret<S extends z.ZodType>(schema: S, { when }: { readonly when?: string } = {}): S {
  return schema.meta({ ...schema.meta(), [mark]: when ?? true });
}

/**
 * Marks an address whose path or query may contain a token, as is common for webhooks. Those who may not change it, and
 * the audit log, see only its origin; an answer kept for a request that may be repeated has it whole, for the same caller.
 */
export function secretPath<S extends z.ZodType>(schema: S): S {
  return schema.meta({ ...schema.meta(), [pathMark]: true });
}

/** A path that is valid in a URL, so that clients which parse what the documents call a URI can read it. */
const hiddenPath = '/...';
/** How it was written before; clients may still send it back. */
const formerHiddenPath = '/…';

/** Whether a header carries credentials whatever it is said to be, by its name: `authorization`, `cookie`, `x-api-key`. */
export function isSecretHeader(name: string): boolean {
  return /^(?:cookie|(?:.+-)?(?:auth|authorization|token|secret|password|credentials?|api-?key|(?:access|auth|subscription|functions?)-key))$/i.test(
    name,
  );
}

/** An address as shown to those who may not change it. */
export function maskedAddress(address: string): string {
  if (!URL.canParse(address)) return hiddenSecret;
  const { origin, pathname, search, hash } = new URL(address);
  return pathname + search + hash === '/' ? origin : origin + hiddenPath;
}

/** A sent address, or the stored one if the sent one is its mask. */
export function unmaskedAddress(sent: string, stored: string | null | undefined): string {
  return stored && isMaskedAddress(sent) && maskedAddress(sent) === maskedAddress(stored) ? stored : sent;
}

/** Whether an address is a masked one: no real address has such a path. */
export function isMaskedAddress(address: string): boolean {
  const origin = URL.parse(address)?.origin;
  return origin !== undefined && [hiddenPath, formerHiddenPath].some((path) => address === origin + path);
}

/** A value of this schema with its secrets hidden, and with fields unknown to the schema hidden too. */
export function withoutSecrets(schema: z.ZodType, value: unknown): unknown {
  return kept(optionsOf(schema), value);
}

/** Whether a value of this schema contains a non-empty secret. */
export function holdsSecret(schema: z.ZodType, value: unknown): boolean {
  return canHoldSecret(schema) && secretsIn(optionsOf(schema), value).length > 0;
}

/** The secrets in a value of this schema. */
export function secretsOf(schema: z.ZodType, value: unknown): string[] {
  return secretsIn(optionsOf(schema), value);
}

const known = new WeakMap<Schema, boolean>();

/** Whether any value of this schema can contain a secret. */
export function canHoldSecret(schema: z.ZodType): boolean {
  const found = known.get(schema) ?? reaches([schema], new Set());
  known.set(schema, found);
  return found;
}

function reaches(schemas: readonly Schema[], seen: Set<Schema>): boolean {
  const fresh = alternatives(schemas).filter((schema) => !seen.has(schema));
  if (fresh.some(isMarked)) return true;
  fresh.forEach((schema) => seen.add(schema));
  const inner = fresh.flatMap((schema) => [
    ...(schema instanceof z.ZodObject ? Object.values<Schema>(schema.shape) : []),
    ...elementsOf(schema),
    ...(schema instanceof z.ZodRecord ? [schema.valueType] : []),
  ]);
  return inner.length > 0 && reaches(inner, seen);
}

function hasSecretPath(schema: Schema): boolean {
  return z.globalRegistry.get(schema)?.[pathMark] === true;
}

function isMarked(schema: Schema): boolean {
  return z.globalRegistry.get(schema)?.[mark] !== undefined;
}

/** Whether a field of this object is a secret: always, or unless the switch next to it is off. */
function isSecret(schema: Schema, parent: object): boolean {
  const when = z.globalRegistry.get(schema)?.[mark];
  if (typeof when !== 'string') return when === true;
  const beside: unknown = Reflect.get(parent, when);
  const name: unknown = Reflect.get(parent, 'name');
  if (typeof name === 'string' && isSecretHeader(name)) return true;
  return beside !== undefined && beside !== null && beside !== false;
}

const optionsKnown = new WeakMap<Schema, readonly Schema[]>();

function optionsOf(schema: Schema): readonly Schema[] {
  const found = optionsKnown.get(schema) ?? alternatives([schema]);
  optionsKnown.set(schema, found);
  return found;
}

/** Cached by the schemas of the container: the thousand rows of an answer share one. */
const insideKnown = new WeakMap<readonly Schema[], Map<string | symbol, readonly Schema[]>>();
const anElement = Symbol('an element of an array');
const anyName = Symbol('a name that no object has: everybody can make one up, and it is kept once for all');

/** The possible schemas of a field of this name, or of an element. */
function inside(options: readonly Schema[], name: string | typeof anElement): readonly Schema[] {
  const known = insideKnown.get(options) ?? new Map<string | symbol, readonly Schema[]>();
  insideKnown.set(options, known);
  const isNamed = options.some((option) => option instanceof z.ZodObject && Object.hasOwn(option.shape, name));
  const key = name === anElement || isNamed ? name : anyName;
  const found = known.get(key);
  if (found) return found;
  const inner = alternatives(options.flatMap((option) => (name === anElement ? elementsOf(option) : fieldsNamed(option, name))));
  known.set(key, inner);
  return inner;
}

/** The possible schemas of a value, without optional, nullable, union and similar wrappers. A mark on a wrapper is kept. */
function alternatives(schemas: readonly Schema[]): Schema[] {
  return schemas.flatMap((schema) => {
    const inner = isMarked(schema) ? [] : wrappedIn(schema);
    return inner.length > 0 ? alternatives(inner) : [schema];
  });
}

function wrappedIn(schema: Schema): readonly Schema[] {
  if (schema instanceof z.ZodUnion) return schema.options;
  if (schema instanceof z.ZodPipe) return [schema.def.in, schema.def.out];
  if (schema instanceof z.ZodLazy) return [schema.def.getter()];
  if (schema instanceof z.ZodIntersection) return [schema.def.left, schema.def.right];
  const isWrapper =
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault ||
    schema instanceof z.ZodNonOptional ||
    schema instanceof z.ZodCatch ||
    schema instanceof z.ZodReadonly;
  return isWrapper ? [schema.def.innerType] : [];
}

function elementsOf(schema: Schema): Schema[] {
  if (schema instanceof z.ZodArray) return [schema.element];
  return schema instanceof z.ZodTuple ? [...schema.def.items] : [];
}

function fieldsNamed(schema: Schema, name: string): Schema[] {
  if (schema instanceof z.ZodRecord) return [schema.valueType];
  if (!(schema instanceof z.ZodObject)) return [];
  const shape: Record<string, Schema> = schema.shape;
  const field = Object.hasOwn(shape, name) ? shape[name] : undefined;
  return field ? [field] : [];
}

/** A schema that accepts anything declares its content not to be secret. */
function takesAnything(schema: Schema): boolean {
  return schema instanceof z.ZodUnknown || schema instanceof z.ZodAny;
}

function isStructure(schema: Schema): boolean {
  return schema instanceof z.ZodObject || schema instanceof z.ZodRecord || elementsOf(schema).length > 0;
}

function kept(options: readonly Schema[], value: unknown, parent: object = {}): unknown {
  if (isNothing(value)) return value;
  if (options.some((option) => isSecret(option, parent))) return hiddenSecret;
  if (typeof value === 'string' && options.some(hasSecretPath)) return maskedAddress(value);
  if (options.some(takesAnything)) return value;
  if (Array.isArray(value)) return value.map((element: unknown) => kept(inside(options, anElement), element));
  // Text where the contract has a structure is unknown to the contract.
  if (typeof value !== 'object') return options.length > 0 && !options.every(isStructure) ? value : hiddenUnknown;
  const fields = Object.entries(value).map(([name, field]: [string, unknown]) => {
    const inner = inside(options, name);
    return [name, inner.length > 0 ? kept(inner, field, value) : hiddenUnknown];
  });
  return Object.fromEntries(fields);
}

/** Whether a value is empty or a mask, so that it cannot be secret. */
function isNothing(value: unknown): value is null | undefined | '' | typeof secretMask {
  return value === null || value === undefined || value === '' || value === secretMask;
}

function secretsIn(options: readonly Schema[], value: unknown, parent: object = {}): string[] {
  if (isNothing(value)) return [];
  if (options.some((option) => isSecret(option, parent))) return [typeof value === 'string' ? value : JSON.stringify(value)];
  if (typeof value !== 'object') return [];
  if (Array.isArray(value)) return value.flatMap((element: unknown) => secretsIn(inside(options, anElement), element));
  return Object.entries(value).flatMap(([name, field]: [string, unknown]) => secretsIn(inside(options, name), field, value));
}
