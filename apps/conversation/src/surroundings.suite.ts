import { Controller, Module } from '@nestjs/common';
import { AgentRuntime, examplesOf, Fault, readAgentRuntime, retrieveKnowledge } from '@parley/contracts';
import { type Call, Handles, organizationOf } from '@parley/messaging';
import { defineService } from '@parley/service-kit';
import { z } from 'zod';
import type { BodyOf, ReplyOf } from './message-types';

type Agent = z.output<typeof AgentRuntime>;
type Retrieved = ReplyOf<typeof retrieveKnowledge>;

export const noKnowledge: Retrieved = { faq: null, fact: null, passages: [], isKnown: false };

const [example] = examplesOf(AgentRuntime);

/** An agent as its service would answer it, in the words of a test. */
export function anAgent(changes: Partial<Agent> = {}): Agent {
  return { ...AgentRuntime.parse(example), Greeting: 'Hello, this is Maya of Demo Bazaar.', SystemPrompt: 'You are Maya of Demo Bazaar.', ...changes };
}

/** The services around conversation, which answer what a test writes into them. */
export class Surroundings {
  readonly agents = new Map<number, Agent[]>();
  retrieve: (question: BodyOf<typeof retrieveKnowledge>, call: Call) => Retrieved | Promise<Retrieved> = () => noKnowledge;

  /** The services as definitions, to be started beside the one under test. */
  services() {
    const { agents } = this;
    const retrieve = (question: BodyOf<typeof retrieveKnowledge>, call: Call) => this.retrieve(question, call);

    @Controller()
    class ScriptedAgents {
      @Handles(readAgentRuntime)
      read({ AgentID, AgentKeyID }: BodyOf<typeof readAgentRuntime>, call: Call): ReplyOf<typeof readAgentRuntime> {
        const agent = agents.get(organizationOf(call))?.find((one) => one.AgentID === AgentID || one.AgentKeyID === AgentKeyID);
        if (!agent) throw new Fault('NOT_FOUND');
        return agent;
      }
    }

    @Controller()
    class ScriptedKnowledge {
      @Handles(retrieveKnowledge)
      async retrieve(question: BodyOf<typeof retrieveKnowledge>, call: Call): Promise<Retrieved> {
        return retrieve(question, call);
      }
    }

    @Module({ controllers: [ScriptedAgents] })
    class AgentsModule {}

    @Module({ controllers: [ScriptedKnowledge] })
    class KnowledgeModule {}

    const config = z.object({});
    return [
      defineService({ name: 'agent-config', config, module: () => AgentsModule }),
      defineService({ name: 'knowledge-ingest', config, module: () => KnowledgeModule }),
    ];
  }
}
