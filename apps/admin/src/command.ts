import {
  beginOperatorAction,
  complaintsAbout,
  endOperatorAction,
  Fault,
  listEveryOrganization,
  ownWords,
  type Principal,
  unitsPerThousandMax,
} from '@parley/contracts';
import type { ServiceBus } from '@parley/messaging';
import { ConfigurationError, reasonOf } from '@parley/service-kit';
import { Client } from 'pg';
import { z } from 'zod';

/** The command line is invalid. The message is for the person who typed it. */
export class CommandRefused extends Error {
  override readonly name = 'CommandRefused';
}

type Organizations = z.output<typeof listEveryOrganization.reply>;

/** An operator's change, recorded before it is tried. */
interface Action {
  readonly action: string;
  /** Absent for a change to the whole installation, and for one that creates the organization. */
  readonly orgId?: number;
  readonly request: Readonly<Record<string, unknown>>;
}

/** How an action ended well: what the command answers, and what of it may be kept. No secret belongs into the second. */
interface DoneAction<Result> {
  readonly result: Result;
  readonly kept: Readonly<Record<string, unknown>>;
  readonly orgId?: number;
}

/** A person at the command line, with a line to the services. Every change goes through `doing`, which notes it. */
export class Operator {
  constructor(
    readonly bus: ServiceBus,
    readonly deadEvents: DeadEvents,
    readonly name: string,
  ) {}

  /** The principal of a call: an owner's rights in one organization, or none for the whole installation. */
  principal(orgId = 0): Principal {
    return Object.freeze({ kind: 'system', keyId: 'admin', orgId, roleTypeId: 1 });
  }

  /** Notes an action, does it, and notes how it ended. What cannot be noted is not done. */
  async doing<Result>({ action, orgId, request }: Action, work: () => Promise<DoneAction<Result>>): Promise<Result> {
    if (orgId !== undefined) await this.organization(orgId);
    const principal = this.principal();
    const attempt = { operator: this.name, action, OrgID: orgId ?? null, request };
    const begun = await this.bus.ask(beginOperatorAction, attempt, { principal });
    const end = (outcome: string, kept: DoneAction<Result>['kept'], madeOrgId?: number): Promise<unknown> =>
      this.bus.ask(endOperatorAction, { ...begun, OrgID: orgId ?? madeOrgId ?? null, outcome, reply: kept }, { principal });
    let done: DoneAction<Result>;
    try {
      done = await work();
    } catch (error) {
      await end(error instanceof Fault ? error.code : 'INTERNAL', {});
      throw error;
    }
    await end('OK', done.kept, done.orgId);
    return done.result;
  }

  /** A number that no organization has is refused: what it was given would wait for whoever gets that number. */
  async organization(orgId: number): Promise<Organizations[number]> {
    const from = { afterOrgID: Math.max(0, orgId - 1), count: 1 };
    const [found] = await this.bus.ask(listEveryOrganization, from, { principal: this.principal() });
    if (found?.OrgID !== orgId)
      throw new Fault('NOT_FOUND', { message: `There is no organization ${orgId}: see organization list.` });
    return found;
  }

  /** Every organization, some hundred at a time. */
  async *organizations(): AsyncGenerator<Organizations[number]> {
    for (let afterOrgID = 0; ;) {
      const found = await this.bus.ask(listEveryOrganization, { afterOrgID, count: 200 }, { principal: this.principal() });
      yield* found;
      const last = found.at(-1);
      if (!last || found.length < 200) return;
      afterOrgID = last.OrgID;
    }
  }
}

const DeadEvent = z.object({
  schema: z.string(),
  id: z.string(),
  subject: z.string(),
  orgId: z.int(),
  attempts: z.int(),
  reason: z.string(),
  diedAt: z.date().transform((at) => at.toISOString()),
});
type DeadEvent = z.output<typeof DeadEvent>;

/** Which of the events that were put aside. */
interface EventChoice {
  readonly schema?: string | undefined;
  readonly id?: string | undefined;
}

const Found = z.object({ name: z.string().regex(/^[a-z_]+$/) });

/**
 * The events that services set aside, read and requeued in their own tables, also while a service is down. The admin's role may
 * do that and sees nothing else in any schema.
 */
export class DeadEvents {
  constructor(private readonly url: string | undefined) {}

  /** The youngest first. */
  list(choice: EventChoice, count: number): Promise<DeadEvent[]> {
    return this.inEachSchema(choice, async (client, schema) => {
      const { rows } = await client.query(
        `SELECT '${schema}' AS schema, id, subject, org_id AS "orgId", attempts, reason, died_at AS "diedAt"
         FROM "${schema}".dead_events WHERE $1::uuid IS NULL OR id = $1 ORDER BY died_at DESC, seq DESC LIMIT $2`,
        [choice.id ?? null, count],
      );
      return z.array(DeadEvent).parse(rows);
    });
  }

  /** Requeues them in order, under their old ids: consumers that have processed one skip it. */
  retry(choice: EventChoice, count: number): Promise<{ schema: string; putBack: number }[]> {
    return this.inEachSchema(choice, async (client, schema) => {
      const { rowCount } = await client.query(
        `WITH chosen AS (
           SELECT seq FROM "${schema}".dead_events WHERE $1::uuid IS NULL OR id = $1 ORDER BY seq LIMIT $2 FOR UPDATE SKIP LOCKED
         ), back AS (DELETE FROM "${schema}".dead_events WHERE seq IN (SELECT seq FROM chosen) RETURNING *)
         INSERT INTO "${schema}".outbox (id, subject, org_id, occurred_at, payload, bytes)
         SELECT id, subject, org_id, occurred_at, payload, octet_length(payload::text) FROM back ORDER BY seq`,
        [choice.id ?? null, count],
      );
      return [{ schema, putBack: rowCount ?? 0 }];
    });
  }

  private async inEachSchema<Row>(
    { schema }: EventChoice,
    work: (client: Client, schema: string) => Promise<Row[]>,
  ): Promise<Row[]> {
    if (this.url === undefined)
      throw new ConfigurationError('DATABASE_URL is missing: events need it, expected the URL of the role parley_admin');
    const client = new Client({ connectionString: this.url, connectionTimeoutMillis: 10_000, query_timeout: 32_000 });
    try {
      await client.connect();
      // Set for one transaction: a pooler that shares connections refuses it as a startup parameter.
      await client.query(`BEGIN; SET LOCAL statement_timeout = '30s'`);
      const { rows } = await client.query(`SELECT schemaname AS name FROM pg_tables WHERE tablename = 'dead_events' ORDER BY 1`);
      const names = z
        .array(Found)
        .parse(rows)
        .map(({ name }) => name)
        .filter((name) => schema === undefined || name === schema);
      if (names.length === 0) throw new Fault('NOT_FOUND', { message: `There is no schema ${schema ?? 'with events'}.` });
      const found: Row[] = [];
      for (const name of names) found.push(...(await work(client, name)));
      await client.query('COMMIT');
      return found;
    } catch (error) {
      throw error instanceof Fault ? error : new Error(`${whatToCheck(this.url)} (${reasonOf(error)})`, { cause: error });
    } finally {
      await client.end().catch(() => undefined);
    }
  }
}

/** For whoever reads that Postgres refused, or did not answer. */
function whatToCheck(url: string): string {
  const { host, pathname } = new URL(url);
  return `Postgres at ${host}${pathname} did not do it: see whether it runs, and check DATABASE_URL`;
}

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
      const read = command.options.safeParse(texts, { error: ownWords });
      if (read.success) return command.run(read.data, operator);
      const complaints = complaintsAbout(command.options, texts, read.error.issues);
      throw new CommandRefused(complaints.map(({ field, predicate }) => `--${field}: ${predicate}`).join('; '));
    },
  };
}

/** The options behind fields of the services' requests, the longer paths first. */
const optionOfField: Readonly<Record<string, string>> = {
  'prices.TTT_API': 'ttt',
  'prices.TTS_API': 'tts',
  'prices.STT_API': 'stt',
  'owner.email': 'owner-email',
  'owner.name': 'owner-name',
  OrganizationName: 'name',
  OrgKeyID: 'id',
  defaultRegion: 'region',
  memberAdminID: 'member',
  AgentKeyID: 'agent',
  OrgID: 'organization',
};

/** A request as its contract reads it. What a service would refuse is a wrong command line, said in the words of its options. */
export function requestOf<Schema extends z.ZodType>(
  { request: schema }: { readonly request: Schema },
  body: unknown,
): z.output<Schema> {
  const read = schema.safeParse(body, { error: ownWords });
  if (read.success) return read.data;
  const complaints = complaintsAbout(schema, body, read.error.issues);
  throw new CommandRefused(complaints.map(({ field, predicate }) => `--${inOption(field)} ${predicate}`).join('; '));
}

/** `limits: key.chat.limit` for a field within the JSON of an option. */
function inOption(field: string): string {
  const known = optionOfField[field];
  if (known) return `${known}:`;
  const [option = '', ...inside] = field.split('.');
  return [`${option}:`, ...(inside.length > 0 ? [inside.join('.')] : [])].join(' ');
}

const whole = (max: number, what = `a whole number of at most ${max}`) =>
  z
    .string(`must be ${what}`)
    .regex(/^\d{1,13}$/, `must be ${what}`)
    .transform(Number)
    .pipe(z.int().max(max, `must be ${what}`));

/** The number of an organization. */
export const organizationOption = whole(2_147_483_647, 'the number of an organization, as shown by organization list').meta({
  description: 'the number of the organization',
  example: '1',
});

/** Amounts or prices by kind: `--ttt` (tokens), `--tts` (characters), `--stt` (seconds of audio). */
export function byKind<Value extends z.ZodType>(value: Value, what: string) {
  return {
    ttt: value.optional().meta({ description: `${what} of chat, per token` }),
    tts: value.optional().meta({ description: `${what} of synthesized speech, per character` }),
    stt: value.optional().meta({ description: `${what} of transcribed speech, per second` }),
  };
}

const amountMax = 1_000_000_000;

/** A whole number of at least nothing. */
export const amount = whole(amountMax);

/** A whole number of at least one. */
export const amountToAdd = amount.pipe(z.int().min(1, `must be a whole number from 1 to ${amountMax}`));

const priceWords = `must be a whole number of at most ${unitsPerThousandMax}, or none`;

/** A price, or `none`, which takes it back. */
export const priceOrNone = z
  .string(priceWords)
  .regex(/^(?:none|\d{1,13})$/, priceWords)
  .transform((text) => (text === 'none' ? null : Number(text)))
  .pipe(z.int().max(unitsPerThousandMax, priceWords).nullable());

/** Values of `--ttt`, `--tts` and `--stt` under the platform's names; missing ones are left out. */
export function kindsOf<Value>({ ttt, tts, stt }: { ttt?: Value; tts?: Value; stt?: Value }) {
  return {
    ...(ttt !== undefined && { TTT_API: ttt }),
    ...(tts !== undefined && { TTS_API: tts }),
    ...(stt !== undefined && { STT_API: stt }),
  };
}
