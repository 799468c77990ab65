import { Injectable } from '@nestjs/common';
import { Fault, listAgentTypes, listIndustries } from '@parley/contracts';
import { ServiceBus } from '@parley/messaging';

interface Chosen {
  readonly IndustryID?: number | undefined;
  readonly AgentTypeID?: number | undefined;
}

/** The tables of choices, which agent-config has. Only a new release changes them, so what was found once is remembered. */
@Injectable()
export class Lookups {
  private readonly industries = new Set<number>();
  private readonly agentTypes = new Set<number>();

  constructor(private readonly bus: ServiceBus) {}

  /** Refuses ids that no table has, all of them at once. */
  async require({ IndustryID, AgentTypeID }: Chosen): Promise<void> {
    if (IndustryID !== undefined && !this.industries.has(IndustryID))
      for (const { IndustryTypeID } of await this.bus.ask(listIndustries, {})) this.industries.add(IndustryTypeID);
    if (AgentTypeID !== undefined && !this.agentTypes.has(AgentTypeID))
      for (const { AgentTypeID: id } of await this.bus.ask(listAgentTypes, {})) this.agentTypes.add(id);
    const details = [
      ...unknown('IndustryID', IndustryID, { known: this.industries, list: 'industries' }),
      ...unknown('AgentTypeID', AgentTypeID, { known: this.agentTypes, list: 'agent-types' }),
    ];
    if (details.length > 0) throw new Fault('VALIDATION_FAILED', { details });
  }
}

function unknown(field: string, id: number | undefined, { known, list }: { known: ReadonlySet<number>; list: string }) {
  return id === undefined || known.has(id) ? [] : [{ field, message: `${field} ${id} is not in the lookup ${list}` }];
}
