import { Injectable } from '@nestjs/common';
import {
  type Agent as AgentRecord,
  type AgentRuntime,
  type findAgents,
  type getAgent,
  type listAgents,
  placeholdersOf,
  previewPrompt,
  type readAgentRuntime,
  type readRetention,
  RuntimeSettings,
  withPlaceholder,
} from '@parley/contracts';
import { containing, pageOf, TenantScope } from '@parley/database';
import { agentsOfCaller, type Call, organizationOf, ServiceBus } from '@parley/messaging';
import { In } from 'typeorm';
import type { z } from 'zod';
import { LookupTables } from '../lookups/lookup-tables';
import { AgentPrompts } from '../definition/agent-prompts';
import { publicRuntime, RuntimeSecrets, shownTo } from '../definition/runtime-secrets';
import { Agent, type AgentDefinition, findAgent, publicFieldsOf } from '../definition/agent.entity';
import { agentsOf, LinkedKnowledgeBase, linkedTo } from '../definition/knowledge-bases';

type GetAgentRequest = z.output<typeof getAgent.request>;
type RuntimeRecord = z.input<typeof AgentRuntime>;
type RuntimeChoice = z.output<typeof readAgentRuntime.request>;

/** Agents as builders and conversations read them. */
@Injectable()
export class AgentReader {
  constructor(
    private readonly tenants: TenantScope,
    private readonly lookups: LookupTables,
    private readonly prompts: AgentPrompts,
    private readonly secrets: RuntimeSecrets,
    private readonly bus: ServiceBus,
  ) {}

  /** Includes the prompt as models receive it, if the service that composes prompts is available. */
  async get(choice: GetAgentRequest, call: Call): Promise<z.input<typeof getAgent.reply>> {
    const record = await this.stored(choice, call);
    const PromptAsSent = await this.bus.ask(previewPrompt, { AgentKeyID: record.AgentKeyID }).catch(() => null);
    return { ...record, PromptAsSent };
  }

  stored(choice: GetAgentRequest, call: Call): Promise<z.input<typeof AgentRecord>> {
    return this.tenants.read(organizationOf(call), async (manager) => {
      const agent = await findAgent(manager, call, choice);
      return this.record(agent, await linkedTo(manager, agent), call);
    });
  }

  runtime({ mayBeDeleted, ...choice }: RuntimeChoice, call: Call): Promise<RuntimeRecord> {
    return this.tenants.read(organizationOf(call), async (manager) => {
      const agent = await findAgent(manager, call, choice, { mayBeDeleted });
      const settings = await this.secrets.opened(manager, agent);
      return {
        ...this.runtimeRecord(agent, await linkedTo(manager, agent)),
        RuntimeConfiguration: { ...publicRuntime(agent), ...settings },
      };
    });
  }

  /** Covers every agent that the organization has or had. */
  retention(orgId: number): Promise<z.input<typeof readRetention.reply>> {
    return this.tenants.read(orgId, async (manager) => {
      const agents = await manager.query<z.input<typeof readRetention.reply>['agents']>(
        `SELECT id AS "AgentID", coalesce((runtime ->> 'RetentionDays')::int, $2) AS "RetentionDays" FROM agents WHERE org_id = $1`,
        [orgId, RuntimeSettings.shape.RetentionDays.parse(undefined)],
      );
      return { agents };
    });
  }

  /** The full record of an agent or of an earlier version, as this caller may see it. */
  record(agent: Agent, knowledgeBase: LinkedKnowledgeBase | null, call: Call): z.input<typeof AgentRecord> {
    const { definition } = agent;
    const SystemPrompt = this.prompts.promptOf(definition);
    const RuntimeConfiguration = shownTo(call, publicRuntime(agent));
    return {
      ...publicFieldsOf(definition),
      AgentKeyID: agent.keyId,
      AgentID: agent.id,
      SystemPrompt,
      isSystemPromptOverridden: definition.systemPrompt !== null,
      promptVariables: placeholdersOf(...[SystemPrompt, definition.greeting].map((text) => saidBy(definition, text))),
      ...idsOf(knowledgeBase),
      RuntimeConfiguration,
      Tools: RuntimeConfiguration.Tools,
      Version: agent.version,
      CreatedOn: agent.createdOn.toISOString(),
      UpdatedOn: agent.updatedOn.toISOString(),
    };
  }

  private runtimeRecord(agent: Agent, knowledgeBase: LinkedKnowledgeBase | null): Omit<RuntimeRecord, 'RuntimeConfiguration'> {
    const { definition } = agent;
    return {
      AgentID: agent.id,
      AgentKeyID: agent.keyId,
      Version: agent.version,
      AgentName: definition.name,
      language: this.lookups.languageOf(definition.languageId),
      timezone: this.lookups.get('time-zone', definition.timeZoneId).name,
      SystemPrompt: saidBy(definition, this.prompts.promptOf(definition)),
      Greeting: saidBy(definition, definition.greeting),
      ...idsOf(knowledgeBase),
    };
  }
}

/** Null for an agent without a knowledge base, or whose knowledge base was deleted. */
function idsOf(base: LinkedKnowledgeBase | null | undefined): { KBID: number | null; KBKeyID: string | null } {
  return { KBID: base?.id ?? null, KBKeyID: base?.keyId ?? null };
}

/** Fills in the agent's own name, so that a renamed agent uses its new name. Conversations fill in the other placeholders. */
function saidBy({ name }: AgentDefinition, text: string): string {
  return withPlaceholder(text, { name: 'agentName', value: name });
}

type ListAgentsRequest = z.output<typeof listAgents.request>;
type FindAgentsReply = z.input<typeof findAgents.reply>;
type ListAgentsReply = z.input<typeof listAgents.reply>;

const columns: Record<ListAgentsRequest['sortColumn'], string> = {
  CreatedOn: 'agent.created_on',
  UpdatedOn: 'agent.updated_on',
  AgentName: 'lower(agent.name)',
  AgentID: 'agent.id',
};

/** Pages of agents. */
@Injectable()
export class AgentList {
  constructor(private readonly tenants: TenantScope) {}

  page(wanted: ListAgentsRequest, call: Call): Promise<ListAgentsReply> {
    const { searchName, sortColumn } = wanted;
    const orgId = organizationOf(call);
    return this.tenants.read(orgId, async (manager) => {
      const query = manager
        .createQueryBuilder(Agent, 'agent')
        .where('agent.org_id = :orgId AND agent.deleted_on IS NULL', { orgId });
      const ids = agentsOfCaller(call);
      if (ids) query.andWhere('agent.id = ANY(:ids)', { ids });
      if (searchName.trim()) query.andWhere('agent.name ILIKE :pattern', { pattern: containing(searchName.trim()) });
      const page = await pageOf(query, wanted, { by: columns[sortColumn] });
      const linked = page.rows.flatMap(({ definition }) => definition.knowledgeBaseId ?? []);
      const bases = await manager.findBy(LinkedKnowledgeBase, { orgId, id: In(linked) });
      const byId = new Map(bases.map((base) => [base.id, base]));
      return { ...page, rows: page.rows.map((agent) => rowOf(agent, byId.get(agent.definition.knowledgeBaseId ?? 0))) };
    });
  }

  /** Agents that answer from a knowledge base, whichever member asks. */
  ofKnowledge(KBID: number, call: Call): Promise<Pick<FindAgentsReply, 'AgentIDs'>> {
    const orgId = organizationOf(call);
    return this.tenants.read(orgId, async (manager) => ({
      AgentIDs: (await agentsOf(manager, orgId, KBID)).map(({ id }) => id),
    }));
  }

  /** Which of these agents the organization has, whichever member asks. */
  known(ids: readonly number[], call: Call): Promise<FindAgentsReply> {
    const orgId = organizationOf(call);
    return this.tenants.read(orgId, async (manager) => {
      const select = { id: true, keyId: true, deletedOn: true } as const;
      const agents = await manager.find(Agent, { select, where: { orgId, id: In([...ids]) } });
      return {
        AgentIDs: agents.filter(({ deletedOn }) => !deletedOn).map(({ id }) => id),
        agents: agents.map(({ id, keyId }) => ({ AgentID: id, AgentKeyID: keyId })),
      };
    });
  }
}

function rowOf(agent: Agent, base: LinkedKnowledgeBase | undefined): ListAgentsReply['rows'][number] {
  return {
    ...publicFieldsOf(agent.definition),
    ...idsOf(base),
    AgentKeyID: agent.keyId,
    AgentID: agent.id,
    Version: agent.version,
    CreatedOn: agent.createdOn.toISOString(),
    UpdatedOn: agent.updatedOn.toISOString(),
  };
}
