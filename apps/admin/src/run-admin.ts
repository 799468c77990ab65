import { parseArgs } from 'node:util';
import { Fault } from '@parley/contracts';
import { TransportBus } from '@parley/messaging';
import {
  ConfigurationError,
  ConnectionVariables,
  connectNats,
  createLogger,
  DatabaseVariables,
  exitCodes,
  loadConfiguration,
  processEnvironment,
  reasonOf,
} from '@parley/service-kit';
import { type Answer, type Command, CommandRefused } from './command';
import { commands } from './commands';
import { DeadEvents } from './dead-events';
import { Operator } from './operator';
import { rendered } from './rendered';
import { usage, usageOf } from './usage';

/** Exit code 64 is EX_USAGE: what was typed cannot be done. */
const misused = 64;
const connectTimeoutMs = 15_000;

interface Typed {
  readonly command: Command;
  readonly texts: Readonly<Record<string, string | boolean>>;
  readonly isJson: boolean;
  readonly operator: string;
}

/** Does what the words say and resolves with the exit code: the answer on standard output, complaints on standard error. */
export async function runAdmin(words: readonly string[]): Promise<number> {
  try {
    const typed = typedIn(words);
    if (typeof typed === 'string') {
      process.stdout.write(typed);
      return exitCodes.done;
    }
    process.stdout.write(rendered(await withOperator(typed), typed.isJson));
    return exitCodes.done;
  } catch (error) {
    process.stderr.write(`parley admin: ${complaint(error)}\n`);
    if (error instanceof CommandRefused) return misused;
    return error instanceof ConfigurationError ? exitCodes.misconfigured : exitCodes.failed;
  }
}

/** What was typed, or the text that was asked for. */
function typedIn(words: readonly string[]): Typed | string {
  const [noun = '', verb = ''] = words;
  if (['', 'help', '--help', '-h'].includes(noun)) return usage(commands);
  const command = commands.find((each) => each.words === `${noun} ${verb}`);
  if (!command) throw new CommandRefused(`there is no command ${noun} ${verb}: see --help`.replace(' :', ':'));
  const { json, help, operator, ...texts } = optionsIn(command, words.slice(2));
  if (help === true) return usageOf(command);
  return { command, texts, isJson: json === true, operator: typeof operator === 'string' ? operator : 'operator' };
}

function optionsIn(command: Command, words: readonly string[]): Record<string, string | boolean> {
  const own = Object.keys(command.options.shape).map((name) => [name, { type: 'string' }] as const);
  const flags = { json: { type: 'boolean' }, help: { type: 'boolean', short: 'h' }, operator: { type: 'string' } } as const;
  try {
    return { ...parseArgs({ args: [...words], options: { ...Object.fromEntries(own), ...flags } }).values };
  } catch (error) {
    throw new CommandRefused(`${reasonOf(error)}: see ${command.words} --help`);
  }
}

async function withOperator({ command, texts, operator }: Typed): Promise<Answer> {
  const environment = processEnvironment();
  const variables = loadConfiguration(ConnectionVariables, environment);
  const { DATABASE_URL } = loadConfiguration(DatabaseVariables.partial(), environment);
  const log = createLogger({ level: 'silent', isReadable: false, writesPii: false });
  const transport = await soon(
    connectNats('admin', variables, log),
    `NATS at ${new URL(variables.NATS_URL).host} does not answer`,
  );
  const bus = new TransportBus(transport);
  try {
    return await command.run(texts, new Operator(bus, new DeadEvents(DATABASE_URL), operator));
  } finally {
    bus.close();
    await transport.close();
  }
}

/** A service waits for its broker for ever; a person at a terminal does not. */
async function soon<T>(work: Promise<T>, complaintAfter: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(complaintAfter)), connectTimeoutMs);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}

function complaint(error: unknown): string {
  if (!(error instanceof Fault)) return reasonOf(error);
  const details = error.details.map(({ field, message }) => `${field} ${message}`);
  return [`${error.code}: ${error.message}`, ...details].join('; ');
}
