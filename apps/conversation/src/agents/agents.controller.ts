import { Controller } from '@nestjs/common';
import { agentChanged, agentDeleted } from '@parley/contracts';
import { Consumes } from '@parley/messaging';
import { Agents } from './agents';

/** Lets the next turn read an agent anew. */
@Controller()
export class AgentsController {
  constructor(private readonly agents: Agents) {}

  @Consumes(agentChanged)
  changed(): void {
    this.agents.forget();
  }

  @Consumes(agentDeleted)
  deleted(): void {
    this.agents.forget();
  }
}
