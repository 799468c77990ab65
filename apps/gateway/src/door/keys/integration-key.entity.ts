import type { KeyKind } from '@parley/contracts';
import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';

/** An API key as Postgres keeps it: everything but the secret. */
@Entity({ name: 'integration_keys' })
export class IntegrationKeyRow {
  @PrimaryGeneratedColumn('identity', { generatedIdentity: 'ALWAYS' })
  id: number;

  @Column('int')
  orgId: number;

  @Column('uuid', { default: () => 'gen_random_uuid()' })
  keyId: string;

  @Column('text')
  name: string;

  @Column('text')
  kind: KeyKind;

  @Column('bytea')
  hash: Buffer;

  @Column('text')
  lastFour: string;

  @Column('uuid', { nullable: true })
  agentKeyId: string | null;

  @Column('int', { nullable: true })
  agentId: number | null;

  @Column('uuid', { nullable: true })
  memberId: string | null;

  @Column('text', { array: true })
  allowedIps: string[];

  @Column('timestamptz', { nullable: true })
  expiresAt: Date | null;

  @Column('timestamptz', { nullable: true })
  rotatedOn: Date | null;

  @Column('timestamptz', { nullable: true })
  revokedOn: Date | null;

  @Column('timestamptz', { nullable: true })
  lastUsedOn: Date | null;

  @Column('timestamptz', { default: () => 'now()' })
  createdOn: Date;
}
