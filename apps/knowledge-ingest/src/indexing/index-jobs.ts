import { Injectable } from '@nestjs/common';
import { TenantScope } from '@parley/database';
import type { Collection } from '@parley/ports';
import type { EntityManager } from 'typeorm';
import { DocumentEntity, filesOf, KnowledgeBaseEntity } from '../database/entities';
import { Engines } from '../engines';
import { PassageIndex } from './entry-indexing';

export type IndexJobKind = 'DOCUMENT' | 'ENTRIES' | 'REINDEX' | 'DROP';

export interface IndexJob {
  readonly id: string;
  readonly orgId: number;
  readonly knowledgeBaseId: number;
  readonly kind: IndexJobKind;
  readonly documentId: number;
  /** The request count when the job was taken. */
  readonly asked: number;
  readonly attempts: number;
}

interface RequestedJob {
  orgId: number;
  knowledgeBaseId: number;
  kind: IndexJobKind;
  documentId?: number;
}

/** After this long, a job whose worker died is taken by another. */
export const leaseSeconds = 30;
/** Counting beyond this would not change the number of replicas needed. */
const countedMax = 10_000;
const why = 'the index worker serves every organization';

/** Index jobs in Postgres, requested in the transaction that makes them necessary. */
@Injectable()
export class IndexJobs {
  private readonly listeners = new Set<() => void>();

  constructor(private readonly tenants: TenantScope) {}

  /** Requests a job. Requesting it again while it waits changes nothing; while it runs, it will run once more. */
  async ask(manager: EntityManager, { orgId, knowledgeBaseId, kind, documentId = 0 }: RequestedJob): Promise<void> {
    await manager.query(
      `INSERT INTO index_jobs (org_id, knowledge_base_id, kind, document_id) VALUES ($1, $2, $3, $4)
       ON CONFLICT (knowledge_base_id, kind, document_id)
       DO UPDATE SET asked = index_jobs.asked + 1, attempts = 0, run_after = now()`,
      [orgId, knowledgeBaseId, kind, documentId],
    );
  }

  /** Wakes the worker of this process, after the transaction has committed. */
  announce(): void {
    for (const listener of this.listeners) listener();
  }

  onAnnounced(listener: () => void): void {
    this.listeners.add(listener);
  }

  /**
   * Takes and leases a job; undefined if none is due. Organizations take turns: the one with the fewest jobs in progress comes
   * first, and of its jobs the oldest. Organizations in `full` have reached this worker's limit.
   */
  async take(full: readonly number[] = []): Promise<IndexJob | undefined> {
    const [rows] = await this.system((manager) =>
      manager.query<[IndexJob[], number]>(
        `UPDATE index_jobs SET leased_until = now() + interval '${leaseSeconds} seconds', attempts = attempts + 1
         WHERE id = (
           SELECT id FROM index_jobs waiting
           WHERE run_after <= now() AND (leased_until IS NULL OR leased_until < now()) AND org_id <> ALL ($1::int[])
           ORDER BY (SELECT count(*) FROM index_jobs busy WHERE busy.org_id = waiting.org_id AND busy.leased_until >= now()),
             run_after, id
           LIMIT 1 FOR UPDATE SKIP LOCKED
         )
         RETURNING id, org_id AS "orgId", knowledge_base_id AS "knowledgeBaseId", kind, document_id AS "documentId", asked, attempts`,
        [full],
      ),
    );
    return rows[0];
  }

  /** Whether any job exists, including those in progress and those not yet due. */
  async areThere(): Promise<boolean> {
    const text = 'SELECT FROM index_jobs LIMIT 1';
    return (await this.tenants.acrossTenantsOnce(why, { name: 'are-there-index-jobs', text, values: [] })).length > 0;
  }

  /** The number of jobs, counted up to a limit. */
  async count(): Promise<number> {
    const [row] = await this.system((manager) =>
      manager.query<{ count: number }[]>(
        `SELECT count(*)::int AS count FROM (SELECT FROM index_jobs LIMIT ${countedMax}) AS counted`,
      ),
    );
    return row?.count ?? 0;
  }

  async extend({ id }: IndexJob): Promise<void> {
    await this.system((manager) =>
      manager.query(`UPDATE index_jobs SET leased_until = now() + interval '${leaseSeconds} seconds' WHERE id = $1`, [id]),
    );
  }

  /** Finishes a job. If it was requested again meanwhile, it runs again at once. */
  async finish({ id, asked }: IndexJob): Promise<void> {
    await this.system(async (manager) => {
      await manager.query('DELETE FROM index_jobs WHERE id = $1 AND asked = $2', [id, asked]);
      await manager.query('UPDATE index_jobs SET leased_until = NULL, attempts = 0, run_after = now() WHERE id = $1', [id]);
    });
  }

  async retry({ id }: IndexJob, delayMs: number): Promise<void> {
    await this.system((manager) =>
      manager.query(
        `UPDATE index_jobs SET leased_until = NULL, run_after = now() + $2 * interval '1 millisecond' WHERE id = $1`,
        [id, delayMs],
      ),
    );
  }

  private system<T>(work: (manager: EntityManager) => Promise<T>): Promise<T> {
    return this.tenants.acrossTenants(why, work);
  }
}

/** The job was taken over by another worker, or its work is no longer wanted. */
export class JobLost extends Error {
  override readonly name = 'JobLost';
}

const passagesPerPage = 64;

/**
 * Moves knowledge bases to the currently configured embedding engine. The old vectors serve searches until they are replaced, and
 * are deleted last.
 */
@Injectable()
export class Reindexing {
  constructor(
    private readonly tenants: TenantScope,
    private readonly index: PassageIndex,
    private readonly engines: Engines,
    private readonly jobs: IndexJobs,
  ) {}

  /** Requests the move of every knowledge base indexed by another engine, and the indexing of entries that failed earlier. */
  async askForOutdated(): Promise<void> {
    await this.tenants.acrossTenants('a change of the embedding model concerns every organization', async (manager) => {
      const outdated = await manager
        .createQueryBuilder(KnowledgeBaseEntity, 'base')
        .where('base.deleted_on IS NULL AND base.space IS NOT NULL AND base.space <> :space', { space: this.index.space })
        .getMany();
      for (const { orgId, id } of outdated) await this.jobs.ask(manager, { orgId, knowledgeBaseId: id, kind: 'REINDEX' });
      for (const { orgId, id } of await basesWithUnindexedEntries(manager))
        await this.jobs.ask(manager, { orgId, knowledgeBaseId: id, kind: 'ENTRIES' });
    });
    this.jobs.announce();
  }

  async run(collection: Collection, stillOurs: () => Promise<void>): Promise<void> {
    const { embeddings, vectors } = this.engines;
    const { space } = embeddings.capabilities;
    await this.index.prepare(collection);
    for (let after: string | undefined; ;) {
      const page = await vectors.list(collection, { limit: passagesPerPage, ...(after && { after }) });
      const meanings = await this.index.vectorsOf(
        page.map(({ passage }) => (passage.kind === 'faq' ? (passage.text.split('\n')[0] ?? '') : passage.text)),
      );
      const added = page.flatMap(({ id }, index) => (meanings[index] ? [{ id, vector: meanings[index] }] : []));
      if (added.length > 0) await vectors.addVectors(collection, space, added);
      await stillOurs();
      after = page.at(-1)?.id;
      if (page.length < passagesPerPage) break;
    }
    const before = await this.serve(collection, space.name);
    if (before !== null && before !== space.name) await vectors.dropSpace(collection, { name: before });
  }

  /** From now on searches use the new space. Returns the previous one. */
  private serve({ orgId, knowledgeBaseId: id }: Collection, space: string): Promise<string | null> {
    return this.tenants.run(orgId, async (manager) => {
      const base = await manager.findOneBy(KnowledgeBaseEntity, { id });
      await manager.update(KnowledgeBaseEntity, { id }, { space });
      return base?.space ?? null;
    });
  }
}

/** A job that can never succeed is given up, for instance with a wrong key; its entries wait for a start with the right one. */
function basesWithUnindexedEntries(manager: EntityManager): Promise<{ orgId: number; id: number }[]> {
  const unindexed = ['faqs', 'business_profiles', 'catalog_items']
    .map((table) => `SELECT knowledge_base_id FROM ${table} WHERE indexed_version IS DISTINCT FROM version`)
    .join(' UNION ');
  return manager.query(
    `SELECT id, org_id AS "orgId" FROM knowledge_bases WHERE deleted_on IS NULL AND cleared_on IS NULL AND id IN (${unindexed})`,
  );
}

/** Deletes what a deleted knowledge base leaves behind (vectors, files, rows), in an order that allows repetition. */
@Injectable()
export class BaseRemoval {
  constructor(
    private readonly tenants: TenantScope,
    private readonly engines: Engines,
  ) {}

  async run({ orgId, knowledgeBaseId }: Collection): Promise<void> {
    await this.engines.vectors.drop({ orgId, knowledgeBaseId });
    const documents = await this.tenants.read(orgId, (manager) => manager.findBy(DocumentEntity, { knowledgeBaseId }));
    for (const file of documents.flatMap(filesOf)) await this.engines.files.delete(file);
    await this.tenants.run(orgId, async (manager) => {
      await manager.query(`DELETE FROM index_jobs WHERE knowledge_base_id = $1 AND kind <> 'DROP'`, [knowledgeBaseId]);
      await manager.delete(KnowledgeBaseEntity, { id: knowledgeBaseId });
    });
  }
}
