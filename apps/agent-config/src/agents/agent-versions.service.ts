import { Controller, Injectable } from '@nestjs/common';
import {
  type Agent as AgentRecord,
  AgentTool,
  diffAgentVersions,
  Fault,
  getAgentVersion,
  listAgentVersions,
  restoreAgentVersion,
} from '@parley/contracts';
import { pageOf, TenantScope } from '@parley/database';
import { type Call, type HandlerOf, Handles, organizationOf } from '@parley/messaging';
import type { EntityManager } from 'typeorm';
import { z } from 'zod';
import { AgentHistory, AgentVersion, changesBetween, type FieldChange, publicStateOf } from '../definition/agent-history';
import { type Agent, findAgent, identityOf } from '../definition/agent.entity';
import { linkedTo } from '../definition/knowledge-bases';
import { masked, shownTo } from '../definition/runtime-secrets';
import { AgentPrompts } from '../definition/agent-prompts';
import { AgentReader } from './agent-reader';

/** The fields of a configuration with parts that not every reader may see. */
const Guarded = z.object({ Tools: z.array(AgentTool), WebhookURL: z.string().nullable() }).partial();

type ListQuery = z.output<typeof listAgentVersions.request>;
type Pair = z.output<typeof diffAgentVersions.request>;
type RestoreChoice = z.output<typeof restoreAgentVersion.request>;

/** Past versions of an agent, and restoring one. */
@Injectable()
export class AgentVersions {
  constructor(
    private readonly tenants: TenantScope,
    private readonly reader: AgentReader,
    private readonly prompts: AgentPrompts,
    private readonly history: AgentHistory,
  ) {}

  list(query: ListQuery, call: Call): Promise<z.input<typeof listAgentVersions.reply>> {
    return this.tenants.read(organizationOf(call), async (manager) => {
      const { id } = await findAgent(manager, call, { AgentKeyID: query.AgentKeyID });
      const versions = manager.createQueryBuilder(AgentVersion, 'version').where('version.agentId = :id', { id });
      // Versions are numbered in order of creation, so both columns sort alike.
      const page = await pageOf(versions, query, { by: 'version.version' });
      return { ...page, rows: page.rows.map(rowOf) };
    });
  }

  get(choice: { AgentKeyID: string; Version: number }, call: Call): Promise<z.input<typeof AgentRecord>> {
    return this.tenants.read(organizationOf(call), async (manager) => {
      const agent = await findAgent(manager, call, choice);
      const earlier = agentAsOf(agent, await findVersion(manager, agent, choice.Version));
      return this.reader.record(earlier, await linkedTo(manager, earlier), call);
    });
  }

  diff({ AgentKeyID, fromVersion, toVersion }: Pair, call: Call): Promise<z.input<typeof diffAgentVersions.reply>> {
    return this.tenants.read(organizationOf(call), async (manager) => {
      const agent = await findAgent(manager, call, { AgentKeyID });
      const [from, to] = [await findVersion(manager, agent, fromVersion), await findVersion(manager, agent, toVersion)];
      const changes = changesBetween(from, to, publicStateOf(this.prompts));
      return {
        AgentKeyID,
        AgentID: agent.id,
        fromVersion,
        toVersion,
        changes: changes.map((change) => withoutSecrets(change, call)),
      };
    });
  }

  restore({ AgentKeyID, Version }: RestoreChoice, call: Call): Promise<z.input<typeof restoreAgentVersion.reply>> {
    return this.tenants.run(organizationOf(call), async (manager) => {
      const stored = await findAgent(manager, call, { AgentKeyID }, { isForUpdate: true });
      const { definition, runtime } = await findVersion(manager, stored, Version);
      // A knowledge base that was deleted since is not restored with the version.
      const base = await linkedTo(manager, { ...stored, definition });
      const state = { definition: { ...definition, knowledgeBaseId: base?.id ?? null }, runtime };
      return identityOf(await this.history.keep(manager, call, { stored, state, restoredFrom: Version }));
    });
  }
}

async function findVersion(manager: EntityManager, { id: agentId }: Agent, version: number): Promise<AgentVersion> {
  const found = await manager.findOneBy(AgentVersion, { agentId, version });
  if (!found) throw new Fault('NOT_FOUND', { message: `The agent has no version ${version}.` });
  return found;
}

function agentAsOf(agent: Agent, { definition, runtime, version, createdOn }: AgentVersion): Agent {
  return { ...agent, definition, runtime, version, updatedOn: createdOn };
}

function rowOf(version: AgentVersion): z.input<typeof listAgentVersions.reply>['rows'][number] {
  return {
    AgentVersionKeyID: version.keyId,
    AgentVersionID: version.id,
    Version: version.version,
    savedBy: version.savedBy,
    changedFields: version.changedFields,
    restoredFrom: version.restoredFrom,
    CreatedOn: version.createdOn.toISOString(),
  };
}

/** A change as clients read it: shows that a tool's secret changed, but not the secret. */
function withoutSecrets({ field, before, after }: FieldChange, call: Call): FieldChange {
  if (field !== 'Tools' && field !== 'WebhookURL') return { field, before, after };
  const shown = (value: unknown): unknown => {
    const settings = Guarded.parse({ [field]: value });
    return shownTo(call, { ...settings, ...(settings.Tools && { Tools: masked(settings.Tools) }) })[field];
  };
  return { field, before: shown(before), after: shown(after) };
}

type ListAgentVersionsHandler = HandlerOf<typeof listAgentVersions>;
type GetAgentVersionHandler = HandlerOf<typeof getAgentVersion>;
type Diff = HandlerOf<typeof diffAgentVersions>;
type Restore = HandlerOf<typeof restoreAgentVersion>;

/** Versions of agents over the bus. */
@Controller()
export class AgentVersionsController {
  constructor(private readonly versions: AgentVersions) {}

  @Handles(listAgentVersions)
  list(query: Parameters<ListAgentVersionsHandler>[0], call: Call): ReturnType<ListAgentVersionsHandler> {
    return this.versions.list(query, call);
  }

  @Handles(getAgentVersion)
  get(choice: Parameters<GetAgentVersionHandler>[0], call: Call): ReturnType<GetAgentVersionHandler> {
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
