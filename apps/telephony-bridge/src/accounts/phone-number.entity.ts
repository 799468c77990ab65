import { Column, Entity, Generated, JoinColumn, ManyToOne, PrimaryGeneratedColumn } from 'typeorm';
import { CarrierAccount } from './carrier-account.entity';

/** A called number and the agent who answers it. */
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
