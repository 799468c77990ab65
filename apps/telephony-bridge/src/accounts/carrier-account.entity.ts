import { Column, Entity, Generated, PrimaryGeneratedColumn } from 'typeorm';

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
