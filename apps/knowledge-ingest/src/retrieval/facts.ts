import { Injectable } from '@nestjs/common';
import type { SpeechLanguage } from '@parley/contracts';
import { TenantScope } from '@parley/database';
import { IsNull } from 'typeorm';
import { CatalogItemEntity } from '../catalogue/catalog-item.entity';
import { answerPrice, type PricedItem } from '../catalogue/price-answer';
import type { KnowledgeBaseEntity } from '../knowledge-bases/knowledge-base.entity';
import { answerHours, type Timetable } from '../profile/hours-answer';
import { BusinessProfileEntity } from '../profile/business-profile.entity';

interface Tables {
  readonly revision: number;
  readonly timetable: Timetable | undefined;
  readonly items: readonly PricedItem[];
}

const basesRemembered = 200;
const itemsRead = 10_000;

/** Answers that are computed from tables and not found by likeness: opening hours, prices, availability. */
@Injectable()
export class Facts {
  private readonly tables = new Map<number, Tables>();

  constructor(private readonly tenants: TenantScope) {}

  async answer(base: KnowledgeBaseEntity, question: string, language: SpeechLanguage): Promise<string | undefined> {
    const { timetable, items } = await this.tablesOf(base);
    const hours = timetable && answerHours(question, timetable, { language, atMs: Date.now() });
    return hours ?? answerPrice(question, items, language);
  }

  /** Read anew when the knowledge base has changed since; the one read longest ago makes room. */
  private async tablesOf(base: KnowledgeBaseEntity): Promise<Tables> {
    const known = this.tables.get(base.id);
    if (known?.revision === base.revision) return known;
    const tables = await this.read(base);
    this.tables.delete(base.id);
    this.tables.set(base.id, tables);
    const oldest = this.tables.keys().next().value;
    if (this.tables.size > basesRemembered && oldest !== undefined) this.tables.delete(oldest);
    return tables;
  }

  private read({ id, orgId, revision }: KnowledgeBaseEntity): Promise<Tables> {
    return this.tenants.read(orgId, async (manager) => {
      const profile = await manager.findOneBy(BusinessProfileEntity, { knowledgeBaseId: id, deletedOn: IsNull() });
      const items = await manager.find(CatalogItemEntity, {
        where: { knowledgeBaseId: id, deletedOn: IsNull() },
        order: { id: 'ASC' },
        take: itemsRead,
      });
      const timetable = profile && { hours: profile.info.working_hours, timeZone: profile.info.timezone };
      return { revision, timetable: timetable ?? undefined, items: items.map(pricedItem) };
    });
  }
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
