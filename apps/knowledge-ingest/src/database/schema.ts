import type { SchemaDefinition } from '@parley/database';
import { BusinessProfileEntity, CatalogItemEntity, DocumentEntity, FaqEntity, KnowledgeBaseEntity } from './entities';
import { CreateKnowledge1700000000000 } from './migrations/1700000000000-create-knowledge';
import { KeepServedFiles1700000001000 } from './migrations/1700000001000-keep-served-files';
import { CountEveryChunk1700000002000 } from './migrations/1700000002000-count-every-chunk';
import { NoteQuestionsAcrossScripts1700000003000 } from './migrations/1700000003000-note-questions-across-scripts';

/** The Postgres schema of this service. */
export const knowledgeSchema: SchemaDefinition = {
  schema: 'knowledge',
  entities: [KnowledgeBaseEntity, DocumentEntity, FaqEntity, BusinessProfileEntity, CatalogItemEntity],
  migrations: [
    CreateKnowledge1700000000000,
    KeepServedFiles1700000001000,
    CountEveryChunk1700000002000,
    NoteQuestionsAcrossScripts1700000003000,
  ],
};
