import { Column, Entity, Generated, JoinColumn, ManyToOne, PrimaryGeneratedColumn } from 'typeorm';

/** An organization's account with a carrier. */
@Entity({ name: 'carrier_accounts' })
export class CarrierAccount {
  @PrimaryGeneratedColumn('identity', { generatedIdentity: 'ALWAYS' })
  id: number;

  @Column('uuid')
  @Generated('uuid')
  keyId: string;

  @Column('int')
  orgId: number;

  @Column('text')
  carrier: string;

  @Column('text')
  name: string;

  /** Its credentials as JSON, sealed. */
  @Column('text')
  sealed: string;

  /** The country of its numbers that do not imply one, such as extensions. */
  @Column('text', { nullable: true })
  country: string | null;

  @Column('text', { array: true })
  fieldNames: string[];

  @Column('timestamptz', { nullable: true })
  lastTestedOn: Date | null;

  @Column('boolean', { nullable: true })
  isWorking: boolean | null;

  @Column('timestamptz', { default: () => 'now()' })
  createdOn: Date;

  @Column('timestamptz', { default: () => 'now()' })
  updatedOn: Date;

  @Column('timestamptz', { nullable: true })
  deletedOn: Date | null;
}

/** A number and the agent that answers it. */
@Entity({ name: 'numbers' })
export class PhoneNumber {
  @PrimaryGeneratedColumn('identity', { generatedIdentity: 'ALWAYS' })
  id: number;

  @Column('uuid')
  @Generated('uuid')
  keyId: string;

  @Column('int')
  orgId: number;

  @Column('int')
  accountId: number;

  @ManyToOne(() => CarrierAccount)
  @JoinColumn({ name: 'account_id' })
  account: CarrierAccount;

  @Column('text')
  number: string;

  @Column('text')
  label: string;

  @Column('int')
  agentId: number;

  @Column('uuid')
  agentKey: string;

  @Column('boolean')
  isDefault: boolean;

  @Column('timestamptz', { default: () => 'now()' })
  createdOn: Date;

  @Column('timestamptz', { default: () => 'now()' })
  updatedOn: Date;
}
