import { randomUUID } from 'node:crypto';
import { setImmediate as others } from 'node:timers/promises';
import { Controller, Injectable } from '@nestjs/common';
import { deleteFaq, Fault, findFaqs, getFaq, listFaqs, notThere, readFaqs, saveFaqs } from '@parley/contracts';
import { containing, inParts, type Page, pageOf, TenantScope } from '@parley/database';
import { normalizedQuestion } from '@parley/language';
import { type Call, Handles, isCallerPermitted, organizationOf } from '@parley/messaging';
import { type EntityManager, In, IsNull } from 'typeorm';
import type { z } from 'zod';
import { FaqEntity } from '../database/entities';
import { baseOf, keyOfBase, KnowledgeChange, type SaveOutcome } from '../knowledge-bases/knowledge-change';

type SaveFaqsRequest = z.output<typeof saveFaqs.request>;
/** A question to save. Of an import, `row` says which wordings belong together. */
export type FaqToWrite = Pick<SaveFaqsRequest['faqs'][number], 'KBFAQID' | 'Question' | 'Answer'> & {
  readonly row?: {
    /** The place of the row's question in the batch, before its other wordings. */
    readonly questionAt: number;
    /** How many other wordings the row gives it; undefined if it says nothing of them. */
    readonly alternatives: number | undefined;
  };
};
type SaveFaqsReply = z.input<typeof saveFaqs.reply>;
type PublicFaq = z.input<typeof getFaq.reply>;

const sortable = { CreatedOn: 'createdOn', UpdatedOn: 'updatedOn', Question: 'question', KBFAQID: 'id' } as const;

/** An import has thousands of questions, so after this many, other work gets its turn. */
const faqsInARow = 500;

/** Questions with fixed answers. */
@Injectable()
export class FaqsService {
  constructor(
    private readonly tenants: TenantScope,
    private readonly change: KnowledgeChange,
  ) {}

  /**
   * Saves all of the batch or nothing. An unchanged question that is already indexed causes no work. A new question that already
   * exists updates that one: of two answers to the same question, only one could be given.
   */
  save(
    orgId: number,
    { KBID, faqs }: { readonly KBID: number; readonly faqs: readonly FaqToWrite[] },
    mayUpdate = true,
  ): Promise<SaveFaqsReply> {
    return this.change.make({ orgId, knowledgeBaseId: KBID, source: 'FAQ' }, async (manager, { key: KBKeyID }) => {
      const known = await knownFaqs(manager, KBID, faqs);
      const existing = await askedAlready(manager, KBID, faqs, known);
      const wordings = await Wordings.read(manager, KBID, { faqs, existing, known });
      const written: { faq: FaqEntity; outcome: SaveOutcome }[] = [];
      for (const [place, sent] of faqs.entries()) {
        const { KBFAQID, Question, Answer } = sent;
        const normalized = normalizedQuestion(Question ?? '');
        const found = existing.get(normalized);
        // An earlier entry of the batch may have reworded it.
        const same = found?.normalized === normalized ? found : undefined;
        if (same && KBFAQID > 0 && same.id !== KBFAQID) throw askedBefore(place, same);
        const faq = known.get(KBFAQID) ?? same ?? manager.create(FaqEntity, { orgId, knowledgeBaseId: KBID, ...newFaq() });
        const wordingsOf = wordings.of(sent, { faq, question: written[sent.row?.questionAt ?? place]?.faq ?? faq });
        const outcome = wordings.write(
          faq,
          { question: Question ?? faq.question, answer: Answer ?? faq.answer, wordingsOf },
          place,
        );
        if (outcome === 'UPDATED' && KBFAQID === 0 && !mayUpdate) throw askedBefore(place, faq);
        existing.set(faq.normalized, faq);
        written.push({ faq, outcome });
        if (place % faqsInARow === 0) await others();
      }
      const { changed, updated } = wordings.settled(new Set(written.map(({ faq }) => faq)));
      await inParts([...changed], (part) => manager.save(part));
      const saved = written.map(({ faq, outcome }) => {
        const isUpdated = outcome === 'UNCHANGED' && updated.has(faq);
        return { KBFAQKeyID: faq.key, KBFAQID: faq.id, outcome: isUpdated ? ('UPDATED' as const) : outcome };
      });
      const toIndex = [...written.map(({ faq }) => faq), ...changed];
      return {
        result: { KBKeyID, KBID, faqs: saved },
        jobs: toIndex.some((faq) => faq.indexedVersion !== faq.version || faq.deletedOn) ? [{ kind: 'ENTRIES' }] : [],
      };
    });
  }

  list(orgId: number, query: z.output<typeof listFaqs.request>): Promise<Page<PublicFaq>> {
    return this.tenants.read(orgId, async (manager) => {
      const { key } = await baseOf(manager, { id: query.KBID });
      const found = manager
        .createQueryBuilder(FaqEntity, 'faq')
        .where('faq.knowledge_base_id = :id AND faq.deleted_on IS NULL', { id: query.KBID });
      const search = { word: containing(query.searchName) };
      if (query.searchName) found.andWhere('(faq.question ILIKE :word OR faq.answer ILIKE :word)', search);
      const page = await pageOf(found, query, { by: `${found.alias}.${sortable[query.sortColumn]}` });
      return { ...page, rows: page.rows.map((faq) => wireOf(faq, key)) };
    });
  }

  get(orgId: number, key: string): Promise<PublicFaq> {
    return this.tenants.read(orgId, async (manager) => {
      const faq = await faqOf(manager, key);
      return wireOf(faq, await keyOfBase(manager, faq.knowledgeBaseId));
    });
  }

  read(orgId: number, { KBID, faqs }: z.output<typeof readFaqs.request>): Promise<z.input<typeof readFaqs.reply>> {
    return this.tenants.read(orgId, async (manager) => {
      const { key } = await baseOf(manager, { id: KBID });
      const id = In(faqs.map(({ KBFAQID }) => KBFAQID));
      const found = await manager.findBy(FaqEntity, { id, knowledgeBaseId: KBID, deletedOn: IsNull() });
      return { faqs: found.map((faq) => wireOf(faq, key)) };
    });
  }

  /** Includes deleted ones: statistics that counted them still name them. */
  find(orgId: number, ids: readonly number[]): Promise<z.input<typeof findFaqs.reply>> {
    return this.tenants.read(orgId, async (manager) => {
      const found = await manager.find(FaqEntity, { select: { id: true, key: true }, where: { id: In(ids) } });
      return { faqs: found.map(({ id, key }) => ({ KBFAQKeyID: key, KBFAQID: id })) };
    });
  }

  async delete(orgId: number, key: string): Promise<z.input<typeof deleteFaq.reply>> {
    const faq = await this.tenants.read(orgId, (manager) => faqOf(manager, key));
    return this.change.make({ orgId, knowledgeBaseId: faq.knowledgeBaseId, source: 'FAQ' }, async (manager) => {
      await manager.update(FaqEntity, { id: faq.id }, { deletedOn: new Date() });
      return { result: { KBFAQKeyID: faq.key, KBFAQID: faq.id }, jobs: [{ kind: 'ENTRIES' }] };
    });
  }
}

async function knownFaqs(
  manager: EntityManager,
  knowledgeBaseId: number,
  faqs: readonly FaqToWrite[],
): Promise<Map<number, FaqEntity>> {
  const ids = faqs.map(({ KBFAQID }) => KBFAQID).filter((id) => id > 0);
  if (new Set(ids).size < ids.length) throw new Fault('VALIDATION_FAILED', { message: 'A KBFAQID occurs twice in the batch.' });
  const found = await inParts(ids, (part) => manager.findBy(FaqEntity, { id: In(part), knowledgeBaseId, deletedOn: IsNull() }));
  if (found.length < ids.length)
    throw new Fault('NOT_FOUND', { message: 'A KBFAQID of the batch is not in this knowledge base.' });
  return new Map(found.map((faq) => [faq.id, faq]));
}

/** The questions of a batch that the knowledge base already has, by normalized text; the first if there are several. */
async function askedAlready(
  manager: EntityManager,
  knowledgeBaseId: number,
  faqs: readonly FaqToWrite[],
  known: ReadonlyMap<number, FaqEntity>,
): Promise<Map<string, FaqEntity>> {
  const normalized = faqs.flatMap(({ Question }) => (Question === undefined ? [] : [normalizedQuestion(Question)]));
  const found = await inParts(normalized, (part) => {
    const where = { knowledgeBaseId, normalized: In(part), deletedOn: IsNull() };
    return manager.find(FaqEntity, { where, order: { id: 'DESC' } });
  });
  return new Map(found.map((faq) => [faq.normalized, known.get(faq.id) ?? faq]));
}

function conflict(field: string, message: string): Fault {
  return new Fault('CONFLICT', { message, details: [{ field, message }] });
}

function askedBefore(place: number, { id, version }: FaqEntity): Fault {
  const where = version > 0 && id ? `as KBFAQID ${id}` : 'in this batch';
  return conflict(`faqs.${place}.Question`, `This question is there already, ${where}.`);
}

const newFaq = () => ({ key: randomUUID(), version: 0, indexedVersion: null, deletedOn: null, wordingsOf: null });

type FaqContent = Pick<FaqEntity, 'question' | 'answer' | 'wordingsOf'>;

/** The questions that a batch concerns, with their other wordings: these have one answer, whichever of them it is saved with. */
class Wordings {
  private readonly answers = new Map<string, { readonly faq: FaqEntity; readonly answer: string }>();
  private readonly changed = new Set<FaqEntity>();

  /** The answers that the rows of an import give to the wordings of a question. */
  private readonly claims: Map<string, string>;

  private constructor(
    private readonly stored: readonly FaqEntity[],
    /** The questions whose rows list all their wordings, with the answers of these rows. */
    private readonly listed: ReadonlyMap<string, string>,
  ) {
    this.claims = new Map(listed);
  }

  static async read(
    manager: EntityManager,
    knowledgeBaseId: number,
    {
      faqs,
      existing,
      known,
    }: Record<'existing' | 'known', ReadonlyMap<unknown, FaqEntity>> & { readonly faqs: readonly FaqToWrite[] },
  ): Promise<Wordings> {
    const concerned = [...new Set([...known.values(), ...existing.values()])];
    const related = await manager
      .createQueryBuilder(FaqEntity, 'faq')
      .where('faq.knowledge_base_id = :knowledgeBaseId AND faq.deleted_on IS NULL', { knowledgeBaseId })
      .andWhere('faq.wordings_of = ANY(:keys) AND faq.id <> ALL(:ids)', {
        keys: concerned.flatMap(({ key, wordingsOf }) => [key, ...(wordingsOf === null ? [] : [wordingsOf])]),
        ids: concerned.map(({ id }) => id),
      })
      .getMany();
    const listed = faqs.flatMap(({ Question = '', Answer = '', row }, place): [string, string][] => {
      const key = row?.questionAt === place && row.alternatives !== undefined && existing.get(normalizedQuestion(Question))?.key;
      return key ? [[key, Answer]] : [];
    });
    return new Wordings([...concerned, ...related], new Map(listed));
  }

  /** The wordings that a question belongs to, once it is saved. */
  of({ Answer = '', row }: FaqToWrite, { faq, question }: Record<'faq' | 'question', FaqEntity>): string | null {
    if (!row || (faq === question && row.alternatives === undefined)) {
      // Two rows of an import with different answers are two questions.
      if (!row || faq.wordingsOf === null) return faq.wordingsOf;
      if ((this.claims.get(faq.wordingsOf) ?? Answer) !== Answer) return null;
      this.claims.set(faq.wordingsOf, Answer);
      return faq.wordingsOf;
    }
    return row.alternatives === 0 ? null : question.key;
  }

  write(faq: FaqEntity, content: FaqContent, place?: number): SaveOutcome {
    const { question, answer, wordingsOf } = content;
    const isAnswered = faq.answer !== answer;
    const isLinked = faq.wordingsOf === null && wordingsOf !== null;
    const isUnchanged = faq.question === question && !isAnswered && (isLinked || faq.wordingsOf === wordingsOf);
    if (isLinked || !isUnchanged) this.changed.add(faq);
    faq.wordingsOf = wordingsOf;
    if (isUnchanged) return 'UNCHANGED';
    const outcome = faq.version === 0 ? 'CREATED' : 'UPDATED';
    const [version, updatedOn] = [faq.version + 1, new Date()];
    Object.assign(faq, { question, answer, normalized: normalizedQuestion(question), version, updatedOn });
    if (isAnswered && place !== undefined) this.answered(faq, place);
    return outcome;
  }

  private answered(faq: FaqEntity, place: number): void {
    if (faq.wordingsOf === null) return;
    const other = this.answers.get(faq.wordingsOf);
    if (other && other.faq !== faq && other.answer !== faq.answer)
      throw conflict(
        `faqs.${place}.Answer`,
        'This question is a wording of another one of this batch, which has another answer.',
      );
    this.answers.set(faq.wordingsOf, { faq, answer: faq.answer });
  }

  /** Gives all wordings of a question its new answer, and removes those that an import no longer lists. */
  settled(written: ReadonlySet<FaqEntity>): {
    readonly changed: ReadonlySet<FaqEntity>;
    readonly updated: ReadonlySet<FaqEntity>;
  } {
    const updated = new Set<FaqEntity>();
    const listing = new Map([...written].map((faq) => [faq.key, faq]));
    for (const faq of this.stored) {
      const { question, wordingsOf } = faq;
      const list = wordingsOf !== null && this.listed.has(wordingsOf) ? listing.get(wordingsOf) : undefined;
      const answer = (wordingsOf !== null && this.answers.get(wordingsOf)?.answer) || faq.answer;
      if (list && !written.has(faq)) {
        faq.deletedOn = new Date();
        this.changed.add(faq);
        updated.add(list);
      } else if (this.write(faq, { question, answer, wordingsOf }) !== 'UNCHANGED') updated.add(faq);
    }
    return { changed: this.changed, updated };
  }
}

async function faqOf(manager: EntityManager, key: string): Promise<FaqEntity> {
  const faq = await manager.findOneBy(FaqEntity, { key, deletedOn: IsNull() });
  if (!faq) throw notThere('FAQ');
  return faq;
}

function wireOf(faq: FaqEntity, KBKeyID: string): PublicFaq {
  return {
    KBFAQKeyID: faq.key,
    KBFAQID: faq.id,
    KBKeyID,
    KBID: faq.knowledgeBaseId,
    Question: faq.question,
    Answer: faq.answer,
    WordingsOf: faq.wordingsOf,
    CreatedOn: faq.createdOn.toISOString(),
    UpdatedOn: faq.updatedOn.toISOString(),
  };
}

@Controller()
export class FaqsController {
  constructor(private readonly faqs: FaqsService) {}

  @Handles(saveFaqs)
  save(body: z.output<typeof saveFaqs.request>, call: Call) {
    return this.faqs.save(organizationOf(call), body, isCallerPermitted(call, 'knowledge.CanUpdate'));
  }

  @Handles(listFaqs)
  list(query: z.output<typeof listFaqs.request>, call: Call) {
    return this.faqs.list(organizationOf(call), query);
  }

  @Handles(getFaq)
  get({ KBFAQKeyID }: { KBFAQKeyID: string }, call: Call) {
    return this.faqs.get(organizationOf(call), KBFAQKeyID);
  }

  @Handles(readFaqs)
  read(body: z.output<typeof readFaqs.request>, call: Call) {
    return this.faqs.read(organizationOf(call), body);
  }

  @Handles(findFaqs)
  find({ KBFAQIDs }: z.output<typeof findFaqs.request>, call: Call) {
    return this.faqs.find(organizationOf(call), KBFAQIDs);
  }

  @Handles(deleteFaq)
  delete({ KBFAQKeyID }: { KBFAQKeyID: string }, call: Call) {
    return this.faqs.delete(organizationOf(call), KBFAQKeyID);
  }
}
