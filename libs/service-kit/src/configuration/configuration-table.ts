import type { z } from 'zod';
import { ConnectionVariables, DatabaseVariables, ProcessVariables } from './platform-variables';
import { notesOf } from './load-configuration';

/** One variable as docs/configuration.md shows it. */
interface ConfigurationRow {
  readonly service: string;
  readonly variable: string;
  readonly description: string;
  readonly expected: string;
  readonly example: string;
  /** What counts when it is absent; undefined when it must be given or is simply off. */
  readonly default: string | undefined;
  readonly isRequired: boolean;
  readonly isSecret: boolean;
}

/** Every variable of every service, first those that all processes have, as the schemas state them. */
export function describeConfiguration(definitions: readonly { name: string; config: z.ZodObject }[]): ConfigurationRow[] {
  const platform = [ProcessVariables, ConnectionVariables, DatabaseVariables].flatMap((schema) =>
    rowsOf('every service', schema),
  );
  return [...platform, ...definitions.flatMap(({ name, config }) => rowsOf(name, config))];
}

function rowsOf(service: string, schema: z.ZodObject): ConfigurationRow[] {
  return Object.entries(schema.shape).map(([variable, layer]) => {
    const notes = notesOf(layer);
    if (!notes.description) throw new TypeError(`${service}: ${variable} has no .meta({ description })`);
    return {
      service,
      variable,
      description: notes.description,
      expected: notes.expected ?? '',
      example: notes.example ?? '',
      default: notes.default === undefined || notes.secret ? undefined : asVariable(notes.default),
      isRequired: notes.isRequired,
      isSecret: notes.secret ?? false,
    };
  });
}

function asVariable(value: unknown): string {
  if (value instanceof Map) return [...value].map(([name, one]) => `${name}=${one}`).join(',');
  return Array.isArray(value) ? value.join(',') : String(value);
}

/** The rows as Markdown, a section a service. */
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
