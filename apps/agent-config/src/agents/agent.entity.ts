import { Column, Entity, Generated, PrimaryGeneratedColumn } from 'typeorm';
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
