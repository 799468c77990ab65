import { Fault } from '@parley/contracts';
import { type Call, organizationOf } from '@parley/messaging';
import { Column, Entity, type EntityManager, Generated, PrimaryGeneratedColumn } from 'typeorm';
import type { AgentDefinition } from './agent.wire';

/** An agent as it is now. */
@Entity({ name: 'agents' })
export class Agent {
  @PrimaryGeneratedColumn('identity', { generatedIdentity: 'ALWAYS' })
  id: number;

  @Column('uuid')
  @Generated('uuid')
  keyId: string;

  @Column('int')
  orgId: number;

  /** That of the definition, for lists. */
  @Column('text')
  name: string;

  @Column('jsonb')
  definition: AgentDefinition;

  /** Runtime settings as the contract spells them, secrets sealed. Null until somebody saves some. */
  @Column('jsonb', { nullable: true })
  runtime: object | null;

  @Column('int')
  version: number;

  @Column('timestamptz')
  createdOn: Date;

  @Column('timestamptz')
  updatedOn: Date;

  /** A deleted agent stays for the logs. */
  @Column('timestamptz', { nullable: true })
  deletedOn: Date | null;
}

/** The agents that the caller is held to; undefined means every agent of the organization. */
export function agentsOfCaller({ principal }: Call): readonly number[] | undefined {
  return principal?.agentIds ?? (principal?.agentId === undefined ? undefined : [principal.agentId]);
}

/** A caller who is held to certain agents could not see the one that it makes. */
export function requireFreeCaller(call: Call): void {
  if (agentsOfCaller(call))
    throw new Fault('SCOPE_MISSING', { message: 'A member who is restricted to certain agents cannot make new ones.' });
}

interface AgentChoice {
  readonly AgentKeyID?: string | undefined;
  readonly AgentID?: number | undefined;
}

/** An agent that the caller may see. Unknown, deleted, foreign and withheld ones are all NOT_FOUND. */
export async function findAgent(
  manager: EntityManager,
  call: Call,
  { AgentKeyID: keyId, AgentID: id }: AgentChoice,
  { isForUpdate = false } = {},
): Promise<Agent> {
  const where = { orgId: organizationOf(call), ...(keyId !== undefined && { keyId }), ...(id !== undefined && { id }) };
  const agent = await manager.findOne(Agent, { where, ...(isForUpdate && { lock: { mode: 'pessimistic_write' } }) });
  const allowed = agentsOfCaller(call);
  if (!agent || agent.deletedOn || (allowed && !allowed.includes(agent.id)))
    throw new Fault('NOT_FOUND', { message: 'There is no such agent.' });
  return agent;
}
