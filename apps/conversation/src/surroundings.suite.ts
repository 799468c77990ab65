import { EventEmitter } from 'node:events';
import { Controller, Module } from '@nestjs/common';
import {
  AgentRuntime,
  type BodyOf,
  conversationEnded,
  conversationErased,
  examplesOf,
  Fault,
  listMyOrganizations,
  readAgentRuntime,
  readRetention,
  readWholeKnowledge,
  type ReplyOf,
  retrieveKnowledge,
} from '@parley/contracts';
import { type Call, Consumes, Handles, organizationOf } from '@parley/messaging';
import { defineService } from '@parley/service-kit';
import { z } from 'zod';

type Agent = z.output<typeof AgentRuntime>;
type Whole = ReplyOf<typeof readWholeKnowledge>;
type Retrieved = ReplyOf<typeof retrieveKnowledge>;

export const noKnowledge: Retrieved = { faq: null, fact: null, passages: [], isKnown: false };

/** A base too large for a prompt, so it is searched. */
export const nothingWhole: Whole = { revision: 0, isWhole: false, text: '', tokens: 0, schedule: null };

const [example] = examplesOf(AgentRuntime);

/** A fake agent, as its service would reply. */
export function anAgent(changes: Partial<Agent> = {}): Agent {
  return {
    ...AgentRuntime.parse(example),
    Greeting: 'Hello, this is Maya of Demo Bazaar.',
    SystemPrompt: 'You are Maya of Demo Bazaar.',
    ...changes,
  };
}

/** Fakes of the services around conversation, whose answers tests set. */
export class Surroundings {
  readonly agents = new Map<number, Agent[]>();
  /** The ids of those that were deleted. */
  readonly deletedAgents = new Set<number>();
  readonly heard: { subject: string; payload: unknown }[] = [];
  readonly hearing = new EventEmitter();
  retrieve: (question: BodyOf<typeof retrieveKnowledge>, call: Call) => Retrieved | Promise<Retrieved> = () => noKnowledge;

  whole: (asked: BodyOf<typeof readWholeKnowledge>) => Whole = () => nothingWhole;

  /** The definitions of the fake services. */
  services() {
    const { agents, deletedAgents, heard, hearing } = this;
    const retrieve = (question: BodyOf<typeof retrieveKnowledge>, call: Call) => this.retrieve(question, call);

    @Controller()
    class ScriptedAgents {
      @Handles(readRetention)
      retention({ orgId }: BodyOf<typeof readRetention>): ReplyOf<typeof readRetention> {
        const own = agents.get(orgId) ?? [];
        return {
          agents: own.map(({ AgentID, RuntimeConfiguration: { RetentionDays } }) => ({ AgentID, RetentionDays })),
        };
      }

      @Handles(readAgentRuntime)
      read({ AgentID, AgentKeyID, mayBeDeleted }: BodyOf<typeof readAgentRuntime>, call: Call): ReplyOf<typeof readAgentRuntime> {
        const agent = agents.get(organizationOf(call))?.find((one) => one.AgentID === AgentID || one.AgentKeyID === AgentKeyID);
        if (!agent || (deletedAgents.has(agent.AgentID) && !mayBeDeleted)) throw new Fault('NOT_FOUND');
        return agent;
      }
    }

    const whole = (asked: BodyOf<typeof readWholeKnowledge>) => this.whole(asked);

    @Controller()
    class ScriptedKnowledge {
      @Handles(readWholeKnowledge)
      readWhole(asked: BodyOf<typeof readWholeKnowledge>): Whole {
        return whole(asked);
      }

      @Handles(retrieveKnowledge)
      async retrieve(question: BodyOf<typeof retrieveKnowledge>, call: Call): Promise<Retrieved> {
        return retrieve(question, call);
      }
    }

    const hear = (subject: string, payload: unknown): void => {
      heard.push({ subject, payload });
      hearing.emit('event', { subject, payload });
    };

    @Controller()
    class ListeningDashboards {
      @Consumes(conversationEnded)
      ended(payload: z.output<typeof conversationEnded.payload>): void {
        hear(conversationEnded.subject, payload);
      }

      @Consumes(conversationErased)
      erased(payload: z.output<typeof conversationErased.payload>): void {
        hear(conversationErased.subject, payload);
      }
    }

    @Controller()
    class ScriptedOrganizations {
      @Handles(listMyOrganizations)
      list(_: object, call: Call): ReplyOf<typeof listMyOrganizations> {
        // As in team-sales: only members have organizations, services do not.
        if (call.principal?.kind === 'system') throw new Fault('SCOPE_MISSING');
        const [organization] = listMyOrganizations.reply.parse(examplesOf(listMyOrganizations.reply)[0]);
        return organization ? [{ ...organization, OrgID: organizationOf(call), timezone: 'Asia/Kolkata', isCurrent: true }] : [];
      }
    }

    @Module({ controllers: [ListeningDashboards] })
    class DashboardsModule {}

    @Module({ controllers: [ScriptedOrganizations] })
    class OrganizationsModule {}

    @Module({ controllers: [ScriptedAgents] })
    class AgentsModule {}

    @Module({ controllers: [ScriptedKnowledge] })
    class KnowledgeModule {}

    const config = z.object({});
    return [
      defineService({ name: 'agent-config', config, module: () => AgentsModule }),
      defineService({ name: 'knowledge-ingest', config, module: () => KnowledgeModule }),
      defineService({ name: 'dashboards', config, module: () => DashboardsModule }),
      defineService({ name: 'team-sales', config, module: () => OrganizationsModule }),
    ];
  }
}
