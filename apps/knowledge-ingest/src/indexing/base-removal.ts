import { Injectable } from '@nestjs/common';
import { TenantScope } from '@parley/database';
import type { Collection } from '@parley/ports';
import { DocumentEntity, filesOf } from '../documents/document.entity';
import { Engines } from '../engines';
import { KnowledgeBaseEntity } from '../knowledge-bases/knowledge-base.entity';

/** Takes away what a deleted knowledge base leaves behind: vectors, files, rows, in an order that can be repeated. */
@Injectable()
export class BaseRemoval {
  constructor(
    private readonly tenants: TenantScope,
    private readonly engines: Engines,
  ) {}

  async run({ orgId, knowledgeBaseId }: Collection): Promise<void> {
    await this.engines.vectors.drop({ orgId, knowledgeBaseId });
    const documents = await this.tenants.read(orgId, (manager) => manager.findBy(DocumentEntity, { knowledgeBaseId }));
    for (const file of documents.flatMap(filesOf)) await this.engines.files.delete(file);
    await this.tenants.run(orgId, async (manager) => {
      await manager.query(`DELETE FROM index_jobs WHERE knowledge_base_id = $1 AND kind <> 'DROP'`, [knowledgeBaseId]);
      await manager.delete(KnowledgeBaseEntity, { id: knowledgeBaseId });
    });
  }
}
