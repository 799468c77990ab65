import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';

/** What a representative is to reach within a span of days. */
@Entity({ name: 'sales_targets' })
export class SalesTarget {
  @PrimaryGeneratedColumn('identity', { generatedIdentity: 'ALWAYS' })
  id: number;

  @Column('int')
  orgId: number;

  @Column('uuid')
  keyId: string;

  @Column('int')
  representativeId: number;

  @Column('text')
  metric: 'CALLS' | 'CONNECTED_CALLS' | 'TALK_SECONDS' | 'CONVERSIONS';

  @Column('int')
  target: number;

  @Column('date')
  startDate: string;

  @Column('date')
  endDate: string;
}
