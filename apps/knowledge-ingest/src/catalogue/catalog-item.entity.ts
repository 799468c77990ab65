import type { ProductFields, ServiceFields } from '@parley/contracts';
import { Column, Entity } from 'typeorm';
import type { z } from 'zod';
import { SourceColumns } from '../database/source-columns';

export type ProductDetails = z.output<typeof ProductFields>;
export type ServiceDetails = z.output<typeof ServiceFields>;

@Entity({ name: 'catalog_items' })
export class CatalogItemEntity extends SourceColumns {
  @Column('text')
  kind: 'PRODUCT' | 'SERVICE';

  @Column('text')
  name: string;

  /** Only for sorting; the details say it with its currency. */
  @Column('numeric')
  price: string;

  @Column('jsonb')
  details: ProductDetails | ServiceDetails;
}
