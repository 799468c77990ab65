import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';

/** A chat widget that pages of its allowed origins may embed. */
@Entity({ name: 'widgets' })
export class WidgetRow {
  @PrimaryGeneratedColumn('identity', { generatedIdentity: 'ALWAYS' })
  id: number;

  @Column('int')
  orgId: number;

  @Column('uuid', { default: () => 'gen_random_uuid()' })
  keyId: string;

  @Column('text')
  publicId: string;

  @Column('text')
  name: string;

  @Column('uuid')
  agentKeyId: string;

  @Column('int')
  agentId: number;

  @Column('text', { array: true })
  allowedOrigins: string[];

  @Column('boolean')
  isActive: boolean;

  /** The names that visitors may give values to. */
  @Column('text', { array: true, default: () => "'{}'" })
  variables: string[];

  @Column('int', { default: 200_000 })
  dailyCredits: number;

  @Column('timestamptz', { default: () => 'now()' })
  createdOn: Date;

  @Column('timestamptz', { default: () => 'now()' })
  updatedOn: Date;
}
