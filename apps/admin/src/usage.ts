import { z } from 'zod';
import type { Command } from './command';

const common = [
  ['--operator <name>', 'who does it, for the list of actions and the audit log; without it: operator'],
  ['--json', 'the answer as JSON'],
  ['--help', 'the options of a command'],
];

/** The whole command line, in one screen. */
export function usage(commands: readonly Command[]): string {
  const rows = commands.map(({ words, summary }) => [words, summary]);
  return `Runs an installation from the inside. It speaks over NATS as the user admin (NATS_URL, NATS_NKEY, PARLEY_CALLERS,
PARLEY_CALL_KEY), and to Postgres as parley_admin (DATABASE_URL) for events that were put aside.

Usage: node dist/apps/admin/src/main.js <command> [options]

${columns(rows)}
Options of every command:
${columns(common)}
Exit codes: 0 done, 1 failed, 64 what was typed cannot be done, 78 a variable is wrong.
`;
}

/** One command with its options. */
export function usageOf({ words, summary, options }: Command): string {
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
