import { Controller } from '@nestjs/common';
import { clearVectors, deleteKnowledgeBase, getKnowledgeBase, listKnowledgeBases, saveKnowledgeBase } from '@parley/contracts';
import { type Call, Handles, organizationOf } from '@parley/messaging';
import type { z } from 'zod';
import { KnowledgeBasesService } from './knowledge-bases.service';
import { VectorsService } from './vectors.service';

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
