import { Injectable } from '@nestjs/common';
import { Fault, listBusinessProfiles, listKnowledgeBases, type Principal } from '@parley/contracts';
import { TenantScope } from '@parley/database';
import { ServiceBus } from '@parley/messaging';
import { businessSummary } from './business-summary';
import { LinkedKnowledgeBase } from './linked-knowledge-base.entity';

const pageSize = 200;
const pagesMax = 25;

/** The knowledge bases that agents answer from. They belong to another service; this one remembers what it needs. */
@Injectable()
export class KnowledgeBases {
  constructor(
    private readonly tenants: TenantScope,
    private readonly bus: ServiceBus,
  ) {}

  /** Makes sure that a knowledge base of this organization is known here. NOT_FOUND when there is none. */
  async link(orgId: number, id: number): Promise<void> {
    const known = await this.tenants.read(orgId, (manager) => manager.existsBy(LinkedKnowledgeBase, { orgId, id }));
    if (!known) await this.remember(orgId, id);
  }

  /** Reads a knowledge base anew, so that prompts tell the business profile as it is now. */
  async remember(orgId: number, id: number): Promise<void> {
    const principal: Principal = { kind: 'system', keyId: 'agent-config', orgId };
    const keyId = await this.keyIdOf(id, principal);
    const { rows } = await this.bus.ask(listBusinessProfiles, { KBID: id, pageSize: 1 }, { principal });
    const summary = rows[0] ? businessSummary(rows[0].businessInfo) : null;
    await this.tenants.run(orgId, (manager) => manager.upsert(LinkedKnowledgeBase, { orgId, id, keyId, summary }, ['orgId', 'id']));
  }

  /** The newest come first, because an agent is mostly given the one that was just made. */
  private async keyIdOf(id: number, principal: Principal): Promise<string> {
    for (let pageNo = 1; pageNo <= pagesMax; pageNo += 1) {
      const { rows } = await this.bus.ask(
        listKnowledgeBases,
        { sortColumn: 'KBID', sortOrder: 'DESC', pageNo, pageSize },
        { principal },
      );
      const found = rows.find(({ KBID }) => KBID === id);
      if (found) return found.KBKeyID;
      if (rows.length < pageSize || rows.some(({ KBID }) => KBID < id)) break;
    }
    throw new Fault('NOT_FOUND', { message: 'There is no such knowledge base.', details: [{ field: 'KBID', message: `KBID ${id} is unknown` }] });
  }
}
