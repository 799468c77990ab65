import { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { TenantScope } from '@parley/database';
import { FileStore } from '@parley/ports';
import { Logger } from '@parley/service-kit';
import type { EntityManager } from 'typeorm';
import { z } from 'zod';
import { type ChainEnd, ChainKey, type ChainSeal } from './chain';

/** The end of a chain as noted in the file store: the last line and the number of lines, sealed. */
const Note = z.object({ id: z.int(), hash: z.string(), entries: z.int(), notedOn: z.string(), seal: z.string() });
type Note = z.output<typeof Note>;

const bytesMax = 1_000;
/** Organizations whose chains grew between two sweeps. Those beyond the limit are noted when they grow again. */
const grownMax = 10_000;

/** The note of a chain's end was not written by this installation. */
export class NoteForged extends Error {
  override readonly name = 'NoteForged';
}

/**
 * Notes in the file store where each chain of the audit log ends. Postgres alone cannot show that the end of a chain was deleted,
 * or that an older copy was restored; a note elsewhere can. A note never replaces one of a longer or a different chain.
 */
@Injectable()
export class ChainNotes {
  private readonly grown = new Set<number>();

  constructor(
    private readonly tenants: TenantScope,
    private readonly files: FileStore,
    private readonly chain: ChainKey,
    private readonly log: Logger,
  ) {}

  /** Remembers that an organization's chain has grown. */
  markGrown(orgId: number): void {
    if (this.grown.size < grownMax) this.grown.add(orgId);
  }

  /** Notes the ends of the chains that grew since the last time. Those that fail are tried again. */
  async noteAll(): Promise<void> {
    const grown = [...this.grown];
    this.grown.clear();
    let failure: unknown;
    for (const orgId of grown) {
      await this.note(orgId).catch((error: unknown) => {
        failure = error;
        this.markGrown(orgId);
      });
    }
    if (failure) throw new Error('The ends of audit chains could not be noted in the file store', { cause: failure });
  }

  /** Where an organization's chain ended when it was last noted; undefined if it never was. */
  async noted(orgId: number): Promise<Note | undefined> {
    const file = await this.files.open(keyOf(orgId));
    if (!file) return undefined;
    const note = Note.safeParse(parsed(await shortText(file))).data;
    const seal = await this.chain.seal();
    if (!note || note.seal !== seal.noted(orgId, note)) throw new NoteForged('the note of its end in the file store was changed');
    return note;
  }

  /** Forgets where a chain ended that begins anew. */
  async forget(orgId: number): Promise<void> {
    this.grown.delete(orgId);
    await this.files.delete(keyOf(orgId));
  }

  async note(orgId: number): Promise<void> {
    const [seal, before] = await Promise.all([this.chain.seal(), this.noted(orgId)]);
    const end = await this.tenants.read(orgId, (manager) => endOf(manager, { orgId, seal, before }));
    if (!end) return this.log.error('An audit chain is not what the file store says of its end', { orgId });
    const noted = { ...end, notedOn: new Date().toISOString() };
    const bytes = Buffer.from(JSON.stringify({ ...noted, seal: seal.noted(orgId, noted) }));
    await this.files.put(keyOf(orgId), Readable.from([bytes]), { bytesMax });
  }
}

function keyOf(orgId: number): string {
  return `audit-ends/${orgId}.json`;
}

/** Notes are short: a longer file was not written here, and is not read to its end. */
async function shortText(file: AsyncIterable<Uint8Array>): Promise<string> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of file) {
    pieces.push(piece);
    bytes += piece.length;
    if (bytes > bytesMax) return '';
  }
  return Buffer.concat(pieces).toString();
}

function parsed(content: string): unknown {
  try {
    return JSON.parse(content);
  } catch {
    return undefined;
  }
}

interface Noting {
  readonly orgId: number;
  readonly seal: ChainSeal;
  readonly before: Note | undefined;
}

/** The current end of a chain; undefined if its seal is broken, or if it does not continue from the previous note. */
async function endOf(manager: EntityManager, { orgId, seal, before }: Noting): Promise<(ChainEnd & { id: number }) | undefined> {
  const [head]: (ChainEnd & { seal: string; id: number | null; goesOn: boolean })[] = await manager.query(
    `SELECT h.hash, h.entries, h.seal, CASE WHEN last.hash = h.hash THEN last.id END AS id,
       (EXISTS (SELECT FROM audit_entries e WHERE e.org_id = $1 AND e.id = $2 AND e.hash = $3)
         OR EXISTS (SELECT FROM archived_parts p WHERE p.org_id = $1 AND p.book = 'audit' AND p.last >= $2)) AS "goesOn"
     FROM audit_heads h
     LEFT JOIN LATERAL (SELECT e.id, e.hash FROM audit_entries e WHERE e.org_id = $1 ORDER BY e.id DESC LIMIT 1) last ON true
     WHERE h.org_id = $1`,
    [orgId, before?.id ?? 0, before?.hash ?? ''],
  );
  if (!head || head.seal !== seal.end(orgId, head)) return undefined;
  if (before && !(head.goesOn && head.entries >= before.entries)) return undefined;
  // All of its lines are archived, so the previous note still holds.
  if (head.id === null) return before;
  return { id: head.id, hash: head.hash, entries: head.entries };
}
