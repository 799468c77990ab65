import { Injectable } from '@nestjs/common';
import type { SpeechLanguage } from '@parley/contracts';
import { TenantScope } from '@parley/database';
import { IsNull } from 'typeorm';
import { CatalogItemEntity } from '../catalogue/catalog-item.entity';
import { answerPrice, type PricedItem } from '../catalogue/price-answer';
import type { KnowledgeBaseEntity } from '../knowledge-bases/knowledge-base.entity';
import { answerHours, type Timetable } from '../profile/hours-answer';
import { BusinessProfileEntity } from '../profile/business-profile.entity';
import { RevisionMemory } from './revision-memory';

interface Tables {
  readonly timetable: Timetable | undefined;
  readonly items: readonly PricedItem[];
}

const itemsRead = 10_000;

/** Answers that are computed from tables and not found by likeness: opening hours, prices, availability. */
@Injectable()
export class Facts {
  private readonly tables = new RevisionMemory<Tables>(({ items }) => items.length);

  constructor(private readonly tenants: TenantScope) {}

  async answer(base: KnowledgeBaseEntity, question: string, language: SpeechLanguage): Promise<string | undefined> {
    const { timetable, items } = await this.tables.of(base, () => this.read(base));
    const hours = timetable && answerHours(question, timetable, { language, atMs: Date.now() });
    return hours ?? answerPrice(question, items, language);
  }

  private read({ id, orgId }: KnowledgeBaseEntity): Promise<Tables> {
    return this.tenants.read(orgId, async (manager) => {
      const profile = await manager.findOneBy(BusinessProfileEntity, { knowledgeBaseId: id, deletedOn: IsNull() });
      const items = await manager.find(CatalogItemEntity, {
        where: { knowledgeBaseId: id, deletedOn: IsNull() },
        order: { id: 'ASC' },
        take: itemsRead,
      });
      const timetable = profile && { hours: profile.info.working_hours, timeZone: profile.info.timezone };
      return { timetable: timetable ?? undefined, items: items.map(pricedItem) };
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
