import { Injectable } from '@nestjs/common';
import type { findAgents, listAgents } from '@parley/contracts';
import { containing, pageOf, TenantScope } from '@parley/database';
import { type Call, organizationOf } from '@parley/messaging';
import type { z } from 'zod';
import { In, IsNull } from 'typeorm';
import { Agent } from './agent.entity';
import { publicFieldsOf } from './agent.wire';
import { agentsOfCaller } from './caller';

type Query = z.output<typeof listAgents.request>;
type Found = z.input<typeof findAgents.reply>;
type Page = z.input<typeof listAgents.reply>;

const columns: Record<Query['sortColumn'], string> = {
  CreatedOn: 'agent.created_on',
  UpdatedOn: 'agent.updated_on',
  AgentName: 'lower(agent.name)',
  AgentID: 'agent.id',
};

/** Pages of agents. */
@Injectable()
export class AgentList {
  constructor(private readonly tenants: TenantScope) {}

  page(wanted: Query, call: Call): Promise<Page> {
    const { searchName, sortColumn } = wanted;
    const orgId = organizationOf(call);
    return this.tenants.read(orgId, async (manager) => {
      const query = manager
        .createQueryBuilder(Agent, 'agent')
        .where('agent.org_id = :orgId AND agent.deleted_on IS NULL', { orgId });
      const ids = agentsOfCaller(call);
      if (ids) query.andWhere('agent.id = ANY(:ids)', { ids });
      if (searchName.trim()) query.andWhere('agent.name ILIKE :pattern', { pattern: containing(searchName.trim()) });
      const page = await pageOf(query, wanted, { by: columns[sortColumn] });
      return { ...page, rows: page.rows.map(rowOf) };
    });
  }

  /** Those of these agents that the organization has, whoever of its members asks. */
  known(ids: readonly number[], call: Call): Promise<Found> {
    const orgId = organizationOf(call);
    return this.tenants.read(orgId, async (manager) => {
      const agents = await manager.find(Agent, { select: { id: true }, where: { orgId, id: In([...ids]), deletedOn: IsNull() } });
      return { AgentIDs: agents.map(({ id }) => id) };
    });
  }
}

function rowOf(agent: Agent): Page['rows'][number] {
  return {
    ...publicFieldsOf(agent.definition),
    AgentKeyID: agent.keyId,
    AgentID: agent.id,
    Version: agent.version,
    CreatedOn: agent.createdOn.toISOString(),
    UpdatedOn: agent.updatedOn.toISOString(),
  };
}
