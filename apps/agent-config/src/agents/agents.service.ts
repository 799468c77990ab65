import { Injectable } from '@nestjs/common';
import type { saveAgent } from '@parley/contracts';
import { TenantScope } from '@parley/database';
import { type Call, organizationOf } from '@parley/messaging';
import type { EntityManager } from 'typeorm';
import type { z } from 'zod';
import { KnowledgeBases } from '../knowledge/knowledge-bases';
import { linkedTo } from '../knowledge/linked-to';
import { AgentHistory, requireVersion } from '../versions/agent-history';
import type { Agent } from './agent.entity';
import { identityOf, type SaveAgentBody } from './agent.wire';
import { findAgent, requireFreeCaller } from './caller';
import { type AgentBefore, Drafting } from './drafting';

type Identity = z.input<typeof saveAgent.reply>;

/** What builders do to agents. */
@Injectable()
export class AgentsService {
  constructor(
    private readonly tenants: TenantScope,
    private readonly drafting: Drafting,
    private readonly history: AgentHistory,
    private readonly knowledgeBases: KnowledgeBases,
  ) {}

  async save(body: SaveAgentBody, call: Call): Promise<Identity> {
    const orgId = organizationOf(call);
    if (!body.AgentKeyID) requireFreeCaller(call);
    // Another service is asked before the transaction, so that no lock waits for it.
    if (body.KBID) await this.knowledgeBases.link(orgId, body.KBID);
    return this.tenants.run(orgId, async (manager) => {
      const stored = await this.storedOf(manager, body, call);
      const definition = this.drafting.draft(body, stored && (await beforeOf(manager, stored)));
      return identityOf(await this.history.keep(manager, call, { stored, state: { definition, runtime: stored?.runtime ?? null } }));
    });
  }

  private async storedOf(manager: EntityManager, { AgentKeyID, Version }: SaveAgentBody, call: Call): Promise<Agent | null> {
    if (!AgentKeyID) return null;
    const stored = await findAgent(manager, call, { AgentKeyID }, { isForUpdate: true });
    requireVersion(stored, Version);
    return stored;
  }
}

async function beforeOf(manager: EntityManager, agent: Agent): Promise<AgentBefore> {
  const linked = await linkedTo(manager, agent);
  return { definition: agent.definition, business: linked?.summary ?? null };
}
