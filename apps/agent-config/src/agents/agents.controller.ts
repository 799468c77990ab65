import { Controller } from '@nestjs/common';
import {
  deleteAgent,
  duplicateAgent,
  findAgents,
  getAgent,
  listAgents,
  readAgentRecord,
  readAgentRuntime,
  saveAgent,
} from '@parley/contracts';
import { type Call, Handles, type HandlerOf } from '@parley/messaging';
import { AgentList, AgentReader } from './agent-reader';
import { AgentsService } from './agents.service';

type Save = HandlerOf<typeof saveAgent>;
type Get = HandlerOf<typeof getAgent>;
type ReadRecord = HandlerOf<typeof readAgentRecord>;
type List = HandlerOf<typeof listAgents>;
type Find = HandlerOf<typeof findAgents>;
type Delete = HandlerOf<typeof deleteAgent>;
type Duplicate = HandlerOf<typeof duplicateAgent>;
type ReadRuntime = HandlerOf<typeof readAgentRuntime>;

/** Agents over the bus. */
@Controller()
export class AgentsController {
  constructor(
    private readonly agents: AgentsService,
    private readonly reader: AgentReader,
    private readonly pages: AgentList,
  ) {}

  @Handles(saveAgent)
  save(body: Parameters<Save>[0], call: Call): ReturnType<Save> {
    return this.agents.save(body, call);
  }

  @Handles(getAgent)
  get(choice: Parameters<Get>[0], call: Call): ReturnType<Get> {
    return this.reader.get(choice, call);
  }

  @Handles(readAgentRecord)
  record(choice: Parameters<ReadRecord>[0], call: Call): ReturnType<ReadRecord> {
    return this.reader.stored(choice, call);
  }

  @Handles(listAgents)
  list(query: Parameters<List>[0], call: Call): ReturnType<List> {
    return this.pages.page(query, call);
  }

  @Handles(findAgents)
  find({ AgentIDs }: Parameters<Find>[0], call: Call): ReturnType<Find> {
    return this.pages.known(AgentIDs, call);
  }

  @Handles(deleteAgent)
  delete(choice: Parameters<Delete>[0], call: Call): ReturnType<Delete> {
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
}
