import { Controller, Injectable } from '@nestjs/common';
import {
  agentDeleted,
  deleteAgent,
  duplicateAgent,
  Fault,
  findAgents,
  findKnowledgeAgents,
  findMembers,
  getAgent,
  invalidFields,
  listAgents,
  readAgentRecord,
  readAgentRuntime,
  readRetention,
  saveAgent,
} from '@parley/contracts';
import { Outbox, TenantScope } from '@parley/database';
import { type Call, type HandlerOf, Handles, organizationOf, ServiceBus } from '@parley/messaging';
import type { EntityManager } from 'typeorm';
import type { z } from 'zod';
import { AgentHistory, requireVersion } from '../definition/agent-history';
import { Agent, findAgent, identityOf, requireFreeCaller, type SaveAgentBody } from '../definition/agent.entity';
import { KnowledgeBases } from '../definition/knowledge-bases';
import { AgentPrompts, Drafting } from '../definition/agent-prompts';
import { AgentList, AgentReader } from './agent-reader';

/** Checks what an agent refers to in other services. They are asked before a transaction, so that no lock waits for them. */
@Injectable()
export class References {
  constructor(
    private readonly knowledgeBases: KnowledgeBases,
    private readonly bus: ServiceBus,
  ) {}

  /** Refuses a knowledge base or a member that the organization does not have. */
  async require(orgId: number, { KBID, AdminID }: SaveAgentBody): Promise<void> {
    if (KBID) await this.knowledgeBases.link(orgId, KBID);
    if (AdminID) await this.requireMember(AdminID);
  }

  /** Asked as the caller: a member of another organization is reported as if it did not exist. */
  private async requireMember(userID: number): Promise<void> {
    const { userIDs } = await this.bus.ask(findMembers, { userIDs: [userID] });
    if (userIDs.includes(userID)) return;
    throw invalidFields([{ field: 'AdminID', message: `AdminID ${userID} is the userID of no member` }]);
  }
}

const graphemes = new Intl.Segmenter('und', { granularity: 'grapheme' });

const nameMax = 30;

const suffix = ' (copy)';

type DeleteAgentReply = z.input<typeof deleteAgent.reply>;

/** Creates, changes, copies and deletes agents. */
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

  delete(choice: z.output<typeof deleteAgent.request>, call: Call): Promise<DeleteAgentReply> {
    const orgId = organizationOf(call);
    return this.tenants.run(orgId, async (manager) => {
      const agent = await findAgent(manager, call, choice, { isForUpdate: true });
      await manager.update(Agent, { id: agent.id }, { deletedOn: new Date() });
      await this.outbox.add(manager, agentDeleted, { orgId, payload: identityOf(agent) });
      return identityOf(agent);
    });
  }

  duplicate({ AgentKeyID, AgentName }: z.output<typeof duplicateAgent.request>, call: Call): Promise<DeleteAgentReply> {
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

/** A name for a copy of an agent, within the 30 code points allowed. No letter is separated from its marks. */
function copyName(name: string): string {
  let kept = '';
  for (const { segment } of graphemes.segment(name)) {
    if ([...kept, ...segment, ...suffix].length > nameMax) break;
    kept += segment;
  }
  return kept.trimEnd() + suffix;
}

type SaveAgentHandler = HandlerOf<typeof saveAgent>;
type GetAgentHandler = HandlerOf<typeof getAgent>;
type ReadRecord = HandlerOf<typeof readAgentRecord>;
type ListAgentsHandler = HandlerOf<typeof listAgents>;
type Find = HandlerOf<typeof findAgents>;
type FindByKnowledge = HandlerOf<typeof findKnowledgeAgents>;
type DeleteAgentHandler = HandlerOf<typeof deleteAgent>;
type Duplicate = HandlerOf<typeof duplicateAgent>;
type ReadRuntime = HandlerOf<typeof readAgentRuntime>;
type ReadRetention = HandlerOf<typeof readRetention>;

/** Agents over the bus. */
@Controller()
export class AgentsController {
  constructor(
    private readonly agents: AgentsService,
    private readonly reader: AgentReader,
    private readonly pages: AgentList,
  ) {}

  @Handles(saveAgent)
  save(body: Parameters<SaveAgentHandler>[0], call: Call): ReturnType<SaveAgentHandler> {
    return this.agents.save(body, call);
  }

  @Handles(getAgent)
  get(choice: Parameters<GetAgentHandler>[0], call: Call): ReturnType<GetAgentHandler> {
    return this.reader.get(choice, call);
  }

  @Handles(readAgentRecord)
  record(choice: Parameters<ReadRecord>[0], call: Call): ReturnType<ReadRecord> {
    return this.reader.stored(choice, call);
  }

  @Handles(listAgents)
  list(query: Parameters<ListAgentsHandler>[0], call: Call): ReturnType<ListAgentsHandler> {
    return this.pages.page(query, call);
  }

  @Handles(findKnowledgeAgents)
  ofKnowledge({ KBID }: Parameters<FindByKnowledge>[0], call: Call): ReturnType<FindByKnowledge> {
    return this.pages.ofKnowledge(KBID, call);
  }

  @Handles(findAgents)
  find({ AgentIDs }: Parameters<Find>[0], call: Call): ReturnType<Find> {
    return this.pages.known(AgentIDs, call);
  }

  @Handles(deleteAgent)
  delete(choice: Parameters<DeleteAgentHandler>[0], call: Call): ReturnType<DeleteAgentHandler> {
    return this.agents.delete(choice, call);
  }

  @Handles(duplicateAgent)
  duplicate(choice: Parameters<Duplicate>[0], call: Call): ReturnType<Duplicate> {
    return this.agents.duplicate(choice, call);
  }

  @Handles(readAgentRuntime)
  readRuntime(choice: Parameters<ReadRuntime>[0], call: Call): ReturnType<ReadRuntime> {
    return this.reader.runtime(choice, call);
  }

  @Handles(readRetention)
  retention({ orgId }: Parameters<ReadRetention>[0], { principal }: Call): ReturnType<ReadRetention> {
    if (principal && principal.kind !== 'system') throw new Fault('SCOPE_MISSING');
    return this.reader.retention(orgId);
  }
}
