import { Injectable } from '@nestjs/common';
import { agentDeleted, type deleteAgent, type duplicateAgent, type saveAgent } from '@parley/contracts';
import { Outbox, TenantScope } from '@parley/database';
import { type Call, organizationOf } from '@parley/messaging';
import type { EntityManager } from 'typeorm';
import type { z } from 'zod';
import { KnowledgeBases } from '../knowledge/knowledge-bases';
import { linkedTo } from '../knowledge/linked-to';
import { AgentHistory, requireVersion } from '../versions/agent-history';
import { copyName } from './copy-name';
import { Agent } from './agent.entity';
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
    private readonly outbox: Outbox,
  ) {}

  async save(body: SaveAgentBody, call: Call): Promise<Identity> {
    const orgId = organizationOf(call);
    if (!body.AgentKeyID) requireFreeCaller(call);
    // Another service is asked before the transaction, so that no lock waits for it.
    if (body.KBID) await this.knowledgeBases.link(orgId, body.KBID);
    return this.tenants.run(orgId, async (manager) => {
      const stored = await this.storedOf(manager, body, call);
      const definition = this.drafting.draft(body, stored && (await beforeOf(manager, stored)));
      return identityOf(
        await this.history.keep(manager, call, { stored, state: { definition, runtime: stored?.runtime ?? null } }),
      );
    });
  }

  delete(choice: z.output<typeof deleteAgent.request>, call: Call): Promise<Identity> {
    const orgId = organizationOf(call);
    return this.tenants.run(orgId, async (manager) => {
      const agent = await findAgent(manager, call, choice, { isForUpdate: true });
      await manager.update(Agent, { id: agent.id }, { deletedOn: new Date() });
      await this.outbox.add(manager, agentDeleted, { orgId, payload: identityOf(agent) });
      return identityOf(agent);
    });
  }

  duplicate({ AgentKeyID, AgentName }: z.output<typeof duplicateAgent.request>, call: Call): Promise<Identity> {
    requireFreeCaller(call);
    return this.tenants.run(organizationOf(call), async (manager) => {
      const { definition, runtime } = await findAgent(manager, call, { AgentKeyID });
      const state = { definition: { ...definition, name: AgentName ?? copyName(definition.name) }, runtime };
      return identityOf(await this.history.keep(manager, call, { stored: null, state }));
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
