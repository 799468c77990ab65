import { isDeepStrictEqual } from 'node:util';
import { Controller, Injectable } from '@nestjs/common';
import {
  afterSave,
  type CatalogItem,
  deleteCatalogItem,
  Fault,
  getCatalogItem,
  listCatalog,
  notThere,
  ProductFields,
  readCatalogItems,
  saveCatalog,
  ServiceFields,
} from '@parley/contracts';
import { containing, inParts, type Page, pageOf, TenantScope } from '@parley/database';
import { normalizedQuestion } from '@parley/language';
import { type Call, Handles, organizationOf } from '@parley/messaging';
import { type EntityManager, In, IsNull } from 'typeorm';
import type { z } from 'zod';
import { CatalogItemEntity, type KnowledgeBaseEntity } from '../database/entities';
import {
  baseOf,
  everyRight,
  keyOfBase,
  KnowledgeChange,
  rightMissingFor,
  type SaveOutcome,
  type SaveRights,
} from '../knowledge-bases/knowledge-change';

/** An item as it was sent; id 0 means a new one. */
interface Draft {
  readonly id: number;
  readonly kind: 'PRODUCT' | 'SERVICE';
  readonly name: string | undefined;
  readonly sent: object;
}

interface BatchOptions {
  /** Whether items that are there are known by their names, since none has an id. */
  readonly areNamed: boolean;
  readonly rights: SaveRights;
}

type PublicItem = z.input<typeof CatalogItem>;

interface Saved {
  readonly reply: z.input<typeof saveCatalog.reply>;
  /** In the order in which the items were sent, products first; for an item that the caller may not save, what saving it would do. */
  readonly outcomes: readonly SaveOutcome[];
}

const sortable = { CreatedOn: 'createdOn', UpdatedOn: 'updatedOn', name: 'name', price: 'price' } as const;

/** The products and services of a knowledge base. */
@Injectable()
export class CatalogService {
  constructor(
    private readonly tenants: TenantScope,
    private readonly change: KnowledgeChange,
  ) {}

  /** Saves what the caller may save of the batch, or nothing. An unchanged item that is already indexed causes no work. */
  save(
    orgId: number,
    body: z.output<typeof saveCatalog.request>,
    { areNamed, rights }: BatchOptions = { areNamed: false, rights: everyRight },
  ): Promise<Saved> {
    return this.change.make({ orgId, knowledgeBaseId: body.KBID, source: 'CATALOG' }, async (manager, base) => {
      // Names are looked up here, where nobody else can change the knowledge base.
      const drafts = areNamed ? await withIdsByName(manager, body.KBID, draftsOf(body)) : draftsOf(body);
      const known = await knownItems(manager, body.KBID, drafts);
      const items = drafts.map((draft) => {
        const item =
          known.get(draft.id) ??
          manager.create(CatalogItemEntity, {
            orgId,
            knowledgeBaseId: body.KBID,
            version: 0,
            indexedVersion: null,
            deletedOn: null,
          });
        return { item, outcome: write(item, draft) };
      });
      const permitted = items.filter(({ outcome }) => rightMissingFor(outcome, rights) === undefined);
      const changed = permitted.filter(({ outcome }) => outcome !== 'UNCHANGED').map(({ item }) => item);
      await inParts(changed, (part) => manager.save(part));
      const reply = savedOf(
        base,
        permitted.map(({ item }) => item),
      );
      return {
        result: { reply, outcomes: items.map(({ outcome }) => outcome) },
        jobs: permitted.some(({ item }) => item.indexedVersion !== item.version) ? [{ kind: 'ENTRIES' }] : [],
      };
    });
  }

  list(orgId: number, query: z.output<typeof listCatalog.request>): Promise<Page<PublicItem>> {
    return this.tenants.read(orgId, async (manager) => {
      const { key } = await baseOf(manager, { id: query.KBID });
      const found = manager
        .createQueryBuilder(CatalogItemEntity, 'item')
        .where('item.knowledge_base_id = :id AND item.deleted_on IS NULL', { id: query.KBID });
      if (query.kind !== 'ALL') found.andWhere('item.kind = :kind', { kind: query.kind });
      if (query.searchName) found.andWhere('item.name ILIKE :name', { name: containing(query.searchName) });
      const page = await pageOf(found, query, { by: `${found.alias}.${sortable[query.sortColumn]}` });
      return { ...page, rows: page.rows.map((row) => wireOf(row, key)) };
    });
  }

  get(orgId: number, key: string): Promise<PublicItem> {
    return this.tenants.read(orgId, async (manager) => {
      const item = await itemOf(manager, key);
      return wireOf(item, await keyOfBase(manager, item.knowledgeBaseId));
    });
  }

  read(
    orgId: number,
    { KBID, products, services }: z.output<typeof readCatalogItems.request>,
  ): Promise<z.input<typeof readCatalogItems.reply>> {
    return this.tenants.read(orgId, async (manager) => {
      const { key } = await baseOf(manager, { id: KBID });
      const of = async (kind: CatalogItemEntity['kind'], ids: readonly (number | null | undefined)[]) => {
        const id = In(ids.filter(Boolean));
        const found = await manager.findBy(CatalogItemEntity, { id, kind, knowledgeBaseId: KBID, deletedOn: IsNull() });
        return found.map((item) => wireOf(item, key));
      };
      return {
        products: await of(
          'PRODUCT',
          products.map(({ product_id }) => product_id),
        ),
        services: await of(
          'SERVICE',
          services.map(({ service_id }) => service_id),
        ),
      };
    });
  }

  async delete(orgId: number, key: string): Promise<z.input<typeof deleteCatalogItem.reply>> {
    const item = await this.tenants.read(orgId, (manager) => itemOf(manager, key));
    return this.change.make({ orgId, knowledgeBaseId: item.knowledgeBaseId, source: 'CATALOG' }, async (manager) => {
      await manager.update(CatalogItemEntity, { id: item.id }, { deletedOn: new Date() });
      return { result: { CatalogItemKeyID: item.key, CatalogItemID: item.id }, jobs: [{ kind: 'ENTRIES' }] };
    });
  }
}

async function knownItems(
  manager: EntityManager,
  knowledgeBaseId: number,
  drafts: readonly Draft[],
): Promise<Map<number, CatalogItemEntity>> {
  const ids = drafts.map(({ id }) => id).filter((id) => id > 0);
  if (new Set(ids).size < ids.length) throw new Fault('VALIDATION_FAILED', { message: 'An id occurs twice in the batch.' });
  const found = await inParts(ids, (part) =>
    manager.findBy(CatalogItemEntity, { id: In(part), knowledgeBaseId, deletedOn: IsNull() }),
  );
  const kinds = new Map(found.map(({ id, kind }) => [id, kind]));
  if (drafts.some(({ id, kind }) => id > 0 && kinds.get(id) !== kind)) {
    throw new Fault('NOT_FOUND', { message: 'An id of the batch is not in this knowledge base.' });
  }
  return new Map(found.map((item) => [item.id, item]));
}

/** Rows stored before prices had units count as having none. */
const withoutUnit: object = { unit: '', unit_size: 1 };

function write(item: CatalogItemEntity, { kind, sent }: Draft): SaveOutcome {
  const { name, price, details } = kind === 'PRODUCT' ? productOf(item, sent) : serviceOf(item, sent);
  if (isDeepStrictEqual({ ...withoutUnit, ...item.details }, details)) return 'UNCHANGED';
  const outcome = item.version === 0 ? 'CREATED' : 'UPDATED';
  Object.assign(item, { kind, name, price: String(price), details, version: item.version + 1, updatedOn: new Date() });
  return outcome;
}

function productOf(item: CatalogItemEntity, sent: object) {
  const details = afterSave(ProductFields, item.details, sent);
  return { name: details.product_name, price: details.price, details };
}

function serviceOf(item: CatalogItemEntity, sent: object) {
  const details = afterSave(ServiceFields, item.details, sent);
  return { name: details.service_name, price: details.service_price ?? 0, details };
}

async function itemOf(manager: EntityManager, key: string): Promise<CatalogItemEntity> {
  const item = await manager.findOneBy(CatalogItemEntity, { key, deletedOn: IsNull() });
  if (!item) throw notThere('product or service');
  return item;
}

function draftsOf({ products, services }: z.output<typeof saveCatalog.request>): Draft[] {
  return [
    ...products.map(({ product_id, ...sent }) => ({
      id: product_id ?? 0,
      kind: 'PRODUCT' as const,
      name: sent.product_name,
      sent,
    })),
    ...services.map(({ service_id, ...sent }) => ({
      id: service_id ?? 0,
      kind: 'SERVICE' as const,
      name: sent.service_name,
      sent,
    })),
  ];
}

async function withIdsByName(manager: EntityManager, knowledgeBaseId: number, drafts: readonly Draft[]): Promise<Draft[]> {
  const items = await manager.findBy(CatalogItemEntity, { knowledgeBaseId, deletedOn: IsNull() });
  const ids = new Map(items.map(({ id, kind, name }) => [keyOfItem(kind, name), id]));
  return drafts.map((draft) => ({ ...draft, id: ids.get(keyOfItem(draft.kind, draft.name)) ?? 0 }));
}

function keyOfItem(kind: string, name = ''): string {
  return `${kind} ${normalizedQuestion(name)}`;
}

function savedOf({ key, id }: KnowledgeBaseEntity, items: readonly CatalogItemEntity[]): z.input<typeof saveCatalog.reply> {
  const of = (kind: string) => items.filter((item) => item.kind === kind);
  return {
    KBKeyID: key,
    KBID: id,
    products: of('PRODUCT').map(({ id, key }) => ({ CatalogItemKeyID: key, product_id: id })),
    services: of('SERVICE').map(({ id, key }) => ({ CatalogItemKeyID: key, service_id: id })),
  };
}

function wireOf(item: CatalogItemEntity, KBKeyID: string): z.input<typeof CatalogItem> {
  const fields = {
    CatalogItemKeyID: item.key,
    CatalogItemID: item.id,
    KBKeyID,
    KBID: item.knowledgeBaseId,
    CreatedOn: item.createdOn.toISOString(),
    UpdatedOn: item.updatedOn.toISOString(),
  };
  return 'product_name' in item.details
    ? { kind: 'PRODUCT', ...fields, product_id: item.id, ...item.details }
    : { kind: 'SERVICE', ...fields, service_id: item.id, ...item.details };
}

@Controller()
export class CatalogController {
  constructor(private readonly catalog: CatalogService) {}

  @Handles(saveCatalog)
  async save(body: z.output<typeof saveCatalog.request>, call: Call) {
    return (await this.catalog.save(organizationOf(call), body)).reply;
  }

  @Handles(listCatalog)
  list(query: z.output<typeof listCatalog.request>, call: Call) {
    return this.catalog.list(organizationOf(call), query);
  }

  @Handles(readCatalogItems)
  read(body: z.output<typeof readCatalogItems.request>, call: Call) {
    return this.catalog.read(organizationOf(call), body);
  }

  @Handles(getCatalogItem)
  get({ CatalogItemKeyID }: { CatalogItemKeyID: string }, call: Call) {
    return this.catalog.get(organizationOf(call), CatalogItemKeyID);
  }

  @Handles(deleteCatalogItem)
  delete({ CatalogItemKeyID }: { CatalogItemKeyID: string }, call: Call) {
    return this.catalog.delete(organizationOf(call), CatalogItemKeyID);
  }
}
