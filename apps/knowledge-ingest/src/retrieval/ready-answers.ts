import { Injectable } from '@nestjs/common';
import type { SpeechLanguage } from '@parley/contracts';
import { TenantScope } from '@parley/database';
import {
  differsInMeaning,
  foldSpelling,
  hasPronoun,
  haveSameTopics,
  leansOnBefore,
  type Topics,
  topicsOf,
  wordsOf,
} from '@parley/language';
import type { Collection } from '@parley/ports';
import { LRUCache } from 'lru-cache';
import { In, IsNull } from 'typeorm';
import { type BusinessInfo, BusinessProfileEntity, CatalogItemEntity, FaqEntity, type SearchedBase } from '../database/entities';
import { answerFromCatalogue, type CataloguedItem, type PricedItem } from './catalogue-answer';
import { perUnit } from '../indexing/entry-indexing';
import { answerHours } from './hours-answer';
import { catalogueQuestionOf, hoursQuestionOf } from './table-questions';

type Contact = Pick<BusinessInfo, 'business_name' | 'office_address' | 'support_phone' | 'support_email'>;

interface Phrases {
  readonly at: (address: string) => string;
  readonly reached: (ways: string) => string;
  readonly or: string;
}

const sentences: Record<SpeechLanguage, Phrases> = {
  english: { at: (address) => `Our address is ${address}.`, reached: (ways) => `You reach us at ${ways}.`, or: ' or ' },
  hindi: { at: (address) => `हमारा पता है: ${address}।`, reached: (ways) => `आप हमसे यहाँ संपर्क कर सकते हैं: ${ways}।`, or: ' या ' },
  marathi: { at: (address) => `आमचा पत्ता: ${address}.`, reached: (ways) => `आमच्याशी संपर्क: ${ways}.`, or: ' किंवा ' },
};

const ofContact = new Set('number no detail details id नंबर नम्बर क्रमांक'.split(' ').map(foldSpelling));

/** Words with a single meaning in questions about the business itself. */
const sameAs = new Map(
  Object.entries({
    contact: 'email mail e human someone representative manager executive agent support care ईमेल मेल',
    address: 'pata patta',
  }).flatMap(([meant, words]) => words.split(' ').map((word) => [foldSpelling(word), meant] as const)),
);

/** The table entry that a fact comes from. */
interface TableSource {
  readonly kind: 'BUSINESS_PROFILE' | 'PRODUCT' | 'SERVICE';
  readonly id: number;
  readonly keyID: string;
  readonly title: string;
}

/** An answer from the tables, with the entries it was read from. */
export interface TableAnswer {
  readonly text: string;
  readonly sources: readonly TableSource[];
  /** Whether the question asks only for this, so that it may be given without a model. */
  readonly isPlain: boolean;
  /** Whether it lists every item that shares the question's words. */
  readonly isListed?: boolean;
}

type Item = CataloguedItem & { readonly source: TableSource };

interface Tables {
  readonly profile: BusinessProfileEntity | null;
  readonly items: readonly Item[];
}

interface TableQuestion {
  readonly question: string;
  readonly language: SpeechLanguage;
}

const itemsRead = 10_000;

/** Answers computed from tables instead of found by similarity: opening hours, prices, availability, address. */
@Injectable()
export class TableAnswers {
  private readonly tables = new RevisionMemory<Tables>(({ items }) => items.length);

  constructor(private readonly tenants: TenantScope) {}

  /** Facts that may change from day to day. */
  async ofToday(base: SearchedBase, { question, language }: TableQuestion): Promise<TableAnswer | undefined> {
    const { profile, items } = await this.tablesOf(base);
    const hours = profile && hoursOf(profile, { question, language });
    if (hours) return hours;
    const catalogueQuestion = catalogueQuestionOf(question);
    const answer = catalogueQuestion && answerFromCatalogue(catalogueQuestion, items, language);
    if (!answer) return undefined;
    const { text, items: told, isPlain, isListed } = answer;
    return { text, sources: told.map(({ source }) => source), isPlain, isListed };
  }

  /** Facts for which there may be a better stored answer. */
  async ofTheBusiness(base: SearchedBase, { question, language }: TableQuestion): Promise<TableAnswer | undefined> {
    const { profile } = await this.tablesOf(base);
    return profile ? tableAnswerOf(profile, answerContact(question, profile.info, language)) : undefined;
  }

  private tablesOf(base: SearchedBase): Promise<Tables> {
    return this.tables.of(base, () => this.read(base));
  }

  private read({ id, orgId }: SearchedBase): Promise<Tables> {
    return this.tenants.read(orgId, async (manager) => {
      const profile = await manager.findOneBy(BusinessProfileEntity, { knowledgeBaseId: id, deletedOn: IsNull() });
      const items = await manager.find(CatalogItemEntity, {
        where: { knowledgeBaseId: id, deletedOn: IsNull() },
        order: { id: 'ASC' },
        take: itemsRead,
      });
      return { profile, items: items.map(cataloguedItem) };
    });
  }
}

function tableAnswerOf({ id, key, businessName }: BusinessProfileEntity, text: string | undefined): TableAnswer | undefined {
  const source = { kind: 'BUSINESS_PROFILE' as const, id, keyID: key, title: businessName };
  return text === undefined ? undefined : { text, sources: [source], isPlain: true };
}

function hoursOf(profile: BusinessProfileEntity, { question, language }: TableQuestion): TableAnswer | undefined {
  const { working_hours: hours, timezone: timeZone, holidays, business_name: name, business_type: kind } = profile.info;
  if (hours.length === 0) return undefined;
  // The business's name and type may occur in a question about its hours.
  const hoursQuestion = hoursQuestionOf(question, `${name} ${kind}`);
  return (
    hoursQuestion &&
    tableAnswerOf(profile, answerHours(hoursQuestion, { hours, timeZone, holidays }, { language, atMs: Date.now() }))
  );
}

function cataloguedItem(entity: CatalogItemEntity): Item {
  const { id, key, kind, name, details } = entity;
  const topics = topicsOf('category' in details ? `${name} ${details.category}` : name);
  return { ...pricedItem(entity), topics, source: { kind, id, keyID: key, title: name } };
}

function pricedItem({ name, details }: CatalogItemEntity): PricedItem {
  if ('product_name' in details) {
    const { price, currency, availability, sku } = details;
    return { kind: 'PRODUCT', name, price, currency, isAvailable: availability, sku, per: perUnit(details) };
  }
  const { service_price, currency, service_price_range, booking_required } = details;
  return {
    kind: 'SERVICE',
    name,
    price: service_price ?? 0,
    currency: currency ?? '',
    priceRange: service_price_range,
    needsBooking: booking_required,
    per: perUnit(details),
  };
}

/** Where the business is or how to reach it, if a question asks only for that; otherwise undefined. */
export function answerContact(question: string, contact: Contact, language: SpeechLanguage): string | undefined {
  if (hasPronoun(question)) return undefined;
  const named = wordsOf(contact.business_name);
  const words = wordsOf(question).filter((word) => !ofContact.has(word) && !named.includes(word));
  const topics = topicsOf(words.map((word) => sameAs.get(word) ?? word).join(' '));
  if (topics.words.length > 0) return undefined;
  const { at, reached, or } = sentences[language];
  const ways = [contact.support_phone, contact.support_email].filter(Boolean);
  if (topics.concepts === 'PLACE' && contact.office_address) return at(contact.office_address);
  return topics.concepts === 'CONTACT' && ways.length > 0 ? reached(ways.join(or)) : undefined;
}

/** A question with a stored answer. */
interface StoredQuestion {
  readonly id: number;
  readonly question: string;
}

/** The stored questions of a knowledge base by topic: a paraphrase is found without a vector, in any language. */
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

  /** Undefined if no question asks the same, or several do, which requires a closer look. */
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

/** The newest stored questions are indexed by topic, up to this many; others are found only by vectors. */
const questionsRead = 5_000;

/** Finds the stored answer to a question with exactly the same topics, in any wording. Needs no vector. */
@Injectable()
export class StoredAnswers {
  private readonly questions = new RevisionMemory<QuestionsByTopic>(({ count }) => count);

  constructor(private readonly tenants: TenantScope) {}

  async answer(base: SearchedBase, question: string): Promise<FaqEntity | null> {
    const { id, orgId } = base;
    const stored = (await this.questions.of(base, () => this.read(base))).find(question);
    // Answers are given verbatim, so they are read from the table and not from the cache.
    if (!stored) return null;
    return this.tenants.read(orgId, (manager) =>
      manager.findOneBy(FaqEntity, { id: stored.id, question: stored.question, knowledgeBaseId: id, deletedOn: IsNull() }),
    );
  }

  /** Which of these ids still exist. */
  named({ orgId, knowledgeBaseId }: Collection, ids: readonly number[]): Promise<FaqEntity[]> {
    return this.tenants.read(orgId, (manager) =>
      manager.findBy(FaqEntity, { id: In(ids), knowledgeBaseId, deletedOn: IsNull() }),
    );
  }

  private read({ id, orgId }: SearchedBase): Promise<QuestionsByTopic> {
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

/** For all knowledge bases together; an entry takes a few hundred bytes. */
const entriesRemembered = 100_000;

/** Caches what was computed from a knowledge base's tables until the base changes. */
export class RevisionMemory<Worked> {
  private readonly known: LRUCache<number, { readonly revision: number; readonly worked: Worked }>;

  constructor(entriesOf: (worked: Worked) => number) {
    // An empty knowledge base takes space too.
    this.known = new LRUCache({ maxSize: entriesRemembered, sizeCalculation: ({ worked }) => entriesOf(worked) + 1 });
  }

  /** Recomputed when the knowledge base has changed; least recently used entries are evicted. */
  async of({ id, revision }: { id: number; revision: number }, read: () => Promise<Worked>): Promise<Worked> {
    const known = this.known.get(id);
    if (known?.revision === revision) return known.worked;
    const worked = await read();
    this.known.set(id, { revision, worked });
    return worked;
  }
}
