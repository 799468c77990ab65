import { Column, Entity, Generated, PrimaryGeneratedColumn } from 'typeorm';

/** A number that is not called, in E.164. */
@Entity({ name: 'do_not_call' })
export class DoNotCallNumber {
  @PrimaryGeneratedColumn('identity', { generatedIdentity: 'ALWAYS' })
  id: number;

  @Column('uuid')
  @Generated('uuid')
  keyId: string;

  @Column('int')
  orgId: number;

  @Column('text')
  number: string;

  @Column('text')
  reason: string;

  @Column('timestamptz', { default: () => 'now()' })
  createdOn: Date;
}
