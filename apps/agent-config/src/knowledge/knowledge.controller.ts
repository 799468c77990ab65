import { Controller } from '@nestjs/common';
import { knowledgeChanged } from '@parley/contracts';
import { Consumes, type EventMeta } from '@parley/messaging';
import type { z } from 'zod';
import { KnowledgeBases } from './knowledge-bases';

type Change = z.output<typeof knowledgeChanged.payload>;

/** Forgets knowledge bases that are gone. What is in them is read where turns are answered. */
@Controller()
export class KnowledgeController {
  constructor(private readonly knowledgeBases: KnowledgeBases) {}

  /** A second delivery reads the same state again, which does no harm. */
  @Consumes(knowledgeChanged)
  async follow({ KBID, source }: Change, { orgId }: EventMeta): Promise<void> {
    if (orgId !== null && source === 'KNOWLEDGE_BASE') await this.knowledgeBases.refresh(orgId, KBID);
  }
}
