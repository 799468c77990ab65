import type { z } from 'zod';
import type { BusinessInfoFields } from '@parley/contracts';
import { Column, Entity } from 'typeorm';
import { SourceColumns } from '../database/source-columns';

export type BusinessInfo = z.output<typeof BusinessInfoFields>;

@Entity({ name: 'business_profiles' })
export class BusinessProfileEntity extends SourceColumns {
  @Column('text')
  businessName: string;

  @Column('jsonb')
  info: BusinessInfo;
}
