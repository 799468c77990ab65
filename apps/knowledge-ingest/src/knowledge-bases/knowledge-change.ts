import { Injectable } from '@nestjs/common';
import { Fault, findKnowledgeAgents, knowledgeChanged, type Need, notThere } from '@parley/contracts';
import { Outbox, TenantScope } from '@parley/database';
import { agentsOfCaller, type Call, currentCall, isCallerPermitted, ServiceBus } from '@parley/messaging';
import { type EntityManager, type FindOptionsWhere, In, IsNull } from 'typeorm';
import { type IndexJobKind, IndexJobs } from '../indexing/index-jobs';
import { KnowledgeBaseEntity } from '../database/entities';

type ChangedSource = 'KNOWLEDGE_BASE' | 'DOCUMENT' | 'FAQ' | 'BUSINESS_PROFILE' | 'CATALOG' | 'VECTORS';

/** What saving one entry did. */
export type SaveOutcome = 'CREATED' | 'UPDATED' | 'UNCHANGED';

/** What a caller may do to the entries of a knowledge base. */
export interface SaveRights {
  readonly mayAdd: boolean;
  readonly mayUpdate: boolean;
}

export const everyRight: SaveRights = { mayAdd: true, mayUpdate: true };

export function saveRightsOf(call: Call): SaveRights {
  return { mayAdd: isCallerPermitted(call, 'knowledge.CanAdd'), mayUpdate: isCallerPermitted(call, 'knowledge.CanUpdate') };
}

/** The permission that is missing for what saving would do to an entry. */
export function rightMissingFor(outcome: SaveOutcome, { mayAdd, mayUpdate }: SaveRights): Need | undefined {
  if (outcome === 'CREATED' && !mayAdd) return 'knowledge.CanAdd';
  return outcome === 'UPDATED' && !mayUpdate ? 'knowledge.CanUpdate' : undefined;
}

interface Changed<T> {
  readonly result: T;
  /** What must be indexed after the change. */
  readonly jobs: readonly { kind: IndexJobKind; documentId?: number }[];
  /** Readers are notified if there is something to index; set this for a change without a job. */
  readonly isChanged?: boolean;
}

/** Changes the content of a knowledge base: rows, index jobs and event are written together or not at all. */
@Injectable()
export class KnowledgeChange {
  constructor(
    private readonly tenants: TenantScope,
    private readonly outbox: Outbox,
    private readonly jobs: IndexJobs,
    private readonly bus: ServiceBus,
  ) {}

  /**
   * Knowledge belongs to the organization, and everyone with the permission reads it. But a caller restricted to certain agents must
   * not change what other agents say.
   */
  async requireReach(KBID: number): Promise<void> {
    const call = currentCall();
    const own = call && agentsOfCaller(call);
    if (!own) return;
    const { AgentIDs } = await this.bus.ask(findKnowledgeAgents, { KBID });
    if (AgentIDs.some((id) => !own.includes(id)))
      throw new Fault('SCOPE_MISSING', {
        message:
          'Agents that this member may not see answer from this knowledge base. An Owner or Admin can add them to the member’s agents.',
      });
  }

  /** Refuses if agents use the base: without it they would still answer callers, but know nothing. */
  async requireUnused(KBID: number): Promise<void> {
    await this.requireReach(KBID);
    const { AgentIDs } = await this.bus.ask(findKnowledgeAgents, { KBID });
    if (AgentIDs.length > 0)
      throw new Fault('CONFLICT', {
        message: `Agents answer from this knowledge base (AgentID ${AgentIDs.join(', ')}): first give them another one, or none.`,
      });
  }

  async make<T>(
    { orgId, knowledgeBaseId, source }: { orgId: number; knowledgeBaseId: number; source: ChangedSource },
    work: (manager: EntityManager, base: KnowledgeBaseEntity) => Promise<Changed<T>>,
  ): Promise<T> {
    // Before the transaction, so that no lock waits for another service.
    await this.requireReach(knowledgeBaseId);
    const result = await this.tenants.run(orgId, async (manager) => {
      // Changes of one knowledge base run one after the other, so that two batches never see half of each other.
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

/**
 * The public id of a record's knowledge base. The base, and the record with it, may have been deleted since the record was read.
 */
export async function keyOfBase(manager: EntityManager, id: number): Promise<string> {
  const base = await manager.findOne(KnowledgeBaseEntity, { where: { id }, select: { key: true } });
  if (!base) throw notThere('knowledge base');
  return base.key;
}

/** The same for many records, by the numbers of their knowledge bases. */
export async function keysOfBases(manager: EntityManager, ids: readonly number[]): Promise<ReadonlyMap<number, string>> {
  const bases = await manager.find(KnowledgeBaseEntity, {
    where: { id: In([...new Set(ids)]) },
    select: { id: true, key: true },
  });
  return new Map(bases.map(({ id, key }) => [id, key]));
}

/** The caller's knowledge base; 404 for an unknown one and for another organization's. */
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
