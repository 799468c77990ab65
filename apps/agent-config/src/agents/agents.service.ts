import { Injectable } from '@nestjs/common';
import { agentDeleted, type deleteAgent, type duplicateAgent, type saveAgent } from '@parley/contracts';
import { Outbox, TenantScope } from '@parley/database';
import { type Call, organizationOf } from '@parley/messaging';
import type { EntityManager } from 'typeorm';
import type { z } from 'zod';
import { AgentPrompts } from '../prompts/agent-prompts';
import { AgentHistory, requireVersion } from '../versions/agent-history';
import { Agent } from './agent.entity';
import { identityOf, type SaveAgentBody } from './agent.wire';
import { findAgent, requireFreeCaller } from './caller';
import { Drafting } from './drafting';
import { References } from './references';

const graphemes = new Intl.Segmenter('und', { granularity: 'grapheme' });

const nameMax = 30;

const suffix = ' (copy)';

type Identity = z.input<typeof deleteAgent.reply>;

/** What builders do to agents. */
@Injectable()
export class AgentsService {
  constructor(
    private readonly tenants: TenantScope,
    private readonly drafting: Drafting,
    private readonly prompts: AgentPrompts,
    private readonly history: AgentHistory,
    private readonly references: References,
    private readonly outbox: Outbox,
  ) {}

  async save(body: SaveAgentBody, call: Call): Promise<z.input<typeof saveAgent.reply>> {
    const orgId = organizationOf(call);
    if (!body.AgentKeyID) requireFreeCaller(call);
    await this.references.require(orgId, body);
    return this.tenants.run(orgId, async (manager) => {
      const stored = await this.storedOf(manager, body, call);
      const definition = this.drafting.draft(body, stored?.definition);
      const state = { definition, runtime: stored?.runtime ?? null };
      const kept = identityOf(await this.history.keep(manager, call, { stored, state }));
      return { ...kept, SystemPrompt: this.prompts.promptOf(definition) };
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

/** A name for the copy of an agent, within the 30 characters that a name may have. */
function copyName(name: string): string {
  const kept = [...graphemes.segment(name)].slice(0, nameMax - suffix.length);
  return (
    kept
      .map(({ segment }) => segment)
      .join('')
      .trimEnd() + suffix
  );
}
