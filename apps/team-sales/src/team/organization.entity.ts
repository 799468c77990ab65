import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';

/** A workspace: the tenant that every other record belongs to. */
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

  /** The country that numbers without a prefix belong to. */
  @Column('text')
  defaultRegion: string;

  @Column('timestamptz')
  createdOn: Date;
}
