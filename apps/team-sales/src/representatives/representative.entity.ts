import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';

/** Somebody who calls customers with the mobile app: invited, at work, or gone and still remembered. */
@Entity({ name: 'representatives' })
export class Representative {
  @PrimaryGeneratedColumn('identity', { generatedIdentity: 'ALWAYS' })
  id: number;

  @Column('int')
  orgId: number;

  @Column('uuid')
  keyId: string;

  @Column('int')
  membershipId: number;

  @Column('text')
  email: string;

  @Column('text')
  name: string;

  @Column('text')
  search: string;

  @Column('text')
  status: 'INVITED' | 'ACTIVE' | 'INACTIVE';

  @Column('timestamptz', { nullable: true })
  lastSeenOn: Date | null;

  @Column('timestamptz', { default: () => 'now()' })
  createdOn: Date;
}
