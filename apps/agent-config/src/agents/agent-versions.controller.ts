import { Controller } from '@nestjs/common';
import { diffAgentVersions, getAgentVersion, listAgentVersions, restoreAgentVersion } from '@parley/contracts';
import { type Call, type HandlerOf, Handles } from '@parley/messaging';
import { AgentVersions } from './agent-versions.service';

type List = HandlerOf<typeof listAgentVersions>;
type Get = HandlerOf<typeof getAgentVersion>;
type Diff = HandlerOf<typeof diffAgentVersions>;
type Restore = HandlerOf<typeof restoreAgentVersion>;

/** Versions of agents over the bus. */
@Controller()
export class AgentVersionsController {
  constructor(private readonly versions: AgentVersions) {}

  @Handles(listAgentVersions)
  list(query: Parameters<List>[0], call: Call): ReturnType<List> {
    return this.versions.list(query, call);
  }

  @Handles(getAgentVersion)
  get(choice: Parameters<Get>[0], call: Call): ReturnType<Get> {
    return this.versions.get(choice, call);
  }

  @Handles(diffAgentVersions)
  diff(pair: Parameters<Diff>[0], call: Call): ReturnType<Diff> {
    return this.versions.diff(pair, call);
  }

  @Handles(restoreAgentVersion)
  restore(choice: Parameters<Restore>[0], call: Call): ReturnType<Restore> {
    return this.versions.restore(choice, call);
  }
}
