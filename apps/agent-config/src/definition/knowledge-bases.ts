import { Controller, Injectable } from '@nestjs/common';
import { agentChanged, Fault, knowledgeChanged, listKnowledgeBases, type Principal } from '@parley/contracts';
import { Outbox, TenantScope } from '@parley/database';
import { Consumes, type EventMeta, ServiceBus } from '@parley/messaging';
import { Column, Entity, type EntityManager, PrimaryColumn } from 'typeorm';
import type { z } from 'zod';
import { Agent, identityOf } from './agent.entity';

const pageSize = 200;
const pagesMax = 25;
/** Readers drop their copy after a while anyway; events only make it sooner, so more than this many agents need none. */
const agentsMax = 1000;

/** The knowledge bases that agents answer from. Another service owns them; this one caches what it needs. */
@Injectable()
export class KnowledgeBases {
  constructor(
    private readonly tenants: TenantScope,
    private readonly bus: ServiceBus,
    private readonly outbox: Outbox,
  ) {}

  /** Ensures that a knowledge base of this organization is known here. NOT_FOUND if it does not exist. */
  async link(orgId: number, id: number): Promise<void> {
    if (await this.isLinked(orgId, id)) return;
    const linked = await this.read(orgId, id);
    if (!linked) {
      const details = [{ field: 'KBID', message: `KBID ${id} is unknown` }];
      throw new Fault('NOT_FOUND', { message: 'There is no such knowledge base.', details });
    }
    await this.tenants.run(orgId, (manager) => manager.upsert(LinkedKnowledgeBase, linked, ['orgId', 'id']));
  }

  /** Rereads a known knowledge base, and notifies the readers of its agents. */
  async refresh(orgId: number, id: number): Promise<void> {
    if (!(await this.isLinked(orgId, id))) return;
    const linked = await this.read(orgId, id);
    await this.tenants.run(orgId, async (manager) => {
      if (linked) await manager.upsert(LinkedKnowledgeBase, linked, ['orgId', 'id']);
      else await manager.delete(LinkedKnowledgeBase, { orgId, id });
      for (const agent of await agentsOf(manager, orgId, id)) {
        await this.outbox.add(manager, agentChanged, { orgId, payload: identityOf(agent) });
      }
    });
  }

  private isLinked(orgId: number, id: number): Promise<boolean> {
    return this.tenants.read(orgId, (manager) => manager.existsBy(LinkedKnowledgeBase, { orgId, id }));
  }

  private async read(orgId: number, id: number): Promise<LinkedKnowledgeBase | null> {
    const principal: Principal = { kind: 'system', keyId: 'agent-config', orgId };
    const keyId = await this.keyIdOf(id, principal);
    if (!keyId) return null;
    return { orgId, id, keyId };
  }

  /** Searches newest first, because an agent is usually given the one just created. */
  private async keyIdOf(id: number, principal: Principal): Promise<string | undefined> {
    for (let pageNo = 1; pageNo <= pagesMax; pageNo += 1) {
      const query = { sortColumn: 'KBID', sortOrder: 'DESC', pageNo, pageSize } as const;
      const { rows } = await this.bus.ask(listKnowledgeBases, query, { principal });
      const found = rows.find(({ KBID }) => KBID === id);
      if (found) return found.KBKeyID;
      if (rows.length < pageSize || rows.some(({ KBID }) => KBID < id)) break;
    }
    return undefined;
  }
}

/** The agents that answer from a knowledge base. */
export function agentsOf(manager: EntityManager, orgId: number, id: number): Promise<Agent[]> {
  const query = manager.createQueryBuilder(Agent, 'agent').where('agent.org_id = :orgId AND agent.deleted_on IS NULL', { orgId });
  return query.andWhere("(agent.definition->>'knowledgeBaseId')::int = :id", { id }).limit(agentsMax).getMany();
}

/** The knowledge base that an agent answers from. */
export async function linkedTo(manager: EntityManager, { orgId, definition }: Agent): Promise<LinkedKnowledgeBase | null> {
  const { knowledgeBaseId: id } = definition;
  return id === null ? null : manager.findOneBy(LinkedKnowledgeBase, { orgId, id });
}

/** A copy of an agent's knowledge base, kept here so that turns need not ask for it. */
@Entity({ name: 'linked_knowledge_bases' })
export class LinkedKnowledgeBase {
  @PrimaryColumn('int')
  orgId: number;

  @PrimaryColumn('int')
  id: number;

  @Column('uuid')
  keyId: string;
}

type KnowledgeChanged = z.output<typeof knowledgeChanged.payload>;

/** Removes deleted knowledge bases. Their content is read for each turn. */
@Controller()
export class DeletedBasesController {
  constructor(private readonly knowledgeBases: KnowledgeBases) {}

  /** A second delivery reads the same state again, which does no harm. */
  @Consumes(knowledgeChanged)
  async follow({ KBID, source }: KnowledgeChanged, { orgId }: EventMeta): Promise<void> {
    if (orgId !== null && source === 'KNOWLEDGE_BASE') await this.knowledgeBases.refresh(orgId, KBID);
  }
}
