import { Injectable } from '@nestjs/common';
import {
  type Agent as AgentRecord,
  type AgentRuntime,
  type getAgent,
  placeholdersOf,
  previewPrompt,
  type readAgentRuntime,
  withPlaceholder,
} from '@parley/contracts';
import { TenantScope } from '@parley/database';
import { type Call, organizationOf, ServiceBus } from '@parley/messaging';
import type { z } from 'zod';
import type { LinkedKnowledgeBase } from '../knowledge/linked-knowledge-base.entity';
import { linkedTo } from '../knowledge/knowledge-bases';
import { LookupTables } from '../lookups/lookup-tables';
import { AgentPrompts } from '../prompts/agent-prompts';
import { RuntimeSecrets, publicRuntime } from '../runtime/runtime-secrets';
import type { AgentDefinition } from './agent.wire';
import type { Agent } from './agent.entity';
import { publicFieldsOf } from './agent.wire';
import { findAgent } from './caller';

type Choice = z.output<typeof getAgent.request>;
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

  /** With the prompt as models are sent it, where the service that composes prompts is there to be asked. */
  async get(choice: Choice, call: Call): Promise<z.input<typeof getAgent.reply>> {
    const record = await this.stored(choice, call);
    const PromptAsSent = await this.bus.ask(previewPrompt, { AgentKeyID: record.AgentKeyID }).catch(() => null);
    return { ...record, PromptAsSent };
  }

  stored(choice: Choice, call: Call): Promise<z.input<typeof AgentRecord>> {
    return this.tenants.read(organizationOf(call), async (manager) => {
      const agent = await findAgent(manager, call, choice);
      return this.record(agent, await linkedTo(manager, agent));
    });
  }

  runtime(choice: RuntimeChoice, call: Call): Promise<RuntimeRecord> {
    return this.tenants.read(organizationOf(call), async (manager) => {
      const agent = await findAgent(manager, call, choice);
      const settings = await this.secrets.opened(manager, agent);
      return {
        ...this.runtimeRecord(agent, await linkedTo(manager, agent)),
        RuntimeConfiguration: { ...publicRuntime(agent), ...settings },
      };
    });
  }

  /** The full record of an agent, or of an earlier state of it. */
  record(agent: Agent, knowledgeBase: LinkedKnowledgeBase | null): z.input<typeof AgentRecord> {
    const { definition } = agent;
    const SystemPrompt = this.prompts.promptOf(definition);
    const RuntimeConfiguration = publicRuntime(agent);
    return {
      ...publicFieldsOf(definition),
      AgentKeyID: agent.keyId,
      AgentID: agent.id,
      SystemPrompt,
      isSystemPromptOverridden: definition.systemPrompt !== null,
      promptVariables: placeholdersOf(...[SystemPrompt, definition.greeting].map((text) => saidBy(definition, text))),
      KBKeyID: knowledgeBase?.keyId ?? null,
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
      isConfigured: agent.runtime !== null,
      AgentID: agent.id,
      AgentKeyID: agent.keyId,
      Version: agent.version,
      AgentName: definition.name,
      language: this.lookups.languageOf(definition.languageId),
      timezone: this.lookups.get('time-zone', definition.timeZoneId).name,
      SystemPrompt: saidBy(definition, this.prompts.promptOf(definition)),
      Greeting: saidBy(definition, definition.greeting),
      KBID: definition.knowledgeBaseId,
      KBKeyID: knowledgeBase?.keyId ?? null,
    };
  }
}

/** A text with the agent's own name in it, so that a renamed agent says its new name. The rest is for the conversation. */
function saidBy({ name }: AgentDefinition, text: string): string {
  return withPlaceholder(text, { name: 'agentName', value: name });
}
