import { Injectable } from '@nestjs/common';
import { Fault, knowledgeChanged } from '@parley/contracts';
import { Outbox, TenantScope } from '@parley/database';
import { type EntityManager, type FindOptionsWhere, IsNull } from 'typeorm';
import { type IndexJobKind, IndexJobs } from '../indexing/index-jobs';
import { KnowledgeBaseEntity } from '../database/entities';

type ChangedSource = 'KNOWLEDGE_BASE' | 'DOCUMENT' | 'FAQ' | 'BUSINESS_PROFILE' | 'CATALOG' | 'VECTORS';

interface Changed<T> {
  readonly result: T;
  /** What has to be indexed because of the change. */
  readonly jobs: readonly { kind: IndexJobKind; documentId?: number }[];
  /** Readers are told when there is something to index; say so where a change needs no job. */
  readonly isChanged?: boolean;
}

/** A change of what a knowledge base knows: rows, index jobs and the event are written together or not at all. */
@Injectable()
export class KnowledgeChange {
  constructor(
    private readonly tenants: TenantScope,
    private readonly outbox: Outbox,
    private readonly jobs: IndexJobs,
  ) {}

  async make<T>(
    { orgId, knowledgeBaseId, source }: { orgId: number; knowledgeBaseId: number; source: ChangedSource },
    work: (manager: EntityManager, base: KnowledgeBaseEntity) => Promise<Changed<T>>,
  ): Promise<T> {
    const result = await this.tenants.run(orgId, async (manager) => {
      // Changes of one knowledge base follow one another, so that two batches never see half of each other.
      const base = await baseOf(manager, { id: knowledgeBaseId }, 'locked');
      const changed = await work(manager, base);
      if (!(changed.isChanged ?? changed.jobs.length > 0)) return changed.result;
      for (const job of changed.jobs) await this.jobs.ask(manager, { orgId, knowledgeBaseId, ...job });
      await manager.increment(KnowledgeBaseEntity, { id: base.id }, 'revision', 1);
      await this.outbox.add(manager, knowledgeChanged, { orgId, payload: { KBKeyID: base.key, KBID: base.id, source } });
      return changed.result;
    });
    this.jobs.announce();
    return result;
  }
}

/** The caller's knowledge base; 404 for an unknown one and for another organization's alike. */
export async function baseOf(
  manager: EntityManager,
  where: FindOptionsWhere<KnowledgeBaseEntity>,
  locked?: 'locked',
): Promise<KnowledgeBaseEntity> {
  const lock = locked && ({ mode: 'pessimistic_write' } as const);
  const base = await manager.findOne(KnowledgeBaseEntity, { where: { ...where, deletedOn: IsNull() }, ...(lock && { lock }) });
  if (!base) throw new Fault('NOT_FOUND', { message: 'There is no such knowledge base.' });
  return base;
}
