import type { z } from 'zod';
import type { saveBusinessProfile } from '@parley/contracts';
import { Column, Entity } from 'typeorm';
import { SourceColumns } from '../database/source-columns';

export type BusinessInfo = Omit<z.output<typeof saveBusinessProfile.request>['businessInfo'], 'KBBusinessInfoID'>;

@Entity({ name: 'business_profiles' })
export class BusinessProfileEntity extends SourceColumns {
  @Column('text')
  businessName: string;

  @Column('jsonb')
  info: BusinessInfo;
}
