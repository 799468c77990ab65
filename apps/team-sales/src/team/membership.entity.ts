import type { Permissions } from '@parley/contracts';
import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';

/** A person's place in an organization: first invited, a member once accepted, and kept for the record when revoked. */
@Entity({ name: 'memberships' })
export class Membership {
  @PrimaryGeneratedColumn('identity', { generatedIdentity: 'ALWAYS' })
  id: number;

  @Column('int')
  orgId: number;

  @Column('uuid', { default: () => 'gen_random_uuid()' })
  inviteKeyId: string;

  @Column('text')
  email: string;

  /** The address as searches compare it. */
  @Column('text')
  search: string;

  /** Expiry is not written: a PENDING row past `expiresAt` is EXPIRED in the API. */
  @Column('text')
  status: 'PENDING' | 'ACCEPTED' | 'REVOKED';

  @Column('int')
  roleTypeId: number;

  @Column('text')
  userType: 'Web' | 'Mobile App';

  @Column('text')
  agentAccessScope: 'ALL' | 'RESTRICTED';

  @Column('int', { array: true })
  agentIds: number[];

  /** Overrides the role's defaults, area by area. */
  @Column('jsonb')
  permissions: Permissions;

  @Column('text')
  invitedBy: string;

  /**
   * Whether accepting proves the address: its token was sent there by mail, and nobody here could read it. If mails are held for
   * the organization to pass on, anybody's address can be invited and accepted, which proves nothing to other organizations.
   */
  @Column('boolean', { default: false })
  provesAddress: boolean;

  @Column('bytea', { nullable: true })
  tokenHash: Buffer | null;

  @Column('timestamptz')
  expiresAt: Date;

  @Column('timestamptz', { nullable: true })
  acceptedOn: Date | null;

  @Column('uuid', { nullable: true })
  memberKeyId: string | null;

  @Column('int', { nullable: true })
  userId: number | null;

  @Column('text', { nullable: true })
  imei: string | null;

  @Column('timestamptz', { nullable: true })
  imeiBoundOn: Date | null;

  @Column('timestamptz', { default: () => 'now()' })
  createdOn: Date;
}

/** A person, identified by e-mail address across organizations. */
@Entity({ name: 'users' })
export class User {
  @PrimaryGeneratedColumn('identity', { generatedIdentity: 'ALWAYS' })
  id: number;

  @Column('text')
  email: string;

  @Column('text')
  name: string;
}

/** An organization: the tenant that every other record belongs to. */
@Entity({ name: 'organizations' })
export class Organization {
  @PrimaryGeneratedColumn('identity', { generatedIdentity: 'ALWAYS' })
  orgId: number;

  @Column('uuid')
  keyId: string;

  @Column('text')
  name: string;

  @Column('text')
  timezone: string;

  /** The country of numbers without a prefix. */
  @Column('text')
  defaultRegion: string;

  @Column('timestamptz')
  createdOn: Date;
}
