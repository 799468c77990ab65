import { Column, Entity, Generated, PrimaryGeneratedColumn } from 'typeorm';
import type { AgentDefinition } from '../agents/agent.wire';

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

  /** Public names of what this save changed; empty for the first. */
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
