import { Injectable } from '@nestjs/common';
import { TenantScope } from '@parley/database';
import { IsNull } from 'typeorm';
import { FaqEntity } from '../faqs/faq.entity';
import { QuestionsByTopic } from '../faqs/questions-by-topic';
import type { KnowledgeBaseEntity } from '../knowledge-bases/knowledge-base.entity';
import { RevisionMemory } from './revision-memory';

/** Of more stored questions the newest are known by their topics; the others are found by meaning alone. */
const questionsRead = 5_000;

/** Finds the stored answer to a question that is about the very same, in whatever words. Costs no vector. */
@Injectable()
export class StoredAnswers {
  private readonly questions = new RevisionMemory<QuestionsByTopic>(({ count }) => count);

  constructor(private readonly tenants: TenantScope) {}

  async answer(base: KnowledgeBaseEntity, question: string): Promise<FaqEntity | null> {
    const { id, orgId } = base;
    const stored = (await this.questions.of(base, () => this.read(base))).find(question);
    // Answers are given verbatim, so they are read from the table and not from memory.
    if (!stored) return null;
    return this.tenants.read(orgId, (manager) =>
      manager.findOneBy(FaqEntity, { id: stored.id, question: stored.question, knowledgeBaseId: id, deletedOn: IsNull() }),
    );
  }

  private read({ id, orgId }: KnowledgeBaseEntity): Promise<QuestionsByTopic> {
    return this.tenants.read(orgId, async (manager) => {
      const faqs = await manager.find(FaqEntity, {
        select: { id: true, question: true },
        where: { knowledgeBaseId: id, deletedOn: IsNull() },
        order: { updatedOn: 'DESC', id: 'DESC' },
        take: questionsRead,
      });
      return new QuestionsByTopic(faqs);
    });
  }
}
