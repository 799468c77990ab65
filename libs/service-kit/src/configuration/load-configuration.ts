import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { scrubText } from '../logging/logger';
import { ConnectionVariables, DatabaseVariables, ProcessVariables, writtenDuration } from './variables';

/** Environment variables, from Node or composed by a host or a test. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The start cannot continue. The message is one line for the operator and contains no secret. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';
}

const shownCharacters = 60;
const secretCharactersMax = 65_536;

/**
 * Reads a service's variables. An empty variable counts as absent, because compose files and shells produce such; a secret may
 * come from a file.
 */
export function loadConfiguration<Schema extends z.ZodObject>(schema: Schema, environment: Environment): z.output<Schema> {
  const present = presentOf(schema, environment);
  const result = schema.safeParse(present);
  const complaints = complaintsAbout(schema, result, { present, environment });
  if (result.success && complaints.length === 0) return result.data;
  throw new ConfigurationError(complaints.join('; '));
}

/** Reports all errors in several schemas at once, so that an operator can fix them together. */
export function checkConfiguration(schemas: readonly z.ZodObject[], environment: Environment): void {
  const complaints = schemas.flatMap((schema) => {
    const present = presentOf(schema, environment);
    return complaintsAbout(schema, schema.safeParse(present), { present, environment });
  });
  if (complaints.length > 0) throw new ConfigurationError([...new Set(complaints)].join('; '));
}

function presentOf(schema: z.ZodObject, environment: Environment): Record<string, string> {
  const given = Object.keys(schema.shape).flatMap((name) => {
    const value = isGiven(environment[name]) ? environment[name] : secretFromFile(schema, name, environment);
    return isGiven(value) ? [[name, value] as const] : [];
  });
  return Object.fromEntries(given);
}

function variablesOf(schema: z.ZodObject): Readonly<Record<string, z.core.$ZodType>> {
  return schema.shape;
}

function isGiven(value: string | undefined): value is string {
  return value !== undefined && value.trim() !== '';
}

/** A secret may be in a file: the one named by its variable with the suffix _FILE, or the one with its name in SECRETS_DIR. */
function secretFromFile(schema: z.ZodObject, name: string, environment: Environment): string | undefined {
  const variable = variablesOf(schema)[name];
  if (!variable || !notesOf(variable).secret) return undefined;
  const named = `${name}_FILE` in schema.shape ? undefined : environment[`${name}_FILE`];
  if (isGiven(named)) return textOf(named, `${name}_FILE`);
  const folder = environment['SECRETS_DIR'];
  if (!isGiven(folder)) return undefined;
  if (!ProcessVariables.shape.SECRETS_DIR.safeParse(folder).success)
    throw new ConfigurationError(
      `SECRETS_DIR is ${shown(folder)}: expected ${notesOf(ProcessVariables.shape.SECRETS_DIR).expected}`,
    );
  const file = path.join(folder, name);
  return existsSync(file) ? textOf(file, `${name} in SECRETS_DIR`) : undefined;
}

function textOf(file: string, what: string): string {
  try {
    return readFileSync(file, 'utf8').slice(0, secretCharactersMax).trim();
  } catch (error) {
    const why = typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : 'unknown reason';
    throw new ConfigurationError(`${what} is ${shown(file)}, which cannot be read: ${why}`);
  }
}

interface Given {
  /** The variables of one schema, with secrets from their files. */
  readonly present: Environment;
  readonly environment: Environment;
}

function complaintsAbout(schema: z.ZodObject, read: z.ZodSafeParseResult<unknown>, given: Given): string[] {
  const wrong = (read.error?.issues ?? []).map((issue) => complaint(schema, given.present, issue));
  return [...new Set([...wrong, ...halfSet(schema, given.present), ...beyondAnother(schema, given)])];
}

/** Variables that do nothing without another one, which is missing. */
function halfSet(schema: z.ZodObject, present: Environment): string[] {
  return Object.entries(variablesOf(schema)).flatMap(([name, variable]) => {
    const { needs = [] } = notesOf(variable);
    const lacking = present[name] === undefined ? [] : needs.filter((other) => present[other] === undefined);
    return lacking.map((other) => `${name} is set without ${other}: expected both, or neither`);
  });
}

/** Variables beyond the bound that another one sets. A default is refused too, since it is as wrong, unless it gives way. */
function beyondAnother(schema: z.ZodObject, { present, environment }: Given): string[] {
  const variables: Readonly<Record<string, z.core.$ZodType>> = { ...ProcessVariables.shape, ...variablesOf(schema) };
  return Object.entries(variablesOf(schema)).flatMap(([name, variable]) => {
    const { bound, defaultGivesWay } = notesOf(variable);
    const by = bound && variables[bound.by];
    if (!by || (present[name] === undefined && defaultGivesWay)) return [];
    const written = { [bound.by]: isGiven(environment[bound.by]) ? environment[bound.by] : undefined };
    const [value, most] = [amountOf(name, variable, present), amountOf(bound.by, by, written)];
    if (value === undefined || most === undefined || (bound.isBelow ? value < most : value <= most)) return [];
    const inForce = present[name] === undefined ? `${asVariable(notesOf(variable))} by default` : shown(present[name]);
    const other = written[bound.by] ?? `${asVariable(notesOf(by))} by default`;
    return [`${name} is ${inForce}: expected ${boundWords(bound)}, which is ${other}`];
  });
}

/** Its value, in milliseconds if it is a time; undefined if it has none, or a wrong one. */
function amountOf(name: string, variable: z.core.$ZodType, given: Environment): number | undefined {
  const read = z.core.safeParse(variable, given[name]);
  if (!read.success || typeof read.data !== 'number') return undefined;
  return name.endsWith('_SECONDS') ? read.data * 1_000 : read.data;
}

const boundWords = ({ by, isBelow }: NonNullable<VariableNotes['bound']>): string => `${isBelow ? 'less than' : 'at most'} ${by}`;

function complaint(schema: z.ZodObject, present: Environment, issue: z.core.$ZodIssue): string {
  const name = String(issue.path[0] ?? 'the environment');
  const variable = variablesOf(schema)[name];
  const notes = variable ? notesOf(variable) : undefined;
  // Within JSON the rule of the whole does not say where it is broken.
  const inside = issue.path.length > 1 ? `; ${issue.path.slice(1).join('.')}: ${issue.message}` : '';
  const expected = notes?.expected ? `expected ${notes.expected}${inside}` : issue.message;
  const value = present[name];
  if (value === undefined) return `${name} is missing: ${expected}${notes?.example ? `, for example ${notes.example}` : ''}`;
  if (notes?.secret) return `${name} is not valid (its value is secret): ${expected}`;
  return `${name} is ${shown(value)}: ${expected}`;
}

function shown(value: string): string {
  const scrubbed = scrubText(value);
  return JSON.stringify(scrubbed.length > shownCharacters ? `${scrubbed.slice(0, shownCharacters)}…` : scrubbed);
}

const Notes = z.object({
  description: z.string().optional(),
  example: z.coerce.string().optional(),
  secret: z.boolean().optional(),
  expected: z.string().optional(),
  /** Other variables of the same schema, without which this one does nothing. */
  needs: z.array(z.string()).optional(),
  /** Another variable of the same schema or of the process, which this one may not exceed, or must be below. */
  bound: z.object({ by: z.string(), isBelow: z.boolean().default(false) }).optional(),
  /** Whether a default beyond its bound is taken, since what reads it makes do with less. */
  defaultGivesWay: z.boolean().optional(),
  /** Its value is in milliseconds, but it is written with a unit. */
  isDuration: z.boolean().optional(),
});

/** What a configuration schema says about one variable, at any of its layers. */
type VariableNotes = z.output<typeof Notes> & { isRequired: boolean; default?: unknown };

/** Reads the notes of a variable: outer layers (`.default()`, `.meta()`) override inner ones. */
function notesOf(variable: z.core.$ZodType): VariableNotes {
  const inner = layerBelow(variable);
  const below: VariableNotes = inner ? notesOf(inner) : { isRequired: true };
  const own = Notes.parse(z.globalRegistry.get(variable) ?? {});
  return { ...below, ...own, ...absence(variable) };
}

function layerBelow(variable: z.core.$ZodType): z.core.$ZodType | undefined {
  if (variable instanceof z.ZodDefault || variable instanceof z.ZodOptional) return variable.def.innerType;
  return variable instanceof z.ZodPipe ? variable.def.in : undefined;
}

function absence(variable: z.core.$ZodType): Partial<VariableNotes> {
  if (variable instanceof z.ZodDefault) return { isRequired: false, default: variable.def.defaultValue };
  return variable instanceof z.ZodOptional ? { isRequired: false } : {};
}

const noSuchAddress = new Set(['EADDRNOTAVAIL', 'EAI_AGAIN', 'EINVAL', 'ENOTFOUND']);

/** The line for an operator whose host is well-formed, but not one that this machine can listen on; undefined for other errors. */
export function hostRefused(
  { variable, host }: { variable: string; host: string },
  error: unknown,
): ConfigurationError | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  const code = String(error.code);
  const refused = 'hostname' in error ? error.hostname : 'address' in error ? error.address : undefined;
  if (refused !== host || !noSuchAddress.has(code)) return undefined;
  return new ConfigurationError(`${variable} is ${shown(host)}: this machine cannot listen there (${code})`);
}

// onnxruntime would make a device id and a store of events below the home folder, and send those to Microsoft.
process.env['ORT_DISABLE_TELEMETRY'] ??= '1';

/** The variables that this process was started with. Nothing else in the kit reads `process.env`. */
export function processEnvironment(): Environment {
  return process.env;
}

/** One variable as shown in docs/configuration.md. */
interface ConfigurationRow {
  readonly service: string;
  readonly variable: string;
  readonly description: string;
  readonly expected: string;
  readonly example: string;
  /** The value when it is absent; undefined if it is required, or simply off. */
  readonly default: string | undefined;
  readonly isRequired: boolean;
  readonly isSecret: boolean;
}

/** Every variable of every service as the schemas define them, those common to all processes first. */
export function describeConfiguration(definitions: readonly { name: string; config: z.ZodObject }[]): ConfigurationRow[] {
  const platform = [ProcessVariables, ConnectionVariables, DatabaseVariables].flatMap((schema) =>
    rowsOf('every service', schema),
  );
  return [...platform, ...definitions.flatMap(({ name, config }) => rowsOf(name, config))];
}

function rowsOf(service: string, schema: z.ZodObject): ConfigurationRow[] {
  return Object.entries(variablesOf(schema)).map(([variable, layer]) => {
    const notes = notesOf(layer);
    if (!notes.description) throw new TypeError(`${service}: ${variable} has no .meta({ description })`);
    return {
      service,
      variable,
      description: [notes.description, ...rulesOf(notes)].join(' '),
      expected: notes.expected ?? '',
      example: notes.example ?? '',
      default: notes.default === undefined || notes.secret ? undefined : asVariable(notes),
      isRequired: notes.isRequired,
      isSecret: notes.secret ?? false,
    };
  });
}

/** What is said of a variable and another one, in sentences. */
function rulesOf({ needs = [], bound, defaultGivesWay }: VariableNotes): string[] {
  const most = bound && `${defaultGivesWay ? 'If set, ' : ''}${boundWords(bound)}.`;
  return [
    ...(needs.length > 0 ? [`Needs ${needs.join(' and ')}.`] : []),
    ...(most ? [most.charAt(0).toUpperCase() + most.slice(1)] : []),
  ];
}

function asVariable({ default: value, isDuration }: VariableNotes): string {
  if (isDuration && typeof value === 'number') return writtenDuration(value);
  if (value instanceof Map) return [...value].map(([name, one]) => `${name}=${one}`).join(',');
  return Array.isArray(value) ? value.join(',') : String(value);
}

/** The rows as Markdown, with a section per service. */
export function renderConfiguration(rows: readonly ConfigurationRow[]): string {
  const sections = Map.groupBy(rows, (row) => row.service);
  return [...sections].map(([service, ofService]) => section(service, ofService)).join('\n');
}

function section(service: string, rows: readonly ConfigurationRow[]): string {
  const lines = rows.map(
    (row) => `| ${[`\`${row.variable}\``, meaning(row), expectation(row), standing(row), example(row)].join(' | ')} |`,
  );
  return [
    `## ${service}`,
    '',
    '| Variable | Meaning | Expected | If absent | Example |',
    '|---|---|---|---|---|',
    ...lines,
    '',
  ].join('\n');
}

const cell = (words: string): string => words.replaceAll('|', '\\|');
const meaning = (row: ConfigurationRow): string => cell(row.description) + (row.isSecret ? ' **Secret.**' : '');
const expectation = (row: ConfigurationRow): string => cell(row.expected);
const example = (row: ConfigurationRow): string => (row.example === '' ? '' : `\`${cell(row.example)}\``);

function standing(row: ConfigurationRow): string {
  if (row.isRequired) return 'the start stops';
  return row.default === undefined || row.default === '' ? '–' : `\`${cell(row.default)}\``;
}
