import { type DynamicModule, Module } from '@nestjs/common';
import { uploadsFolder } from '@parley/contracts';
import { TenantScope } from '@parley/database';
import { FileSweep } from '@parley/providers/configured-files';
import { Logger } from '@parley/service-kit';
import { CatalogController, CatalogService } from './catalogue/catalog.service';
import type { KnowledgeConfig } from './config';
import { ConfiguredEngines } from './configured-engines';
import { DocumentIngest } from './documents/document-ingest';
import { DocumentsController, DocumentsService } from './documents/documents.service';
import { keptFiles, Uploads } from './documents/uploads';
import { Engines } from './engines';
import { FaqsController, FaqsService } from './faqs/faqs.service';
import { BusinessImport, ImportsController } from './imports/business-import';
import { BaseRemoval, Reindexing } from './indexing/reindexing';
import { EntryIndexing } from './indexing/entry-indexing';
import { IndexJobs } from './indexing/index-jobs';
import { IndexWorker } from './index-worker';
import { PassageIndex } from './indexing/passage-index';
import { KnowledgeBasesController } from './knowledge-bases/knowledge-bases.controller';
import { KnowledgeBasesService, Lookups } from './knowledge-bases/knowledge-bases.service';
import { KnowledgeChange } from './knowledge-bases/knowledge-change';
import { VectorsService } from './knowledge-bases/vectors.service';
import { BusinessProfilesController, BusinessProfilesService } from './profile/business-profiles.service';
import { Facts } from './retrieval/facts';
import { AskedAcross } from './retrieval/asked-across';
import { QuestionVectors, Reranking, Searching } from './retrieval/searching';
import { Reading } from './retrieval/reading';
import { RetrievalController, TextVectorsController } from './retrieval/retrieval.controller';
import { RetrievalService } from './retrieval/retrieval.service';
import { StoredAnswers } from './retrieval/stored-answers';
import { UnansweredController } from './unanswered/unanswered.controller';
import { WholeKnowledge } from './retrieval/whole-knowledge';

const sources = [
  KnowledgeBasesService,
  Lookups,
  VectorsService,
  KnowledgeChange,
  DocumentsService,
  Uploads,
  FaqsService,
  BusinessProfilesService,
  CatalogService,
  BusinessImport,
];
const indexing = [IndexJobs, IndexWorker, PassageIndex, EntryIndexing, DocumentIngest, Reindexing, BaseRemoval];
/** Recordings lie in the same folder and outlive no request: what is left there to keep are documents. */
const uploadSweep = {
  provide: FileSweep,
  inject: [Engines, TenantScope, Logger],
  useFactory: ({ files }: Engines, tenants: TenantScope, log: Logger) =>
    new FileSweep({ files, folder: uploadsFolder, log, kept: (keys) => keptFiles(tenants, keys) }),
};

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
  ],
  providers: [
    ...sources,
    ...indexing,
    uploadSweep,
    Facts,
    QuestionVectors,
    Reranking,
    AskedAcross,
    Searching,
    Reading,
    RetrievalService,
    StoredAnswers,
    WholeKnowledge,
  ],
})
export class KnowledgeModule {
  static with(config: KnowledgeConfig): DynamicModule {
    return { module: KnowledgeModule, providers: [{ provide: Engines, useFactory: () => new ConfiguredEngines(config) }] };
  }
}
