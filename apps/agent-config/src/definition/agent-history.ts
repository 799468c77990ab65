import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { agentChanged, Fault } from '@parley/contracts';
import { Outbox } from '@parley/database';
import { type Call, organizationOf } from '@parley/messaging';
import { Column, Entity, type EntityManager, Generated, LessThanOrEqual, PrimaryGeneratedColumn } from 'typeorm';
import { AgentPrompts } from './agent-prompts';
import { effectiveRuntime } from './runtime-secrets';
import { Agent, type AgentDefinition, identityOf, publicFieldsOf } from './agent.entity';

/** The state that a save writes; a version keeps exactly this. */
type AgentState = Pick<Agent, 'definition' | 'runtime'>;

export interface FieldChange {
  readonly field: string;
  readonly before: unknown;
  readonly after: unknown;
}

/** Older versions are deleted, so that a client that saves in a loop cannot fill the disk. */
const versionsKept = 1000;

interface AgentSave {
  /** The stored agent, locked; null for a new one. */
  readonly stored: Agent | null;
  readonly state: AgentState;
  readonly restoredFrom?: number;
}

/** Every change of an agent goes through here: agent, new version and event are written together. */
@Injectable()
export class AgentHistory {
  constructor(
    private readonly outbox: Outbox,
    private readonly prompts: AgentPrompts,
  ) {}

  async keep(manager: EntityManager, call: Call, { stored, state, restoredFrom }: AgentSave): Promise<Agent> {
    const orgId = organizationOf(call);
    const agent = stored ? await revise(manager, stored, state) : await create(manager, orgId, state);
    const changes = stored ? changesBetween(stored, state, publicStateOf(this.prompts)) : [];
    await manager.insert(AgentVersion, {
      orgId,
      agentId: agent.id,
      version: agent.version,
      definition: agent.definition,
      runtime: agent.runtime,
      changedFields: changes.map(({ field }) => field),
      restoredFrom: restoredFrom ?? null,
      savedBy: call.principal?.memberId ?? null,
      createdOn: agent.updatedOn,
    });
    await manager.delete(AgentVersion, { agentId: agent.id, version: LessThanOrEqual(agent.version - versionsKept) });
    await this.outbox.add(manager, agentChanged, { orgId, payload: identityOf(agent) });
    return agent;
  }
}

/** Refuses a save based on another version than the current one. */
export function requireVersion(agent: Agent, seen: number | undefined): void {
  if (seen === undefined || seen === agent.version) return;
  const message = `The agent is at version ${agent.version} now; version ${seen} was changed in the meantime.`;
  throw new Fault('CONFLICT', { message, details: [{ field: 'Version', message: `Version is now ${agent.version}` }] });
}

async function revise(manager: EntityManager, stored: Agent, { definition, runtime }: AgentState): Promise<Agent> {
  const change = { name: definition.name, definition, runtime, version: stored.version + 1, updatedOn: new Date() };
  await manager.update(Agent, { id: stored.id }, change);
  return { ...stored, ...change };
}

async function create(manager: EntityManager, orgId: number, { definition, runtime }: AgentState): Promise<Agent> {
  const now = new Date();
  const agent = manager.create(Agent, {
    orgId,
    keyId: randomUUID(),
    name: definition.name,
    definition,
    runtime,
    version: 1,
    createdOn: now,
    updatedOn: now,
    deletedOn: null,
  });
  await manager.insert(Agent, agent);
  return agent;
}

/** The differences between two states of an agent, under the public field names. */
export function changesBetween(
  before: AgentState,
  after: AgentState,
  describe: (state: AgentState) => Record<string, unknown>,
): FieldChange[] {
  const [old, young] = [describe(before), describe(after)];
  return Object.keys(young)
    .filter((field) => !isDeepStrictEqual(old[field], young[field]))
    .map((field) => ({ field, before: old[field] ?? null, after: young[field] ?? null }));
}

/** A state as clients read it. */
export function publicStateOf(prompts: AgentPrompts): (state: AgentState) => Record<string, unknown> {
  return ({ definition, runtime }) => {
    const { AgentID: _, ...settings } = effectiveRuntime({ id: 1, runtime });
    return { ...publicFieldsOf(definition), SystemPrompt: prompts.promptOf(definition), ...settings };
  };
}

/** An agent as one save left it. */
@Entity({ name: 'agent_versions' })
export class AgentVersion {
  @PrimaryGeneratedColumn('identity', { generatedIdentity: 'ALWAYS' })
  id: number;

  @Column('uuid')
  @Generated('uuid')
  keyId: string;

  @Column('int')
  orgId: number;

  @Column('int')
  agentId: number;

  @Column('int')
  version: number;

  @Column('jsonb')
  definition: AgentDefinition;

  @Column('jsonb', { nullable: true })
  runtime: object | null;

  /** Public names of the fields that this save changed; empty for the first version. */
  @Column('text', { array: true })
  changedFields: string[];

  @Column('int', { nullable: true })
  restoredFrom: number | null;

  /** The member who saved it. */
  @Column('text', { nullable: true })
  savedBy: string | null;

  @Column('timestamptz')
  createdOn: Date;
}
