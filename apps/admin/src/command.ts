import { z } from 'zod';
import { CommandRefused, type Operator } from './operator';

type PrintedRow = Readonly<Record<string, unknown>>;

/** What a command answers: one record, or a table of them. */
export type CommandOutput = PrintedRow | readonly PrintedRow[];

/** One thing that an operator can do. */
export interface Command {
  /** As it is typed: `credits grant`. */
  readonly words: string;
  readonly summary: string;
  /** Its parameters by option name, each with its description. */
  readonly options: z.ZodObject;
  /** Throws CommandRefused when an option is wrong. */
  run(texts: Readonly<Record<string, string | boolean>>, operator: Operator): Promise<CommandOutput>;
}

/** A command whose work is given its options as their schema reads them. */
export function defineCommand<Options extends z.ZodObject>(command: {
  words: string;
  summary: string;
  options: Options;
  run(options: z.output<Options>, operator: Operator): Promise<CommandOutput>;
}): Command {
  return {
    ...command,
    run: async (texts, operator) => {
      const read = command.options.safeParse(texts);
      if (read.success) return command.run(read.data, operator);
      const complaints = read.error.issues.map(({ path, message }) => `--${path.join('.')}: ${message}`);
      throw new CommandRefused(complaints.join('; '));
    },
  };
}

const whole = (max: number, what = 'a whole number') =>
  z
    .string(`expected ${what}`)
    .regex(/^\d{1,13}$/, `expected ${what}`)
    .transform(Number)
    .pipe(z.int().max(max));

/** The number of an organization. */
export const organizationOption = whole(2_147_483_647, 'the number of an organization, as organization list shows it').meta({
  description: 'the number of the organization',
  example: '1',
});

/** Amounts or prices by kind: `--ttt` (tokens), `--tts` (characters), `--stt` (seconds of audio). */
export function byKind<Value extends z.ZodType>(value: Value, what: string) {
  return {
    ttt: value.optional().meta({ description: `${what} of chat, per token` }),
    tts: value.optional().meta({ description: `${what} of speech that is made, per character` }),
    stt: value.optional().meta({ description: `${what} of speech that is heard, per second` }),
  };
}

/** A whole number of at least nothing. */
export const amount = whole(1_000_000_000);

/** The same, or `none`, which takes it back. */
export const amountOrNone = z.union([z.literal('none').transform(() => null), amount], 'expected a whole number, or none');

/** Values of `--ttt`, `--tts` and `--stt` under the platform's names; missing ones are left out. */
export function kindsOf<Value>({ ttt, tts, stt }: { ttt?: Value; tts?: Value; stt?: Value }) {
  return {
    ...(ttt !== undefined && { TTT_API: ttt }),
    ...(tts !== undefined && { TTS_API: tts }),
    ...(stt !== undefined && { STT_API: stt }),
  };
}
