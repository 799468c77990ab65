import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';

/** A customer. The number names it: an organization has each number once. */
@Entity({ name: 'contacts' })
export class Contact {
  @PrimaryGeneratedColumn('identity', { generatedIdentity: 'ALWAYS' })
  id: number;

  @Column('int')
  orgId: number;

  @Column('uuid', { default: () => 'gen_random_uuid()' })
  keyId: string;

  @Column('text')
  name: string;

  /** E.164. */
  @Column('text')
  number: string;

  @Column('text')
  email: string;

  @Column('text')
  city: string;

  @Column('text')
  state: string;

  @Column('text')
  country: string;

  @Column('text')
  search: string;

  @Column('timestamptz', { default: () => 'now()' })
  createdOn: Date;

  @Column('timestamptz', { default: () => 'now()' })
  updatedOn: Date;
}
