import { z } from 'zod';
import { defineRequest } from '../messages';
import {
  createdOnExample,
  described,
  examplesOf,
  filledText,
  kbKeyExample,
  listOf,
  paging,
  RecordId,
  RecordIdOrZero,
  requiredWhenNew,
  SearchText,
  text,
  Timestamp,
  updatedOnExample,
  Uuid,
} from '../vocabulary';

const productKey = '3d4f6172-0d2e-4f40-9b6c-8d0e2f4a6b8c';
const serviceKey = '4e506283-1e3f-4051-8a7d-9e1f305b7c9d';
const itemsPerBatchMax = 1000;
const priceMax = 1_000_000_000_000;

const Price = z.number().min(0).max(priceMax);
const notACurrency = 'must be an ISO 4217 code such as INR';
/** Only the form is checked: a stored currency may have been abolished since. */
const Currency = z.string().regex(/^[A-Z]{3}$/, notACurrency);
const currencies = new Set(Intl.supportedValuesOf('currency'));
const CurrencyOfToday = Currency.refine((code) => currencies.has(code), notACurrency);
const ItemId = RecordIdOrZero.nullish();
const unitSizeMax = 1_000_000;
/** What a price is for: a box of 100, a night, a square foot. */
const unitFields = { unit: text(60).default(''), unit_size: z.int().min(1).max(unitSizeMax).default(1) };
const SentUnit = { unit: text(60).nullish(), unit_size: z.int().min(1).max(unitSizeMax).nullish() };

const productFields = {
  product_name: filledText(200),
  product_description: text(4000).default(''),
  category: text(100).default(''),
  price: Price,
  currency: Currency,
  availability: z.boolean().default(true),
  sku: text(64).default(''),
  warranty: z.number().min(0).max(1200).default(0),
  ...unitFields,
};
const serviceFields = {
  service_name: filledText(200),
  service_description: text(4000).default(''),
  service_duration: z.number().min(0).max(525_600).default(0),
  service_price: Price.nullable().default(null),
  service_price_range: text(100).default(''),
  currency: Currency.nullable().default(null),
  booking_required: z.boolean().default(false),
  service_area: z.array(filledText(200)).max(100).default([]),
  ...unitFields,
};
const product = {
  product_name: 'Steel kettle',
  product_description: '1.5 litres',
  category: 'Kitchen',
  price: 1499,
  currency: 'INR',
  availability: true,
  sku: 'KT-15',
  warranty: 12,
  unit: '',
  unit_size: 1,
};
const service = {
  service_name: 'Installation',
  service_description: 'At home',
  service_duration: 45,
  service_price: 499,
  service_price_range: '₹499–₹799',
  currency: 'INR',
  booking_required: true,
  service_area: ['Pune', 'Mumbai'],
  unit: 'visit',
  unit_size: 1,
};

interface PricedService {
  readonly service_price?: number | null | undefined;
  readonly service_price_range?: string | null | undefined;
  readonly currency?: string | null | undefined;
}

/** A service has a price in a currency, or a description of its cost, or both. */
function priceIsSaid(service: PricedService, context: z.core.$RefinementCtx): void {
  const { service_price: price, service_price_range: range, currency } = service;
  const missing = (field: string) => context.addIssue({ code: 'custom', path: [field], message: 'is required', input: service });
  if ((price ?? null) === null && !range) missing('service_price');
  if ((price ?? null) !== null && !currency) missing('currency');
}

/** The stored fields of a product and of a service. */
export const ProductFields = z.object(productFields);
export const ServiceFields = z.object(serviceFields).superRefine(priceIsSaid);

/** A product as sent by an import. */
export const SentProduct = z.object({
  product_name: productFields.product_name,
  product_description: text(4000).nullish(),
  category: text(100).nullish(),
  price: Price,
  currency: CurrencyOfToday,
  availability: z.boolean().nullish(),
  sku: text(64).nullish(),
  warranty: z.number().min(0).max(1200).nullish(),
  ...SentUnit,
});

const sentService = {
  service_name: serviceFields.service_name,
  service_description: text(4000).nullish(),
  service_duration: z.number().min(0).max(525_600).nullish(),
  service_price: Price.nullish(),
  service_price_range: text(100).nullish(),
  currency: CurrencyOfToday.nullish(),
  booking_required: z.boolean().nullish(),
  service_area: z.array(filledText(200)).max(100).nullish(),
  ...SentUnit,
};

/** A service as sent by an import. */
export const SentService = z.object(sentService).superRefine(priceIsSaid);

const ofProduct = { product_name: true, price: true, currency: true } as const;

const ProductToSave = z
  .object({ product_id: ItemId, ...SentProduct.partial(ofProduct).shape })
  .superRefine(requiredWhenNew('product_id', Object.keys(ofProduct)));
const ServiceToSave = z
  .object({ service_id: ItemId, ...sentService, service_name: sentService.service_name.optional() })
  .superRefine(requiredWhenNew('service_id', ['service_name']))
  .superRefine((service, context) => {
    if (!service.service_id) priceIsSaid(service, context);
  });

export const saveCatalog = defineRequest({
  subject: 'knowledge-ingest.catalog.save',
  timeoutMs: 30_000,
  request: described(
    'SaveCatalogRequest',
    'Products and services to add (id null or 0), or changes to existing ones. Either all are saved, or none. A new product needs ' +
      '`product_name`, `price` and `currency`; a new service `service_name`, and `service_price` with `currency`, or `service_price_range`.',
    z.object({
      KBID: RecordId,
      products: z.array(ProductToSave).max(itemsPerBatchMax).default([]),
      services: z.array(ServiceToSave).max(itemsPerBatchMax).default([]),
    }),
    { KBID: 4, products: [{ product_id: null, ...product }], services: [{ service_id: null, ...service }] },
    { KBID: 4, products: [{ product_id: 6, price: 1399, warranty: null }] },
  ),
  reply: described(
    'SavedCatalog',
    'The ids of what was saved, in the order it was sent.',
    z.object({
      KBKeyID: Uuid,
      KBID: z.int(),
      products: z.array(z.object({ CatalogItemKeyID: Uuid, product_id: z.int() })),
      services: z.array(z.object({ CatalogItemKeyID: Uuid, service_id: z.int() })),
    }),
    { KBKeyID: kbKeyExample, KBID: 4, products: [{ CatalogItemKeyID: productKey, product_id: 6 }], services: [] },
  ),
});

const itemFields = {
  CatalogItemKeyID: Uuid,
  CatalogItemID: z.int(),
  KBKeyID: Uuid,
  KBID: z.int(),
  CreatedOn: Timestamp,
  UpdatedOn: Timestamp,
};

const itemExample = {
  KBKeyID: kbKeyExample,
  KBID: 4,
  CreatedOn: createdOnExample,
  UpdatedOn: updatedOnExample,
};
const productExample = {
  kind: 'PRODUCT' as const,
  CatalogItemKeyID: productKey,
  CatalogItemID: 6,
  product_id: 6,
  ...itemExample,
  ...product,
};

/** A product or a service of a knowledge base. */
export const CatalogItem = described(
  'CatalogItem',
  'A product or a service.',
  z.discriminatedUnion('kind', [
    described(
      'CatalogProduct',
      'A product.',
      z.object({ kind: z.literal('PRODUCT'), ...itemFields, product_id: z.int(), ...productFields }),
      productExample,
    ),
    described(
      'CatalogService',
      'A service.',
      z.object({ kind: z.literal('SERVICE'), ...itemFields, service_id: z.int(), ...serviceFields }),
      { kind: 'SERVICE', CatalogItemKeyID: serviceKey, CatalogItemID: 7, service_id: 7, ...itemExample, ...service },
    ),
  ]),
  productExample,
);

export const listCatalog = defineRequest({
  subject: 'knowledge-ingest.catalog.list',
  request: described(
    'CatalogListQuery',
    'Which products and services of a knowledge base.',
    z.object({
      KBID: RecordId,
      kind: z.enum(['ALL', 'PRODUCT', 'SERVICE']).default('ALL'),
      searchName: SearchText,
      ...paging(['CreatedOn', 'UpdatedOn', 'name', 'price']),
    }),
    { KBID: 4, kind: 'ALL', searchName: 'kettle', pageNo: 1, pageSize: 20 },
  ),
  reply: listOf('CatalogPage', CatalogItem),
});

const ItemChoice = described('CatalogItemChoice', 'One item.', z.object({ CatalogItemKeyID: Uuid }), {
  CatalogItemKeyID: productKey,
});

export const getCatalogItem = defineRequest({ subject: 'knowledge-ingest.catalog.get', request: ItemChoice, reply: CatalogItem });

export const deleteCatalogItem = defineRequest({
  subject: 'knowledge-ingest.catalog.delete',
  request: ItemChoice,
  reply: described('DeletedCatalogItem', 'The deleted record.', z.object({ CatalogItemKeyID: Uuid, CatalogItemID: z.int() }), {
    CatalogItemKeyID: productKey,
    CatalogItemID: 6,
  }),
});

const StoredItem = z.object({ product_id: ItemId.optional(), service_id: ItemId.optional() });

/** For the audit log: the stored items that a save would change. */
export const readCatalogItems = defineRequest({
  subject: 'knowledge-ingest.catalog.read',
  request: described(
    'ReadCatalogItemsRequest',
    'Products and services of a knowledge base by their ids; null and 0 stand for none.',
    z.object({
      KBID: RecordId,
      products: z.array(StoredItem).max(itemsPerBatchMax).default([]),
      services: z.array(StoredItem).max(itemsPerBatchMax).default([]),
    }),
    { KBID: 4, products: [{ product_id: 6 }] },
  ),
  reply: described(
    'StoredCatalogItems',
    'Those that exist.',
    z.object({ products: z.array(CatalogItem), services: z.array(CatalogItem) }),
    { products: examplesOf(CatalogItem).map((item) => CatalogItem.parse(item)), services: [] },
  ),
});
