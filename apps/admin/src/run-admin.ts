import { parseArgs } from 'node:util';
import { Fault } from '@parley/contracts';
import { TransportBus } from '@parley/messaging';
import { within } from '@parley/ports';
import {
  ConfigurationError,
  ConnectionVariables,
  connectNats,
  createLogger,
  DatabaseVariables,
  exitCodes,
  loadConfiguration,
  natsTrouble,
  processEnvironment,
  reasonOf,
} from '@parley/service-kit';
import { z } from 'zod';
import { type Command, type CommandOutput, CommandRefused, DeadEvents, Operator } from './command';
import {
  assignPlanCommand,
  createKeyCommand,
  createOrganizationCommand,
  deleteOrganizationCommand,
  grantCreditsCommand,
  listOrganizationsCommand,
  savePlanCommand,
  setPricesCommand,
  showTermsCommand,
} from './commands/organizations';
import { deadEventsCommand, listActionsCommand, reindexCommand, retryEventsCommand, sealSecretsCommand } from './commands/upkeep';

/** Everything that an operator can do, in the order of the usage text. */
export const commands: readonly Command[] = [
  createOrganizationCommand,
  listOrganizationsCommand,
  deleteOrganizationCommand,
  createKeyCommand,
  grantCreditsCommand,
  setPricesCommand,
  savePlanCommand,
  assignPlanCommand,
  showTermsCommand,
  reindexCommand,
  deadEventsCommand,
  retryEventsCommand,
  sealSecretsCommand,
  listActionsCommand,
];

/** Exit code 64 is EX_USAGE: the command line is invalid. */
const misused = 64;
const connectTimeoutMs = 15_000;

interface Typed {
  readonly command: Command;
  readonly texts: Readonly<Record<string, string | boolean>>;
  readonly isJson: boolean;
  readonly operator: string;
}

/** Does what the words say and resolves with the exit code: the answer on standard output, complaints on standard error. */
export async function runAdmin(words: readonly string[], run: typeof withOperator = withOperator): Promise<number> {
  try {
    const typed = typedIn(words);
    if (typeof typed === 'string') {
      process.stdout.write(typed);
      return exitCodes.done;
    }
    process.stdout.write(rendered(await run(typed), typed.isJson));
    return exitCodes.done;
  } catch (error) {
    process.stderr.write(`parley admin: ${complaint(error)}\n`);
    if (error instanceof CommandRefused) return misused;
    return error instanceof ConfigurationError ? exitCodes.misconfigured : exitCodes.failed;
  }
}

/** The command line, or the text that was prompted for. */
function typedIn(words: readonly string[]): Typed | string {
  const [ahead, [noun = '', verb = '', ...behind]] = commonOptionsAhead(words);
  if (['', 'help', '--help', '-h'].includes(noun)) return usage(commands);
  const command = commands.find((each) => each.words === `${noun} ${verb}`);
  if (!command) throw new CommandRefused(`there is no command ${noun} ${verb}: see --help`.replace(' :', ':'));
  const { json, help, operator, ...texts } = optionsIn(command, [...ahead, ...behind]);
  if (help === true) return usageOf(command);
  return { command, texts, isJson: json === true, operator: typeof operator === 'string' ? operator : 'operator' };
}

/** The options of every command may also stand before it. Returns them, and the command line from the command on. */
function commonOptionsAhead(words: readonly string[]): [ahead: readonly string[], rest: readonly string[]] {
  let count = 0;
  for (let word = words[0]; word !== undefined; word = words[count]) {
    if (word === '--operator') count += 2;
    else if (word === '--json' || word.startsWith('--operator=')) count += 1;
    else break;
  }
  return [words.slice(0, count), words.slice(count)];
}

function optionsIn(command: Command, words: readonly string[]): Record<string, string | boolean> {
  const own = Object.keys(command.options.shape).map((name) => [name, { type: 'string' }] as const);
  const flags = { json: { type: 'boolean' }, help: { type: 'boolean', short: 'h' }, operator: { type: 'string' } } as const;
  try {
    return { ...parseArgs({ args: [...words], options: { ...Object.fromEntries(own), ...flags } }).values };
  } catch (error) {
    const reason = reasonOf(error);
    const [, option] = /Option '(?:-\w, )?(--[\w-]+).* argument is ambiguous/u.exec(reason) ?? [];
    const said = option ? `${option}: a value that begins with a dash is written ${option}=VALUE` : reason;
    throw new CommandRefused(`${said}: see ${command.words} --help`);
  }
}

async function withOperator({ command, texts, operator }: Typed): Promise<CommandOutput> {
  const environment = processEnvironment();
  const variables = loadConfiguration(ConnectionVariables, environment);
  const { DATABASE_URL } = loadConfiguration(DatabaseVariables.partial(), environment);
  const log = createLogger({ level: 'silent', isReadable: false, writesPii: false });
  const transport = await soon(connectNats('admin', variables, log), variables);
  const bus = new TransportBus(transport);
  try {
    return await command.run(texts, new Operator(bus, new DeadEvents(DATABASE_URL), operator));
  } finally {
    bus.close();
    await transport.close();
  }
}

/** A service waits for its broker without limit; a person at a terminal does not. */
async function soon<T>(connecting: Promise<T>, variables: z.output<typeof ConnectionVariables>): Promise<T> {
  const transport = await within<T | undefined>(connectTimeoutMs, connecting, () => undefined);
  if (transport !== undefined) return transport;
  const reason = (await natsTrouble(variables)) ?? 'it has only just come back: try again';
  throw new Error(`NATS at ${new URL(variables.NATS_URL).host} cannot be reached: ${reason}`);
}

function complaint(error: unknown): string {
  if (!(error instanceof Fault)) return reasonOf(error);
  const said = error.dependency === undefined || error.code === 'INTERNAL' ? error.message : away(error.dependency);
  const details = error.details.map(({ field, message }) => (message.startsWith(field) ? message : `${field} ${message}`));
  // The message of a fault is often that of its first detail, which also has the field.
  const isDetail = error.details.some(({ message }) => message === said);
  return `${error.code}: ${[...new Set(isDetail ? details : [said, ...details])].join('; ')}`;
}

const stores: Readonly<Record<string, string>> = {
  postgres: 'Postgres does not answer the services: see whether it runs and takes connections',
  nats: 'NATS does not answer: see whether it runs, and check NATS_URL',
};

/** Which part of the installation an operator has to look at. */
function away(dependency: string): string {
  return stores[dependency] ?? `${dependency} does not answer: see whether it runs, and its log and /health/ready`;
}

const common = [
  ['--operator <name>', 'who does it, for the list of actions and the audit log; operator if left out'],
  ['--json', 'the answer as JSON'],
  ['--help', 'the options of a command'],
];

/** The whole command line, in one screen. */
function usage(commands: readonly Command[]): string {
  const rows = commands.map(({ words, summary }) => [words, summary]);
  return `Administers an installation. It connects to NATS as the user admin (NATS_URL, NATS_NKEY, PARLEY_CALLERS,
PARLEY_CALL_KEY), and to Postgres as parley_admin (DATABASE_URL) for events that could not be sent.

Usage: node dist/apps/admin/src/main.js <command> [options]

${columns(rows)}
Options of every command:
${columns(common)}
Exit codes: 0 done, 1 failed or refused, 64 a wrong command line, 78 a missing or wrong variable.
`;
}

/** One command with its options. */
function usageOf({ words, summary, options }: Command): string {
  const rows = Object.entries(options.shape).map(([name, schema]) => {
    const { description = '', example } = metaOf(schema);
    const need = schema instanceof z.ZodOptional || schema instanceof z.ZodDefault ? '' : ' (required)';
    return [`--${name} <…>`, `${description}${need}${example ? `, such as ${example}` : ''}`];
  });
  return `${words}: ${summary}\n\n${columns([...rows, ...common])}`;
}

function metaOf(schema: unknown): { description?: string; example?: string } {
  const read = z
    .object({ description: z.string().optional(), example: z.string().optional() })
    .safeParse(schema instanceof z.ZodType ? (schema.meta() ?? innerOf(schema)) : undefined);
  return read.success ? { ...read.data } : {};
}

/** An option that may be left out carries its description inside. */
function innerOf(schema: z.ZodType): unknown {
  const isWrapped = schema instanceof z.ZodOptional || schema instanceof z.ZodDefault;
  return isWrapped && schema.def.innerType instanceof z.ZodType ? schema.def.innerType.meta() : undefined;
}

function columns(rows: readonly (readonly string[])[]): string {
  const width = Math.max(...rows.map(([first = '']) => first.length));
  return rows.map(([first = '', second = '']) => `  ${first.padEnd(width)}  ${second}\n`).join('');
}

const cellMax = 100;

/** An answer as JSON, or as text for a person: a record line by line, records as a table. */
function rendered(answer: CommandOutput, isJson: boolean): string {
  if (isJson) return `${JSON.stringify(answer, null, 2)}\n`;
  if (!isList(answer)) {
    const fields = Object.entries(answer);
    const width = Math.max(0, ...fields.map(([name]) => name.length));
    return fields.map(([name, value]) => `${name.padEnd(width)}  ${textOf(value)}\n`).join('');
  }
  if (answer.length === 0) return 'none\n';
  const names = Object.keys(answer[0] ?? {});
  const table = [names, ...answer.map((row) => names.map((name) => cell(row[name])))];
  const widths = names.map((_, column) => Math.max(...table.map((row) => (row[column] ?? '').length)));
  return table
    .map(
      (row) =>
        `${row
          .map((text, column) => text.padEnd(widths[column] ?? 0))
          .join('  ')
          .trimEnd()}\n`,
    )
    .join('');
}

function isList(answer: CommandOutput): answer is readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(answer);
}

function cell(value: unknown): string {
  const text = textOf(value);
  return text.length > cellMax ? `${text.slice(0, cellMax)}…` : text;
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return '–';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
