import { Injectable } from '@nestjs/common';
import type { SpeechLanguage } from '@parley/contracts';
import { TenantScope } from '@parley/database';
import { IsNull } from 'typeorm';
import { CatalogItemEntity } from '../catalogue/catalog-item.entity';
import { answerFromCatalogue, type CataloguedItem } from '../catalogue/catalogue-answer';
import type { PricedItem } from '../catalogue/price-answer';
import type { KnowledgeBaseEntity } from '../knowledge-bases/knowledge-base.entity';
import { topicsOf } from '../language/topics';
import { answerContact } from '../profile/contact-answer';
import { answerHours } from '../profile/hours-answer';
import { BusinessProfileEntity } from '../profile/business-profile.entity';
import { RevisionMemory } from './revision-memory';

/** An entry of the tables. */
export interface FactSource {
  readonly kind: 'BUSINESS_PROFILE' | 'PRODUCT' | 'SERVICE';
  readonly id: number;
  readonly keyID: string;
  readonly title: string;
}

/** An answer from the tables, and the entries that it was read in. */
export interface Fact {
  readonly text: string;
  readonly sources: readonly FactSource[];
}

type Item = CataloguedItem & { readonly source: FactSource };

interface Tables {
  readonly profile: BusinessProfileEntity | null;
  readonly items: readonly Item[];
}

interface Asked {
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
  async ofToday(base: KnowledgeBaseEntity, { question, language }: Asked): Promise<Fact | undefined> {
    const { profile, items } = await this.tablesOf(base);
    const hours = profile && hoursOf(profile, { question, language });
    if (hours) return hours;
    const answer = answerFromCatalogue(question, items, language);
    return answer && { text: answer.text, sources: answer.items.map(({ source }) => source) };
  }

  /** What somebody may have stored a better answer to. */
  async ofTheHouse(base: KnowledgeBaseEntity, { question, language }: Asked): Promise<Fact | undefined> {
    const { profile } = await this.tablesOf(base);
    return profile ? factOf(profile, answerContact(question, profile.info, language)) : undefined;
  }

  private tablesOf(base: KnowledgeBaseEntity): Promise<Tables> {
    return this.tables.of(base, () => this.read(base));
  }

  private read({ id, orgId }: KnowledgeBaseEntity): Promise<Tables> {
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
  return text === undefined ? undefined : { text, sources: [{ kind: 'BUSINESS_PROFILE', id, keyID: key, title: businessName }] };
}

function hoursOf(profile: BusinessProfileEntity, { question, language }: Asked): Fact | undefined {
  const { working_hours: hours, timezone: timeZone } = profile.info;
  return factOf(profile, answerHours(question, { hours, timeZone }, { language, atMs: Date.now() }));
}

function cataloguedItem(entity: CatalogItemEntity): Item {
  const { id, key, kind, name, details } = entity;
  const topics = topicsOf('category' in details ? `${name} ${details.category}` : name);
  return { ...pricedItem(entity), topics, source: { kind, id, keyID: key, title: name } };
}

function pricedItem({ name, details }: CatalogItemEntity): PricedItem {
  if ('product_name' in details) {
    const { price, currency, availability, sku } = details;
    return { kind: 'PRODUCT', name, price, currency, isAvailable: availability, sku };
  }
  const { service_price, currency, service_price_range, booking_required } = details;
  return {
    kind: 'SERVICE',
    name,
    price: service_price,
    currency,
    priceRange: service_price_range,
    needsBooking: booking_required,
  };
}
