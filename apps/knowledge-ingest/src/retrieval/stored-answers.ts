import { Injectable } from '@nestjs/common';
import { TenantScope } from '@parley/database';
import { haveSameTopics, leansOnBefore, type Topics, topicsOf } from '@parley/language';
import { IsNull } from 'typeorm';
import { FaqEntity, type KnowledgeBaseEntity } from '../database/entities';
import { differsInMeaning } from '../faqs/faq-matching';

/** A question with a stored answer. */
interface StoredQuestion {
  readonly id: number;
  readonly question: string;
}

/** The stored questions of a knowledge base by what they are about: a paraphrase is found without a vector, in any language. */
export class QuestionsByTopic {
  private readonly byConcepts = new Map<string, { stored: StoredQuestion; topics: Topics }[]>();

  readonly count: number;

  constructor(questions: readonly StoredQuestion[]) {
    this.count = questions.length;
    for (const stored of questions) {
      const topics = topicsOf(stored.question);
      const alike = this.byConcepts.get(topics.concepts);
      if (alike) alike.push({ stored, topics });
      else this.byConcepts.set(topics.concepts, [{ stored, topics }]);
    }
  }

  /** Undefined when none asks the same, and when several do: then somebody has to read closer. */
  find(asked: string): StoredQuestion | undefined {
    const topics = topicsOf(asked);
    if (leansOnBefore(asked, topics)) return undefined;
    const alike = this.byConcepts.get(topics.concepts) ?? [];
    const [only, another] = alike.filter(
      (one) => haveSameTopics(topics, one.topics) && !differsInMeaning(asked, one.stored.question),
    );
    return another ? undefined : only?.stored;
  }
}

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

/** Of all knowledge bases together; an entry is a few hundred bytes. */
const entriesRemembered = 100_000;

interface Known<Worked> {
  readonly revision: number;
  readonly worked: Worked;
  readonly entries: number;
}

/** What was worked out from the tables of a knowledge base, as long as it has not changed since. */
export class RevisionMemory<Worked> {
  private readonly known = new Map<number, Known<Worked>>();
  private entries = 0;

  constructor(private readonly entriesOf: (worked: Worked) => number) {}

  /** Read anew when the knowledge base has changed; those read longest ago make room. */
  async of({ id, revision }: { id: number; revision: number }, read: () => Promise<Worked>): Promise<Worked> {
    const known = this.known.get(id);
    if (known?.revision === revision) return known.worked;
    const worked = await read();
    this.forget(id);
    // An empty knowledge base takes room as well.
    const entries = this.entriesOf(worked) + 1;
    this.known.set(id, { revision, worked, entries });
    this.entries += entries;
    for (const oldest of this.known.keys()) if (this.entries > entriesRemembered) this.forget(oldest);
    return worked;
  }

  private forget(id: number): void {
    this.entries -= this.known.get(id)?.entries ?? 0;
    this.known.delete(id);
  }
}
