import { defineService } from '@parley/service-kit';
import { KnowledgeVariables } from './config';
import { knowledgeSchema } from './database/schema';
import { KnowledgeModule } from './knowledge.module';

/** What the agents know: its sources, its index and its answers. */
export const knowledgeIngest = defineService({
  name: 'knowledge-ingest',
  config: KnowledgeVariables,
  database: knowledgeSchema,
  module: (config) => KnowledgeModule.with(config),
});
