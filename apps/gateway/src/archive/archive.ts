import { createHash, type Hash, randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { createGunzip, createGzip } from 'node:zlib';
import type { OnApplicationBootstrap, Provider } from '@nestjs/common';
import { TenantScope } from '@parley/database';
import type { FileStore } from '@parley/ports';
import { type FileStoreVariables, openFileStore } from '@parley/providers/configured-files';
import { Lifetime, Logger, type RegularTask, RegularTasks } from '@parley/service-kit';
import type { EntityManager } from 'typeorm';
import type { z } from 'zod';

/** A table to which lines are only ever appended, numbered in ascending order. */
export interface Book {
  readonly name: 'audit' | 'ledger';
  readonly table: string;
  readonly id: string;
  readonly time: string;
  /** How many months its lines stay in Postgres. */
  readonly months: number;
  /**
   * A statement that writes a summary of lines before they are deleted; its parameters are the organization, the first and last
   * id, and the month.
   */
  readonly carry?: string;
  /** The most lines per file, if not the default. */
  readonly partLines?: number;
}

/** What the archive needs of the process it runs in. */
interface ArchiveContext {
  readonly log: Logger;
  readonly lifetime: Pick<Lifetime, 'draining'>;
  readonly tasks: Pick<RegularTasks, 'of'>;
}

/** Where an organization's next part begins, and the date that its lines must precede. */
interface PartStart {
  readonly orgId: number;
  readonly after: number;
  readonly month: string;
  readonly until: Date;
}

/** Consecutive lines of one month, as stored in one file. */
interface ArchivedPart {
  readonly key: string;
  readonly first: number;
  readonly last: number;
  readonly lines: number;
  readonly sha256: string;
}

/** Lines after one id and up to another, in the months that a period touches. */
interface LineRange {
  readonly after?: number;
  readonly last?: number | null;
  readonly from?: Date | null;
  readonly until?: Date | null;
}

interface ArchiveLine {
  readonly id: number;
  readonly at: Date;
  readonly text: string;
}

const sweepEveryMs = 3_600_000;
/** The delay after a failure, short enough that a lasting failure is reported within the hour. */
const againMs = 300_000;
/** Spreads out replicas that start together. */
const nextMs = (): number => sweepEveryMs * (0.5 + Math.random());
/** A part is removed in one transaction, which has ten seconds. */
const partLines = 10_000;
const readAtOnce = 2_000;
const bytesMax = 1024 ** 3;

/**
 * Moves lines older than the given number of months from Postgres to files: whole months, in parts, oldest first. A part is
 * written, read back and compared before its lines are deleted, and their summary is written in the same transaction. Every
 * replica may do this at the same time.
 */
export class Archive implements OnApplicationBootstrap {
  private readonly task: RegularTask;

  constructor(
    private readonly book: Book,
    private readonly tenants: TenantScope,
    private readonly files: FileStore,
    private readonly life: ArchiveContext,
  ) {
    const run = async (): Promise<number> => {
      const { troubled } = await this.sweep();
      // Reported for an alert: lines that cannot be archived pile up.
      if (troubled > 0) throw new Error(`old lines stay for ${troubled} organization(s)`);
      return nextMs();
    };
    const trouble = 'Old lines could not be archived';
    this.task = life.tasks.of({ name: `old ${book.name} lines`, everyMs: againMs, run, trouble });
  }

  onApplicationBootstrap(): void {
    this.task.start(nextMs());
  }

  /** Archives what is old enough; returns the number of lines, and of organizations for which it failed. */
  async sweep(now = new Date()): Promise<{ readonly lines: number; readonly troubled: number }> {
    const before = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - this.book.months));
    let [lines, troubled] = [0, 0];
    for (const orgId of await this.organizations()) {
      // A failure in one organization does not stop the others.
      lines += await this.sweepOne(orgId, before).catch((err: unknown) => {
        this.life.log.warn('Old lines stay for now', { err, orgId, book: this.book.name });
        troubled += 1;
        return 0;
      });
    }
    if (lines > 0) this.life.log.info('Old lines were archived', { book: this.book.name, lines });
    return { lines, troubled };
  }

  /**
   * An organization's archived lines as they were in their table, oldest first: all, or at least those of a stretch. Throws if a
   * file differs from what was written.
   */
  async *archived(orgId: number, { after = 0, last = null, from = null, until = null }: LineRange = {}): AsyncGenerator {
    const parts = await this.tenants.read(orgId, (manager) =>
      manager.query<{ key: string; sha256: string }[]>(
        `SELECT file_key AS key, sha256 FROM archived_parts
         WHERE org_id = $1 AND book = $2 AND first > $3 AND ($4::bigint IS NULL OR last <= $4)
           AND ($5::timestamptz IS NULL OR month + interval '1 month' > $5 AT TIME ZONE 'UTC')
           -- a line whose clock went back is in the month of the line before
           AND ($6::timestamptz IS NULL OR month - interval '1 day' < $6 AT TIME ZONE 'UTC') ORDER BY first`,
        [orgId, this.book.name, after, last, from, until],
      ),
    );
    for (const { key, sha256 } of parts) {
      const hash = createHash('sha256');
      for await (const text of this.linesOf(key, hash)) yield JSON.parse(text);
      if (hash.digest('hex') !== sha256) throw new ArchiveBroken(`the archived lines in ${key} were changed`);
    }
  }

  /** The id of an organization's last archived line; 0 if there is none. */
  async lastOf(orgId: number): Promise<number> {
    return this.tenants.read(orgId, (manager) => this.lastIn(manager, orgId));
  }

  /**
   * When the lines in the table begin: at the end of the last archived month. Null if a list from `from`, or of all lines if
   * there is none, does not reach into the archive.
   */
  async beginOf(orgId: number, from: Date | null | undefined): Promise<Date | null> {
    const [part] = await this.tenants.read(orgId, (manager) =>
      manager.query<{ until: Date }[]>(
        `SELECT (month + interval '1 month') AT TIME ZONE 'UTC' AS until FROM archived_parts
         WHERE org_id = $1 AND book = $2 ORDER BY first DESC LIMIT 1`,
        [orgId, this.book.name],
      ),
    );
    return part && (!from || from < part.until) ? part.until : null;
  }

  private async lastIn(manager: EntityManager, orgId: number): Promise<number> {
    const [part] = await manager.query<{ last: number }[]>(
      'SELECT last FROM archived_parts WHERE org_id = $1 AND book = $2 ORDER BY first DESC LIMIT 1',
      [orgId, this.book.name],
    );
    return part?.last ?? 0;
  }

  private async sweepOne(orgId: number, before: Date): Promise<number> {
    let lines = 0;
    while (!this.life.lifetime.draining.aborted) {
      const start = await this.startOf(orgId);
      if (!start || start.until > before) break;
      const moved = await this.move(start);
      if (moved === 0) break;
      lines += moved;
    }
    return lines;
  }

  /** Skips from one organization to the next by index, however many lines each has. */
  private async organizations(): Promise<number[]> {
    const { table } = this.book;
    const rows = await this.tenants.acrossTenants('lines of every organization grow old', (manager) =>
      manager.query<{ orgId: number }[]>(
        `WITH RECURSIVE found (org_id) AS (
           SELECT min(org_id) FROM ${table}
           UNION ALL
           SELECT (SELECT min(org_id) FROM ${table} l WHERE l.org_id > found.org_id) FROM found WHERE found.org_id IS NOT NULL
         )
         SELECT org_id AS "orgId" FROM found WHERE org_id IS NOT NULL`,
      ),
    );
    return rows.map(({ orgId }) => orgId);
  }

  /** Months never go backwards: a line written while the clock was behind belongs to the month of the previous line. */
  private async startOf(orgId: number): Promise<PartStart | undefined> {
    const { name, table, id, time } = this.book;
    const [found] = await this.inOrder(orgId, (manager) =>
      manager.query<{ after: number; month: string; until: Date }[]>(
        `SELECT coalesce(part.last, 0) AS after, to_char(at.month, 'YYYY-MM-DD') AS month,
           at.month AT TIME ZONE 'UTC' + interval '1 month' AS until
         FROM (SELECT ${time} AS time FROM ${table} WHERE org_id = $1 ORDER BY org_id, ${id} LIMIT 1) line
         LEFT JOIN (SELECT last, month FROM archived_parts WHERE org_id = $1 AND book = $2 ORDER BY first DESC LIMIT 1) part ON true
         CROSS JOIN LATERAL (SELECT greatest(date_trunc('month', line.time AT TIME ZONE 'UTC'), part.month) AS month) at`,
        [orgId, name],
      ),
    );
    return found && { ...found, orgId };
  }

  /** Returns how many lines were archived; 0 if another replica was faster. */
  private async move(start: PartStart): Promise<number> {
    const key = `archive/${this.book.name}/${start.orgId}/${start.month.slice(0, 7)}/${start.after}-${randomUUID()}.jsonl.gz`;
    try {
      const part = await this.write(start, key);
      const isMoved = part.lines > 0 && (await this.tenants.run(start.orgId, (manager) => this.takeOut(manager, start, part)));
      if (!isMoved) await this.files.delete(key);
      return isMoved ? part.lines : 0;
    } catch (error) {
      await this.dropUnlessRecorded(start.orgId, key);
      throw error;
    }
  }

  private async write(start: PartStart, key: string): Promise<ArchivedPart> {
    const hash = createHash('sha256');
    let [first, last, lines] = [0, 0, 0];
    const each = this.readFrom(start);
    async function* texts(): AsyncGenerator<string> {
      for await (const { id, text } of each) {
        if (lines === 0) first = id;
        last = id;
        lines += 1;
        hash.update(text);
        yield `${text}\n`;
      }
    }
    const gzip = createGzip();
    const source = Readable.from(texts());
    source.on('error', (error) => gzip.destroy(error));
    await this.files.put(key, source.pipe(gzip), { bytesMax });
    const part = { key, first, last, lines, sha256: hash.digest('hex') };
    await this.compare(part);
    return part;
  }

  /** Lines are deleted only if the store returns exactly what was written. */
  private async compare({ key, lines, sha256 }: ArchivedPart): Promise<void> {
    const hash = createHash('sha256');
    let found = 0;
    for await (const _text of this.linesOf(key, hash)) found += 1;
    if (found !== lines || hash.digest('hex') !== sha256) throw new ArchiveBroken(`${key} is not as it was written`);
  }

  private async *linesOf(key: string, hash: Hash): AsyncGenerator<string> {
    const file = await this.files.open(key);
    if (!file) throw new ArchiveBroken(`the archived lines in ${key} are missing`);
    const unpacked = createGunzip();
    file.on('error', (error) => unpacked.destroy(error));
    let rest = '';
    try {
      for await (const piece of file.pipe(unpacked).setEncoding('utf8')) {
        const texts = `${rest}${String(piece)}`.split('\n');
        rest = texts.pop() ?? '';
        for (const text of texts) {
          hash.update(text);
          yield text;
        }
      }
    } catch (error) {
      if (!isBadZip(error)) throw error;
      throw new ArchiveBroken(`the archived lines in ${key} cannot be read`, { cause: error });
    } finally {
      // A reader that stops early or fails leaves no file open.
      file.destroy();
    }
    if (rest !== '') throw new ArchiveBroken(`${key} ends in the middle of a line`);
  }

  private async *readFrom({ orgId, after, until }: PartStart): AsyncGenerator<ArchiveLine> {
    const { table, id, time } = this.book;
    for (let [from, left] = [after, this.book.partLines ?? partLines]; left > 0;) {
      const rows = await this.inOrder(orgId, (manager) =>
        manager.query<ArchiveLine[]>(
          `SELECT ${id} AS id, ${time} AS at, row_to_json(line)::text AS text
           FROM (SELECT * FROM ${table} WHERE org_id = $1 AND ${id} > $2 ORDER BY org_id, ${id} LIMIT $3) line`,
          [orgId, from, Math.min(readAtOnce, left)],
        ),
      );
      for (const line of rows) {
        if (line.at >= until) return;
        yield line;
      }
      const last = rows.at(-1);
      if (!last) return;
      from = last.id;
      left -= rows.length;
    }
  }

  /** Forces the index that has the order: an organization's lines are too many to sort, whatever the planner estimates. */
  private inOrder<T>(orgId: number, work: (manager: EntityManager) => Promise<T>): Promise<T> {
    return this.tenants.read(orgId, async (manager) => {
      await manager.query('SET LOCAL enable_sort = off');
      return work(manager);
    });
  }

  private async takeOut(manager: EntityManager, { orgId, after, month }: PartStart, part: ArchivedPart): Promise<boolean> {
    const { name, table, id, carry } = this.book;
    await this.lock(manager, orgId);
    if ((await this.lastIn(manager, orgId)) !== after) return false;
    const { first, last, lines, key, sha256 } = part;
    await manager.query(
      `INSERT INTO archived_parts (org_id, book, first, last, month, lines, file_key, sha256) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
      [orgId, name, first, last, month, lines, key, sha256],
    );
    if (carry) await manager.query(carry, [orgId, first, last, month]);
    const [, gone] = await manager.query<[unknown[], number]>(
      `DELETE FROM ${table} WHERE org_id = $1 AND ${id} BETWEEN $2 AND $3`,
      [orgId, first, last],
    );
    if (gone !== lines) throw new ArchiveBroken(`${gone} lines would go, and ${lines} are in ${key}`);
    return true;
  }

  /** Only one replica at a time archives an organization's lines. */
  private lock(manager: EntityManager, orgId: number): Promise<unknown> {
    return manager.query('SELECT pg_advisory_xact_lock(hashtext($1), $2)', [`archive ${this.book.name}`, orgId]);
  }

  /** A commit whose acknowledgement was lost may have succeeded or still be running; then the file is the only copy. */
  private async dropUnlessRecorded(orgId: number, key: string): Promise<void> {
    try {
      const recorded = await this.tenants.read(orgId, async (manager) => {
        await this.lock(manager, orgId);
        return manager.query<unknown[]>('SELECT FROM archived_parts WHERE org_id = $1 AND file_key = $2', [orgId, key]);
      });
      if (recorded.length === 0) await this.files.delete(key);
    } catch (err) {
      this.life.log.warn('A file of the archive may be left over', { err, key });
    }
  }
}

/** The archive of a book, in the store that the variables describe. Each module has its own. */
export function archiveOf(book: Book, variables: z.output<typeof FileStoreVariables>): Provider {
  return {
    provide: Archive,
    inject: [TenantScope, Logger, Lifetime, RegularTasks],
    useFactory: (tenants: TenantScope, log: Logger, lifetime: Lifetime, tasks: RegularTasks) =>
      new Archive(book, tenants, openFileStore(variables), { log, lifetime, tasks }),
  };
}

/** A file of the archive differs from what was written. */
export class ArchiveBroken extends Error {
  override readonly name = 'ArchiveBroken';
}

function isBadZip(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && String(error.code).startsWith('Z_');
}
