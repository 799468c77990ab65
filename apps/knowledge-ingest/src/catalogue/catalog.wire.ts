import type { CatalogItem, saveCatalog } from '@parley/contracts';
import type { z } from 'zod';
import type { CatalogItemEntity, ProductDetails, ServiceDetails } from './catalog-item.entity';

/** An item as it was sent: id 0 for a new one. */
export interface Draft {
  readonly id: number;
  readonly kind: 'PRODUCT' | 'SERVICE';
  readonly name: string;
  readonly price: number;
  readonly details: ProductDetails | ServiceDetails;
}

export function draftsOf({ products, services }: z.output<typeof saveCatalog.request>): Draft[] {
  return [
    ...products.map(({ product_id, ...details }) => ({
      ...{ id: product_id ?? 0, kind: 'PRODUCT' as const, name: details.product_name, price: details.price, details },
    })),
    ...services.map(({ service_id, ...details }) => ({
      ...{ id: service_id ?? 0, kind: 'SERVICE' as const, name: details.service_name, price: details.service_price, details },
    })),
  ];
}

export function savedOf(KBID: number, items: readonly CatalogItemEntity[]): z.input<typeof saveCatalog.reply> {
  const of = (kind: string) => items.filter((item) => item.kind === kind);
  return {
    KBID,
    products: of('PRODUCT').map(({ id, key }) => ({ CatalogItemKeyID: key, product_id: id })),
    services: of('SERVICE').map(({ id, key }) => ({ CatalogItemKeyID: key, service_id: id })),
  };
}

export function wireOf(item: CatalogItemEntity): z.input<typeof CatalogItem> {
  const fields = {
    CatalogItemKeyID: item.key,
    CatalogItemID: item.id,
    KBID: item.knowledgeBaseId,
    CreatedOn: item.createdOn.toISOString(),
    UpdatedOn: item.updatedOn.toISOString(),
  };
  return 'product_name' in item.details
    ? { kind: 'PRODUCT', ...fields, product_id: item.id, ...item.details }
    : { kind: 'SERVICE', ...fields, service_id: item.id, ...item.details };
}
