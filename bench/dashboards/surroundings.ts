import { Controller, Module } from '@nestjs/common';
import {
  examplesOf,
  findAgents,
  findFaqs,
  listMyOrganizations,
  listRepresentatives,
  listSalesUserChoices,
  readAgentRuntime,
  readTurnFacts,
} from '@parley/contracts';
import { type Call, Handles, organizationOf } from '@parley/messaging';
import { defineService, type Host, type RunningService, startService } from '@parley/service-kit';
import { z } from 'zod';

const representative = (id: number) => ({
  SalesUserKeyID: `00000000-0000-4000-8000-${String(id).padStart(12, '0')}`,
  SalesUserID: id,
  name: `Representative ${id}`,
});

@Controller()
class Agents {
  @Handles(findAgents)
  find({ AgentIDs }: z.output<typeof findAgents.request>): z.input<typeof findAgents.reply> {
    const agents = AgentIDs.map((id) => ({ AgentID: id, AgentKeyID: representative(id).SalesUserKeyID }));
    return { AgentIDs, agents };
  }

  @Handles(readAgentRuntime)
  runtime(): z.input<typeof readAgentRuntime.reply> {
    return readAgentRuntime.reply.parse(examplesOf(readAgentRuntime.reply)[0]);
  }
}

@Controller()
class Team {
  @Handles(listMyOrganizations)
  organizations(_: object, call: Call): z.input<typeof listMyOrganizations.reply> {
    const [example] = listMyOrganizations.reply.parse(examplesOf(listMyOrganizations.reply)[0]);
    return example ? [{ ...example, OrgID: organizationOf(call), timezone: 'Asia/Kolkata', isCurrent: true }] : [];
  }

  @Handles(listSalesUserChoices)
  choices(): z.input<typeof listSalesUserChoices.reply> {
    return Array.from({ length: 8 }, (_, index) => representative(index + 1));
  }

  @Handles(listRepresentatives)
  representatives(): z.input<typeof listRepresentatives.reply> {
    return { rows: [], totalCount: 0, pageNo: 1, pageSize: 200 };
  }
}

@Controller()
class Conversation {
  @Handles(readTurnFacts)
  turns({ after }: z.output<typeof readTurnFacts.request>): z.input<typeof readTurnFacts.reply> {
    return { turns: [], after, hasMore: false, readAt: new Date().toISOString() };
  }
}

@Controller()
class Knowledge {
  @Handles(findFaqs)
  faqs({ KBFAQIDs }: z.output<typeof findFaqs.request>): z.input<typeof findFaqs.reply> {
    return { faqs: KBFAQIDs.map((id) => ({ KBFAQKeyID: representative(id).SalesUserKeyID, KBFAQID: id })) };
  }
}

@Module({ controllers: [Agents] })
class AgentsModule {}

@Module({ controllers: [Team] })
class TeamModule {}

@Module({ controllers: [Conversation] })
class ConversationModule {}

@Module({ controllers: [Knowledge] })
class KnowledgeModule {}

const config = z.object({});
const neighbours = [
  defineService({ name: 'agent-config', config, module: () => AgentsModule }),
  defineService({ name: 'team-sales', config, module: () => TeamModule }),
  defineService({ name: 'knowledge-ingest', config, module: () => KnowledgeModule }),
  defineService({ name: 'conversation', config, module: () => ConversationModule }),
];

/** The services that dashboards call, answering instantly, so that only the time of dashboards is measured. */
export async function startSurroundings(host: Host): Promise<RunningService[]> {
  const running: RunningService[] = [];
  for (const neighbour of neighbours) running.push(await startService(neighbour, host));
  return running;
}
