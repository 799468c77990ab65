import type { saveCatalog } from '@parley/contracts';
import { Column, Entity } from 'typeorm';
import type { z } from 'zod';
import { SourceColumns } from '../database/source-columns';

type Saved = z.output<typeof saveCatalog.request>;
export type ProductDetails = Omit<Saved['products'][number], 'product_id'>;
export type ServiceDetails = Omit<Saved['services'][number], 'service_id'>;

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
