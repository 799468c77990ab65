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

/** Words that mean nothing else in a question for the business itself. */
const sameAs = new Map(
  Object.entries({
    contact: 'email mail e human someone representative manager executive agent support care ईमेल मेल',
    address: 'pata patta',
  }).flatMap(([meant, words]) => words.split(' ').map((word) => [foldSpelling(word), meant] as const)),
);

/** An entry of the tables. */
interface FactSource {
  readonly kind: 'BUSINESS_PROFILE' | 'PRODUCT' | 'SERVICE';
  readonly id: number;
  readonly keyID: string;
  readonly title: string;
}

/** An answer from the tables, and the entries that it was read in. */
export interface Fact {
  readonly text: string;
  readonly sources: readonly FactSource[];
  /** Whether the question asks for this and nothing else: then it may be given without a model. */
  readonly isPlain: boolean;
  /** Whether it is the list of all items that share the words of the question. */
  readonly isListed?: boolean;
}

type Item = CataloguedItem & { readonly source: FactSource };

interface Tables {
  readonly profile: BusinessProfileEntity | null;
  readonly items: readonly Item[];
}

interface FactQuestion {
  readonly question: string;
  readonly language: SpeechLanguage;
}

const itemsRead = 10_000;

/** Answers that are computed from tables and not found by likeness: opening hours, prices, availability, address. */
@Injectable()
export class Facts {
  private readonly tables = new RevisionMemory<Tables>(({ items }) => items.length);

  constructor(private readonly tenants: TenantScope) {}

  /** What may be another answer tomorrow. */
  async ofToday(base: SearchedBase, { question, language }: FactQuestion): Promise<Fact | undefined> {
    const { profile, items } = await this.tablesOf(base);
    const hours = profile && hoursOf(profile, { question, language });
    if (hours) return hours;
    const asked = catalogueQuestionOf(question);
    const answer = asked && answerFromCatalogue(asked, items, language);
    if (!answer) return undefined;
    const { text, items: told, isPlain, isListed } = answer;
    return { text, sources: told.map(({ source }) => source), isPlain, isListed };
  }

  /** Facts for which a better stored answer may exist. */
  async ofTheBusiness(base: SearchedBase, { question, language }: FactQuestion): Promise<Fact | undefined> {
    const { profile } = await this.tablesOf(base);
    return profile ? factOf(profile, answerContact(question, profile.info, language)) : undefined;
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

function factOf({ id, key, businessName }: BusinessProfileEntity, text: string | undefined): Fact | undefined {
  const source = { kind: 'BUSINESS_PROFILE' as const, id, keyID: key, title: businessName };
  return text === undefined ? undefined : { text, sources: [source], isPlain: true };
}

function hoursOf(profile: BusinessProfileEntity, { question, language }: FactQuestion): Fact | undefined {
  const { working_hours: hours, timezone: timeZone, holidays, business_name: name, business_type: kind } = profile.info;
  // The words of its name and of its kind may occur in a question for its hours.
  const asked = hoursQuestionOf(question, `${name} ${kind}`);
  return asked && factOf(profile, answerHours(asked, { hours, timeZone, holidays }, { language, atMs: Date.now() }));
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

/** Where the business is, or how to reach it, where a question asks for nothing else; undefined for other questions. */
export function answerContact(question: string, contact: Contact, language: SpeechLanguage): string | undefined {
  if (hasPronoun(question)) return undefined;
  const named = wordsOf(contact.business_name);
  const said = wordsOf(question).filter((word) => !ofContact.has(word) && !named.includes(word));
  const asked = topicsOf(said.map((word) => sameAs.get(word) ?? word).join(' '));
  if (asked.words.length > 0) return undefined;
  const { at, reached, or } = sentences[language];
  const ways = [contact.support_phone, contact.support_email].filter(Boolean);
  if (asked.concepts === 'PLACE' && contact.office_address) return at(contact.office_address);
  return asked.concepts === 'CONTACT' && ways.length > 0 ? reached(ways.join(or)) : undefined;
}

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

  /** Undefined when none asks the same, or several do: then a closer reading is needed. */
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

/** The topics of the newest stored questions are indexed, up to this many; others are found by meaning only. */
const questionsRead = 5_000;

/** Finds the stored answer to a question about the very same, in any wording. Costs no vector. */
@Injectable()
export class StoredAnswers {
  private readonly questions = new RevisionMemory<QuestionsByTopic>(({ count }) => count);

  constructor(private readonly tenants: TenantScope) {}

  async answer(base: SearchedBase, question: string): Promise<FaqEntity | null> {
    const { id, orgId } = base;
    const stored = (await this.questions.of(base, () => this.read(base))).find(question);
    // Answers are given verbatim, so they are read from the table and not from memory.
    if (!stored) return null;
    return this.tenants.read(orgId, (manager) =>
      manager.findOneBy(FaqEntity, { id: stored.id, question: stored.question, knowledgeBaseId: id, deletedOn: IsNull() }),
    );
  }

  /** Those of these ids that are there. */
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

/** Of all knowledge bases together; an entry is a few hundred bytes. */
const entriesRemembered = 100_000;

/** Caches what was computed from a knowledge base's tables for as long as it has not changed. */
export class RevisionMemory<Worked> {
  private readonly known: LRUCache<number, { readonly revision: number; readonly worked: Worked }>;

  constructor(entriesOf: (worked: Worked) => number) {
    // An empty knowledge base takes room as well.
    this.known = new LRUCache({ maxSize: entriesRemembered, sizeCalculation: ({ worked }) => entriesOf(worked) + 1 });
  }

  /** Read again when the knowledge base has changed; the longest unread are evicted. */
  async of({ id, revision }: { id: number; revision: number }, read: () => Promise<Worked>): Promise<Worked> {
    const known = this.known.get(id);
    if (known?.revision === revision) return known.worked;
    const worked = await read();
    this.known.set(id, { revision, worked });
    return worked;
  }
}
