import { Controller } from '@nestjs/common';
import { knowledgeChanged } from '@parley/contracts';
import { Consumes, type EventMeta } from '@parley/messaging';
import type { z } from 'zod';
import { KnowledgeBases } from './knowledge-bases';

type Change = z.output<typeof knowledgeChanged.payload>;

/** The sources that prompts tell of; the others are looked up while a conversation runs. */
const toldSources: readonly Change['source'][] = ['BUSINESS_PROFILE', 'KNOWLEDGE_BASE'];

/** Keeps the prompts in step with the knowledge bases that they tell of. */
@Controller()
export class KnowledgeController {
  constructor(private readonly knowledgeBases: KnowledgeBases) {}

  /** A second delivery reads the same state again, which does no harm. */
  @Consumes(knowledgeChanged)
  async follow({ KBID, source }: Change, { orgId }: EventMeta): Promise<void> {
    if (orgId !== null && toldSources.includes(source)) await this.knowledgeBases.refresh(orgId, KBID);
  }
}
