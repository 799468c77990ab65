import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { Labels, LookupKind } from './seed/seed-entry';

/** One choice of one table. The same on every installation, so it has no tenant. */
@Entity({ name: 'lookups' })
export class Lookup {
  @PrimaryColumn('text')
  kind: LookupKind;

  @PrimaryColumn('int')
  id: number;

  @Column('uuid')
  keyId: string;

  @Column('text')
  name: string;

  @Column('jsonb', { nullable: true })
  labels: Labels | null;

  @Column('jsonb')
  details: unknown;
}
