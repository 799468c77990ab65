import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A sealed text of an organization. Everything else holds its id. */
@Entity({ name: 'secrets' })
export class Secret {
  @PrimaryColumn('uuid')
  id: string;

  @Column('int')
  orgId: number;

  @Column('text')
  sealed: string;
}
