import { Controller, Injectable } from '@nestjs/common';
import { deleteFaq, Fault, getFaq, listFaqs, saveFaqs } from '@parley/contracts';
import { containing, type Page, pageOf, TenantScope } from '@parley/database';
import { type Call, Handles, organizationOf } from '@parley/messaging';
import { type EntityManager, In, IsNull } from 'typeorm';
import type { z } from 'zod';
import { FaqEntity } from '../database/entities';
import { baseOf } from '../knowledge-bases/knowledge-bases.service';
import { KnowledgeChange } from '../knowledge-bases/knowledge-change';
import { normalizedQuestion } from './faq-matching';

type Batch = z.output<typeof saveFaqs.request>;
type Saved = z.input<typeof saveFaqs.reply>;
type Wire = z.input<typeof getFaq.reply>;
type Outcome = Saved['faqs'][number]['outcome'];

const sortable = { CreatedOn: 'createdOn', UpdatedOn: 'updatedOn', Question: 'question', KBFAQID: 'id' } as const;

/** Questions with fixed answers. */
@Injectable()
export class FaqsService {
  constructor(
    private readonly tenants: TenantScope,
    private readonly change: KnowledgeChange,
  ) {}

  /** All of the batch or nothing; an unchanged question that is indexed costs no work. */
  save(orgId: number, { KBID, faqs }: Batch): Promise<Saved> {
    return this.change.make({ orgId, knowledgeBaseId: KBID, source: 'FAQ' }, async (manager) => {
      const known = await knownFaqs(manager, KBID, faqs);
      const outcomes = faqs.map(({ KBFAQID, Question, Answer }) => {
        const faq =
          known.get(KBFAQID) ??
          manager.create(FaqEntity, { orgId, knowledgeBaseId: KBID, version: 0, indexedVersion: null, deletedOn: null });
        return { faq, outcome: write(faq, Question ?? faq.question, Answer ?? faq.answer) };
      });
      const changed = outcomes.filter(({ outcome }) => outcome !== 'UNCHANGED').map(({ faq }) => faq);
      await manager.save(changed, { chunk: 200 });
      const saved = outcomes.map(({ faq, outcome }) => ({ KBFAQKeyID: faq.key, KBFAQID: faq.id, outcome }));
      return {
        result: { KBID, faqs: saved },
        jobs: outcomes.some(({ faq }) => faq.indexedVersion !== faq.version) ? [{ kind: 'ENTRIES' }] : [],
      };
    });
  }

  list(orgId: number, query: z.output<typeof listFaqs.request>): Promise<Page<Wire>> {
    return this.tenants.read(orgId, async (manager) => {
      await baseOf(manager, { id: query.KBID });
      const found = manager
        .createQueryBuilder(FaqEntity, 'faq')
        .where('faq.knowledge_base_id = :id AND faq.deleted_on IS NULL', { id: query.KBID });
      const search = { word: containing(query.searchName) };
      if (query.searchName) found.andWhere('(faq.question ILIKE :word OR faq.answer ILIKE :word)', search);
      const page = await pageOf(found, query, { by: `${found.alias}.${sortable[query.sortColumn]}` });
      return { ...page, rows: page.rows.map(wireOf) };
    });
  }

  get(orgId: number, key: string): Promise<Wire> {
    return this.tenants.read(orgId, async (manager) => wireOf(await faqOf(manager, key)));
  }

  async delete(orgId: number, key: string): Promise<z.input<typeof deleteFaq.reply>> {
    const faq = await this.tenants.read(orgId, (manager) => faqOf(manager, key));
    return this.change.make({ orgId, knowledgeBaseId: faq.knowledgeBaseId, source: 'FAQ' }, async (manager) => {
      await manager.update(FaqEntity, { id: faq.id }, { deletedOn: new Date() });
      return { result: { KBFAQKeyID: faq.key, KBFAQID: faq.id }, jobs: [{ kind: 'ENTRIES' }] };
    });
  }
}

async function knownFaqs(manager: EntityManager, knowledgeBaseId: number, faqs: Batch['faqs']): Promise<Map<number, FaqEntity>> {
  const ids = faqs.map(({ KBFAQID }) => KBFAQID).filter((id) => id > 0);
  if (new Set(ids).size < ids.length) throw new Fault('VALIDATION_FAILED', { message: 'A KBFAQID stands in the batch twice.' });
  const found = await manager.findBy(FaqEntity, { id: In(ids), knowledgeBaseId, deletedOn: IsNull() });
  if (found.length < ids.length)
    throw new Fault('NOT_FOUND', { message: 'A KBFAQID of the batch is not in this knowledge base.' });
  return new Map(found.map((faq) => [faq.id, faq]));
}

function write(faq: FaqEntity, question: string, answer: string): Outcome {
  if (faq.question === question && faq.answer === answer) return 'UNCHANGED';
  const outcome = faq.version === 0 ? 'CREATED' : 'UPDATED';
  Object.assign(faq, {
    question,
    answer,
    normalized: normalizedQuestion(question),
    version: faq.version + 1,
    updatedOn: new Date(),
  });
  return outcome;
}

async function faqOf(manager: EntityManager, key: string): Promise<FaqEntity> {
  const faq = await manager.findOneBy(FaqEntity, { key, deletedOn: IsNull() });
  if (!faq) throw new Fault('NOT_FOUND');
  return faq;
}

function wireOf(faq: FaqEntity): Wire {
  return {
    KBFAQKeyID: faq.key,
    KBFAQID: faq.id,
    KBID: faq.knowledgeBaseId,
    Question: faq.question,
    Answer: faq.answer,
    CreatedOn: faq.createdOn.toISOString(),
    UpdatedOn: faq.updatedOn.toISOString(),
  };
}

@Controller()
export class FaqsController {
  constructor(private readonly faqs: FaqsService) {}

  @Handles(saveFaqs)
  save(body: z.output<typeof saveFaqs.request>, call: Call) {
    return this.faqs.save(organizationOf(call), body);
  }

  @Handles(listFaqs)
  list(query: z.output<typeof listFaqs.request>, call: Call) {
    return this.faqs.list(organizationOf(call), query);
  }

  @Handles(getFaq)
  get({ KBFAQKeyID }: { KBFAQKeyID: string }, call: Call) {
    return this.faqs.get(organizationOf(call), KBFAQKeyID);
  }

  @Handles(deleteFaq)
  delete({ KBFAQKeyID }: { KBFAQKeyID: string }, call: Call) {
    return this.faqs.delete(organizationOf(call), KBFAQKeyID);
  }
}
