import { Injectable } from '@nestjs/common';
import { Fault, findAgents } from '@parley/contracts';
import { TenantScope } from '@parley/database';
import { type Call, organizationOf, ServiceBus } from '@parley/messaging';

/** Whose figures a caller may see. */
@Injectable()
export class AgentScope {
  constructor(
    private readonly bus: ServiceBus,
    private readonly tenants: TenantScope,
  ) {}

  /** The agents to count, or undefined for all. One that does not exist, or is not the caller's to see, is NOT_FOUND. */
  async of(asked: readonly number[] | undefined, call: Call): Promise<readonly number[] | undefined> {
    const own = call.principal?.agentIds;
    if (!asked) return own;
    if (own && asked.some((id) => !own.includes(id))) throw noSuchAgent();
    await this.requireKnown([...new Set(asked)], call);
    return asked;
  }

  /** One that was deleted is still known by its figures. */
  private async requireKnown(ids: readonly number[], call: Call): Promise<void> {
    const { AgentIDs } = await this.bus.ask(findAgents, { AgentIDs: [...ids] });
    const missing = ids.filter((id) => !AgentIDs.includes(id));
    if (missing.length === 0) return;
    const orgId = organizationOf(call);
    const rows: { known: number }[] = await this.tenants.read(orgId, (manager) =>
      manager.query(
        `SELECT count(*)::int AS known FROM unnest($2::int[]) asked (id)
         WHERE EXISTS (SELECT FROM call_quarters WHERE org_id = $1 AND agent_id = asked.id)
           OR EXISTS (SELECT FROM turn_quarters WHERE org_id = $1 AND agent_id = asked.id)`,
        [orgId, missing],
      ),
    );
    if (rows[0]?.known !== missing.length) throw noSuchAgent();
  }
}

function noSuchAgent(): Fault {
  return new Fault('NOT_FOUND', { message: 'There is no such agent.' });
}
