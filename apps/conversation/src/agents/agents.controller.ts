import { Controller } from '@nestjs/common';
import { agentChanged, agentDeleted } from '@parley/contracts';
import { Hears } from '@parley/messaging';
import { Agents } from './agents';

/** Lets the next turn read an agent anew, on every replica. */
@Controller()
export class AgentsController {
  constructor(private readonly agents: Agents) {}

  @Hears(agentChanged)
  changed(): void {
    this.agents.forget();
  }

  @Hears(agentDeleted)
  deleted(): void {
    this.agents.forget();
  }
}
