import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A contact in the care of a representative. */
@Entity({ name: 'contact_mappings' })
export class ContactMapping {
  @PrimaryColumn('int')
  representativeId: number;

  @PrimaryColumn('int')
  contactId: number;

  @Column('int')
  orgId: number;
}
