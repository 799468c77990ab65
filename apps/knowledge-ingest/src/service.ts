import { Controller, type DynamicModule, Module } from '@nestjs/common';
import { type BodyOf, organizationDeleted, removalInKnowledgeIngest, type ReplyOf, uploadsFolder } from '@parley/contracts';
import { type SchemaDefinition, TenantScope } from '@parley/database';
import { type Call, Consumes, Handles } from '@parley/messaging';
import { FileSweep } from '@parley/providers/configured-files';
import { defineService, deleteFolder, Logger, OrganizationRemoval, RegularTasks } from '@parley/service-kit';
import { z } from 'zod';
import { CatalogController, CatalogService } from './catalogue/catalog.service';
import { type KnowledgeConfig, KnowledgeVariables } from './config';
import { ConfiguredEngines, Engines, TextVectorsController } from './engines';
import { BusinessProfileEntity, CatalogItemEntity, DocumentEntity, FaqEntity, KnowledgeBaseEntity } from './database/entities';
import { CreateKnowledge1700000000000 } from './database/migrations/1700000000000-create-knowledge';
import {
  CountEveryChunk1700000002000,
  KeepServedFiles1700000001000,
  LinkWordings1700000004000,
  NoteQuestionsAcrossScripts1700000003000,
} from './database/migrations/1700000001000-changes-since';
import { DocumentIngest } from './documents/document-ingest';
import { DocumentsController, DocumentsService, keptFiles, UploadCheck } from './documents/documents.service';
import { FaqsController, FaqsService } from './faqs/faqs.service';
import { UnansweredController } from './faqs/unanswered';
import { BusinessImport, ImportsController } from './imports/business-import';
import { IndexWorker } from './index-worker';
import { EntryIndexing, PassageIndex } from './indexing/entry-indexing';
import { BaseRemoval, IndexJobs, Reindexing } from './indexing/index-jobs';
import {
  KnowledgeBasesController,
  KnowledgeBasesService,
  Lookups,
  VectorsService,
} from './knowledge-bases/knowledge-bases.service';
import { KnowledgeChange } from './knowledge-bases/knowledge-change';
import { BusinessProfilesController, BusinessProfilesService } from './profile/business-profiles.service';
import { StoredAnswers, TableAnswers } from './retrieval/ready-answers';
import { AskedAcross, Reading } from './retrieval/reading';
import { AskedBases, RetrievalController, RetrievalService } from './retrieval/retrieval.service';
import { QuestionVectors, Reranking, Searching } from './retrieval/searching';
import { WholeKnowledge } from './retrieval/whole-knowledge';

/** The Postgres schema of this service. */
export const knowledgeSchema: SchemaDefinition = {
  schema: 'knowledge',
  entities: [KnowledgeBaseEntity, DocumentEntity, FaqEntity, BusinessProfileEntity, CatalogItemEntity],
  migrations: [
    CreateKnowledge1700000000000,
    KeepServedFiles1700000001000,
    CountEveryChunk1700000002000,
    NoteQuestionsAcrossScripts1700000003000,
    LinkWordings1700000004000,
  ],
};

/** The agents' knowledge: its sources, its index and its answers. */
export const knowledgeIngest = defineService({
  name: 'knowledge-ingest',
  config: KnowledgeVariables,
  database: knowledgeSchema,
  module: (config) => KnowledgeModule.with(config),
});

const sources = [
  KnowledgeBasesService,
  Lookups,
  VectorsService,
  KnowledgeChange,
  DocumentsService,
  UploadCheck,
  FaqsService,
  BusinessProfilesService,
  CatalogService,
  BusinessImport,
];
const indexing = [IndexJobs, IndexWorker, PassageIndex, EntryIndexing, DocumentIngest, Reindexing, BaseRemoval];
/** Recordings are in the same folder but never outlive their request, so only documents are referenced. */
const uploadSweep = {
  provide: FileSweep,
  inject: [Engines, TenantScope, Logger, RegularTasks],
  useFactory: ({ files }: Engines, tenants: TenantScope, log: Logger, tasks: RegularTasks) =>
    new FileSweep({ files, folder: uploadsFolder, log, tasks, kept: (keys) => keptFiles(tenants, keys) }),
};

/** Learns of deleted organizations, and tells the operator how far their removal is here. */
@Controller()
class RemovalController {
  constructor(
    private readonly removal: OrganizationRemoval,
    tenants: TenantScope,
    { vectors, files }: Engines,
  ) {
    const eraseOutside = async ({ orgId }: { orgId: number }): Promise<void> => {
      // Their numbers are kept until the end, since the rows that have them go before the last passage may have been staged.
      await removal.keep(orgId, { knowledgeBases: await basesOf(tenants, orgId) });
      for (const knowledgeBaseId of await removal.kept(orgId, KnowledgeBaseIds)) await vectors.drop({ orgId, knowledgeBaseId });
      await deleteFolder(files, `${uploadsFolder}/${orgId}`);
    };
    removal.with({ eraseOutside });
  }

  @Handles(removalInKnowledgeIngest)
  tell(asked: BodyOf<typeof removalInKnowledgeIngest>, call: Call): Promise<ReplyOf<typeof removalInKnowledgeIngest>> {
    return this.removal.tell(asked, call);
  }

  @Consumes(organizationDeleted)
  learn(deleted: z.output<typeof organizationDeleted.payload>): Promise<void> {
    return this.removal.learn(deleted);
  }
}

const KnowledgeBaseIds = z.object({ knowledgeBases: z.array(z.int()) }).transform(({ knowledgeBases }) => knowledgeBases);

/** Every knowledge base that has vectors, those being removed included. */
async function basesOf(tenants: TenantScope, orgId: number): Promise<number[]> {
  const rows = await tenants.read(orgId, (manager) =>
    manager.query<{ id: number }[]>(
      `SELECT id FROM knowledge_bases WHERE org_id = $1 UNION SELECT knowledge_base_id FROM index_jobs WHERE org_id = $1`,
      [orgId],
    ),
  );
  return rows.map(({ id }) => id);
}

@Module({
  controllers: [
    KnowledgeBasesController,
    DocumentsController,
    FaqsController,
    BusinessProfilesController,
    CatalogController,
    RetrievalController,
    TextVectorsController,
    UnansweredController,
    ImportsController,
    RemovalController,
  ],
  providers: [
    ...sources,
    ...indexing,
    uploadSweep,
    TableAnswers,
    QuestionVectors,
    Reranking,
    AskedAcross,
    Searching,
    Reading,
    AskedBases,
    RetrievalService,
    StoredAnswers,
    WholeKnowledge,
  ],
})
class KnowledgeModule {
  static with(config: KnowledgeConfig): DynamicModule {
    return { module: KnowledgeModule, providers: [{ provide: Engines, useFactory: () => new ConfiguredEngines(config) }] };
  }
}
