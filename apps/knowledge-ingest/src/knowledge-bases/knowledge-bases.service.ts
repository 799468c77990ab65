import { Controller, Injectable } from '@nestjs/common';
import {
  afterSave,
  clearVectors,
  deleteKnowledgeBase,
  Fault,
  getKnowledgeBase,
  type KbIdentity,
  type KnowledgeBase,
  KnowledgeBaseFields,
  knowledgeChanged,
  listAgentTypes,
  listIndustries,
  listKnowledgeBases,
  notThere,
  saveKnowledgeBase,
} from '@parley/contracts';
import { containing, Outbox, type Page, pageOf, TenantScope } from '@parley/database';
import { type Call, Handles, organizationOf, ServiceBus } from '@parley/messaging';
import { collectionName } from '@parley/ports';
import type { EntityManager } from 'typeorm';
import type { z } from 'zod';
import { KnowledgeBaseEntity } from '../database/entities';
import { Engines } from '../engines';
import type { IndexJobKind } from '../indexing/index-jobs';
import { contentsOf, fieldsOf, identityOf, knowledgeBaseOf, sentOf } from './knowledge-base.wire';
import { baseOf, KnowledgeChange } from './knowledge-change';

interface Chosen {
  readonly IndustryID?: number | undefined;
  readonly AgentTypeID?: number | undefined;
}

/** The lookup tables of agent-config. They change only with releases, so results are cached. */
@Injectable()
export class Lookups {
  private readonly industries = new Set<number>();
  private readonly agentTypes = new Set<number>();

  constructor(private readonly bus: ServiceBus) {}

  /** Refuses unknown ids, reporting all of them at once. */
  async require({ IndustryID, AgentTypeID }: Chosen): Promise<void> {
    if (IndustryID !== undefined && !this.industries.has(IndustryID))
      for (const { IndustryTypeID } of await this.bus.ask(listIndustries, {})) this.industries.add(IndustryTypeID);
    if (AgentTypeID !== undefined && !this.agentTypes.has(AgentTypeID))
      for (const { AgentTypeID: id } of await this.bus.ask(listAgentTypes, {})) this.agentTypes.add(id);
    const details = [
      ...unknown('IndustryID', IndustryID, { known: this.industries, list: 'industries' }),
      ...unknown('AgentTypeID', AgentTypeID, { known: this.agentTypes, list: 'agent-types' }),
    ];
    if (details.length > 0) throw new Fault('VALIDATION_FAILED', { details });
  }
}

function unknown(field: string, id: number | undefined, { known, list }: { known: ReadonlySet<number>; list: string }) {
  return id === undefined || known.has(id) ? [] : [{ field, message: `${field} ${id} is not in the lookup ${list}` }];
}

const sortable = { CreatedOn: 'createdOn', UpdatedOn: 'updatedOn', KnowledgeBaseName: 'name', KBID: 'id' } as const;

type Identity = z.input<typeof KbIdentity>;

/** The knowledge bases of an organization. */
@Injectable()
export class KnowledgeBasesService {
  constructor(
    private readonly tenants: TenantScope,
    private readonly outbox: Outbox,
    private readonly change: KnowledgeChange,
    private readonly engines: Engines,
    private readonly lookups: Lookups,
  ) {}

  async save(orgId: number, body: z.output<typeof saveKnowledgeBase.request>): Promise<Identity> {
    // Ask the other service before the transaction, so that no lock waits for it.
    await this.lookups.require(body);
    const { KBKeyID: key } = body;
    if (key) await this.change.requireReach((await this.tenants.read(orgId, (manager) => baseOf(manager, { key }))).id);
    return this.tenants.run(orgId, async (manager) => {
      // Locked, so that concurrent saves keep each other's fields.
      const known = key ? await baseOf(manager, { key }, 'locked') : null;
      const fields = fieldsOf(afterSave(KnowledgeBaseFields, known && sentOf(known), body));
      const base = known ?? manager.create(KnowledgeBaseEntity, { orgId });
      const saved = await manager.save(Object.assign(base, fields, { updatedOn: new Date() }));
      const payload = { ...identityOf(saved), source: 'KNOWLEDGE_BASE' as const };
      await this.outbox.add(manager, knowledgeChanged, { orgId, payload });
      return identityOf(saved);
    });
  }

  list(orgId: number, query: z.output<typeof listKnowledgeBases.request>): Promise<Page<z.input<typeof KnowledgeBase>>> {
    return this.tenants.read(orgId, async (manager) => {
      const found = manager.createQueryBuilder(KnowledgeBaseEntity, 'base').where('base.deleted_on IS NULL');
      if (query.searchName) found.andWhere('base.name ILIKE :name', { name: containing(query.searchName) });
      const page = await pageOf(found, query, { by: `${found.alias}.${sortable[query.sortColumn]}` });
      return { ...page, rows: await shown(manager, page.rows, this.engines) };
    });
  }

  get(orgId: number, key: string): Promise<z.input<typeof KnowledgeBase>> {
    return this.tenants.read(orgId, async (manager) => {
      const [base] = await shown(manager, [await baseOf(manager, { key })], this.engines);
      if (!base) throw notThere('knowledge base');
      return base;
    });
  }

  /** Hides the base from all readers at once; a job deletes its vectors and files. CONFLICT while agents answer from it. */
  async delete(orgId: number, key: string): Promise<Identity> {
    const { id } = await this.tenants.read(orgId, (manager) => baseOf(manager, { key }));
    await this.change.requireUnused(id);
    return this.change.make({ orgId, knowledgeBaseId: id, source: 'KNOWLEDGE_BASE' }, async (manager, base) => {
      await manager.update(KnowledgeBaseEntity, { id }, { deletedOn: new Date() });
      return { result: identityOf(base), jobs: [{ kind: 'DROP' }] };
    });
  }
}

async function shown(
  manager: EntityManager,
  bases: KnowledgeBaseEntity[],
  { embeddings }: Engines,
): Promise<z.input<typeof KnowledgeBase>[]> {
  const contents = await contentsOf(
    manager,
    bases.map(({ id }) => id),
  );
  return bases.flatMap((base) => {
    const counted = contents.get(base.id);
    return counted ? [knowledgeBaseOf(base, counted, embeddings.capabilities.similarity.acrossScripts)] : [];
  });
}

/** Clears and rebuilds the vectors of a knowledge base; its sources stay. */
@Injectable()
export class VectorsService {
  constructor(
    private readonly tenants: TenantScope,
    private readonly change: KnowledgeChange,
    private readonly engines: Engines,
  ) {}

  async clear(
    orgId: number,
    { KBID, collectionName: name, reindex }: z.output<typeof clearVectors.request>,
  ): Promise<z.input<typeof clearVectors.reply>> {
    const id = KBID ?? baseIdIn(name ?? '', orgId);
    const base = await this.tenants.read(orgId, (manager) => baseOf(manager, { id }));
    const collection = { orgId, knowledgeBaseId: base.id };
    await this.change.requireReach(base.id);
    const removedCount = await this.engines.vectors.count(collection);
    await this.engines.vectors.drop(collection);
    await this.change.make({ ...collection, source: 'VECTORS' }, async (manager) => {
      await manager.update(KnowledgeBaseEntity, { id }, { clearedOn: reindex ? null : new Date(), space: null });
      await forgetIndex(manager, id);
      return { result: undefined, jobs: reindex ? await everything(manager, id) : [], isChanged: true };
    });
    return { ...identityOf(base), collectionName: collectionName(collection), removedCount, isReindexing: reindex };
  }
}

/** The knowledge base that a collection name stands for. Another organization's counts as unknown. */
function baseIdIn(name: string, orgId: number): number {
  const [, organization, base] = /^kb_embeddings_(\d+)_(\d+)$/.exec(name) ?? [];
  if (Number(organization) !== orgId || Number(base) > 2_147_483_647)
    throw new Fault('NOT_FOUND', { message: 'There is no such collection.' });
  return Number(base);
}

/** Marks everything as not indexed, so that an unchanged source is indexed again when it is saved. */
async function forgetIndex(manager: EntityManager, id: number): Promise<void> {
  for (const table of ['faqs', 'business_profiles', 'catalog_items']) {
    await manager.query(
      `UPDATE ${table} SET indexed_version = NULL, chunk_count = 0, version = version + 1 WHERE knowledge_base_id = $1`,
      [id],
    );
  }
  await manager.query('UPDATE documents SET indexed_version = NULL, chunk_count = 0 WHERE knowledge_base_id = $1', [id]);
}

/** Documents are read again, each from the file that was served: a replacement that could not be read is dropped. */
async function everything(manager: EntityManager, id: number): Promise<{ kind: IndexJobKind; documentId?: number }[]> {
  await manager.query(
    `UPDATE documents SET file_key = served ->> 'fileKey', file_name = served ->> 'fileName', content_type = served ->> 'contentType',
       size = (served ->> 'size')::int, sha256 = served ->> 'sha256'
     WHERE knowledge_base_id = $1 AND status = 'FAILED' AND served IS NOT NULL`,
    [id],
  );
  const [documents] = await manager.query<[{ id: number }[], number]>(
    `UPDATE documents SET version = version + 1, status = 'QUEUED', reason = NULL, stage = 'WAITING', done = 0, total = 0
     WHERE knowledge_base_id = $1 AND deleted_on IS NULL RETURNING id`,
    [id],
  );
  return [{ kind: 'ENTRIES' }, ...documents.map((document) => ({ kind: 'DOCUMENT' as const, documentId: document.id }))];
}

@Controller()
export class KnowledgeBasesController {
  constructor(
    private readonly bases: KnowledgeBasesService,
    private readonly vectors: VectorsService,
  ) {}

  @Handles(saveKnowledgeBase)
  save(body: z.output<typeof saveKnowledgeBase.request>, call: Call) {
    return this.bases.save(organizationOf(call), body);
  }

  @Handles(listKnowledgeBases)
  list(query: z.output<typeof listKnowledgeBases.request>, call: Call) {
    return this.bases.list(organizationOf(call), query);
  }

  @Handles(getKnowledgeBase)
  get({ KBKeyID }: { KBKeyID: string }, call: Call) {
    return this.bases.get(organizationOf(call), KBKeyID);
  }

  @Handles(deleteKnowledgeBase)
  delete({ KBKeyID }: { KBKeyID: string }, call: Call) {
    return this.bases.delete(organizationOf(call), KBKeyID);
  }

  @Handles(clearVectors)
  clear(body: z.output<typeof clearVectors.request>, call: Call) {
    return this.vectors.clear(organizationOf(call), body);
  }
}
