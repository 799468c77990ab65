import { Fault, type saveAgent } from '@parley/contracts';
import { agentsOfCaller, type Call, organizationOf } from '@parley/messaging';
import { Column, Entity, type EntityManager, Generated, PrimaryGeneratedColumn } from 'typeorm';
import type { z } from 'zod';
import type { LookupKind } from '../lookups/lookup-tables';

/** The current state of an agent. */
@Entity({ name: 'agents' })
export class Agent {
  @PrimaryGeneratedColumn('identity', { generatedIdentity: 'ALWAYS' })
  id: number;

  @Column('uuid')
  @Generated('uuid')
  keyId: string;

  @Column('int')
  orgId: number;

  /** Copied from the definition, for lists. */
  @Column('text')
  name: string;

  @Column('jsonb')
  definition: AgentDefinition;

  /** Runtime settings as the contract defines them, with secrets sealed. Null until some are saved. */
  @Column('jsonb', { nullable: true })
  runtime: object | null;

  @Column('int')
  version: number;

  @Column('timestamptz')
  createdOn: Date;

  @Column('timestamptz')
  updatedOn: Date;

  /** A deleted agent is kept for the logs. */
  @Column('timestamptz', { nullable: true })
  deletedOn: Date | null;
}

/** Refuses a caller restricted to certain agents, who could not see the agent it creates. */
export function requireFreeCaller(call: Call): void {
  if (agentsOfCaller(call))
    throw new Fault('SCOPE_MISSING', { message: 'A member who is restricted to certain agents cannot create new ones.' });
}

interface AgentChoice {
  readonly AgentKeyID?: string | undefined;
  readonly AgentID?: number | undefined;
}

/** An agent that the caller may see. Unknown, deleted (unless allowed), foreign and hidden ones are all NOT_FOUND. */
export async function findAgent(
  manager: EntityManager,
  call: Call,
  { AgentKeyID: keyId, AgentID: id }: AgentChoice,
  { isForUpdate = false, mayBeDeleted = false } = {},
): Promise<Agent> {
  const where = { orgId: organizationOf(call), ...(keyId !== undefined && { keyId }), ...(id !== undefined && { id }) };
  const agent = await manager.findOne(Agent, { where, ...(isForUpdate && { lock: { mode: 'pessimistic_write' } }) });
  const allowed = agentsOfCaller(call);
  if (!agent || (agent.deletedOn && !mayBeDeleted) || (allowed && !allowed.includes(agent.id)))
    throw new Fault('NOT_FOUND', { message: 'There is no such agent.' });
  return agent;
}

export type SaveAgentBody = z.output<typeof saveAgent.request>;

/** The part of a definition that clients send and read, under its public names. */
export function publicFieldsOf(definition: AgentDefinition) {
  return {
    TemplateID: definition.templateId,
    AgentName: definition.name,
    AgentDescription: definition.description,
    AgentTypeID: definition.typeId,
    RegionTypeID: definition.regionId,
    TimeZoneID: definition.timeZoneId,
    IndustryTypeID: definition.industryId,
    LanguageID: definition.languageId,
    ToneID: definition.toneId,
    IconID: definition.iconId,
    AdminID: definition.adminId,
    KBID: definition.knowledgeBaseId,
    Greeting: definition.greeting,
  };
}

/** The ids in a definition that must exist in a lookup, with their public field names. */
export function choicesOf(definition: AgentDefinition): { field: string; kind: LookupKind; id: number }[] {
  return [
    { field: 'AgentTypeID', kind: 'agent-type', id: definition.typeId },
    { field: 'RegionTypeID', kind: 'region', id: definition.regionId },
    { field: 'TimeZoneID', kind: 'time-zone', id: definition.timeZoneId },
    { field: 'IndustryTypeID', kind: 'industry', id: definition.industryId },
    { field: 'LanguageID', kind: 'language', id: definition.languageId },
    { field: 'ToneID', kind: 'tone', id: definition.toneId },
    { field: 'IconID', kind: 'icon', id: definition.iconId },
  ];
}

export function identityOf({ keyId, id, version }: Pick<Agent, 'keyId' | 'id' | 'version'>) {
  return { AgentKeyID: keyId, AgentID: id, Version: version };
}

/** What a builder decided about an agent, in this service's own terms. Versions keep all of it. */
export interface AgentDefinition {
  readonly templateId: number;
  readonly name: string;
  readonly description: string;
  readonly typeId: number;
  readonly regionId: number;
  readonly timeZoneId: number;
  readonly industryId: number;
  readonly languageId: number;
  readonly toneId: number;
  readonly iconId: number;
  readonly adminId: number | null;
  /** The template's instructions for the model; part of the composed prompt. */
  readonly instructions: string | null;
  /** Replaces the composed prompt. */
  readonly systemPrompt: string | null;
  readonly greeting: string;
  readonly knowledgeBaseId: number | null;
}
