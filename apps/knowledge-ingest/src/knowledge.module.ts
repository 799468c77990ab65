import { type DynamicModule, Module } from '@nestjs/common';
import { uploadsFolder } from '@parley/contracts';
import { TenantScope } from '@parley/database';
import { FileSweep } from '@parley/providers/configured-files';
import { Logger } from '@parley/service-kit';
import { CatalogController } from './catalogue/catalog.controller';
import { CatalogService } from './catalogue/catalog.service';
import type { KnowledgeConfig } from './config';
import { ConfiguredEngines } from './configured-engines';
import { DocumentIngest } from './documents/document-ingest';
import { DocumentsController } from './documents/documents.controller';
import { DocumentsService } from './documents/documents.service';
import { keptFiles } from './documents/kept-files';
import { Uploads } from './documents/uploads';
import { Engines } from './engines';
import { FaqsController } from './faqs/faqs.controller';
import { FaqsService } from './faqs/faqs.service';
import { BusinessImport } from './imports/business-import';
import { ImportsController } from './imports/imports.controller';
import { BaseRemoval } from './indexing/base-removal';
import { EntryIndexing } from './indexing/entry-indexing';
import { IndexJobs } from './indexing/index-jobs';
import { IndexWorker } from './indexing/index-worker';
import { PassageIndex } from './indexing/passage-index';
import { Reindexing } from './indexing/reindexing';
import { KnowledgeBasesController } from './knowledge-bases/knowledge-bases.controller';
import { KnowledgeBasesService } from './knowledge-bases/knowledge-bases.service';
import { KnowledgeChange } from './knowledge-bases/knowledge-change';
import { Lookups } from './knowledge-bases/lookups';
import { VectorsService } from './knowledge-bases/vectors.service';
import { BusinessProfilesController } from './profile/business-profiles.controller';
import { BusinessProfilesService } from './profile/business-profiles.service';
import { Facts } from './retrieval/facts';
import { AskedAcross } from './retrieval/asked-across';
import { QuestionVectors } from './retrieval/question-vectors';
import { Reading } from './retrieval/reading';
import { Reranking } from './retrieval/reranking';
import { RetrievalController } from './retrieval/retrieval.controller';
import { RetrievalService } from './retrieval/retrieval.service';
import { Searching } from './retrieval/searching';
import { StoredAnswers } from './retrieval/stored-answers';
import { TextVectorsController } from './retrieval/text-vectors.controller';
import { UnansweredController } from './unanswered/unanswered.controller';
import { WholeKnowledge } from './whole/whole-knowledge';

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
