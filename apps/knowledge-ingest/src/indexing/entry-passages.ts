import type { Citation, PassageKind } from '@parley/ports';
import type { CatalogItemEntity } from '../catalogue/catalog-item.entity';
import type { FaqEntity } from '../faqs/faq.entity';
import type { BusinessProfileEntity } from '../profile/business-profile.entity';

/** A passage before it is embedded. */
export interface PassageDraft {
  readonly kind: PassageKind;
  readonly text: string;
  /** What its vector is made of: of an FAQ only the question, because questions are compared with it. */
  readonly meaning: string;
  readonly citation: Citation;
}

const titleCharacters = 80;

const filled = (parts: readonly (string | false | undefined)[]) => parts.filter((part): part is string => Boolean(part));

export function faqPassages({ key, question, answer }: FaqEntity): PassageDraft[] {
  return [
    {
      kind: 'faq',
      text: `${question}\n${answer}`,
      meaning: question,
      citation: { key, title: question.slice(0, titleCharacters) },
    },
  ];
}

/** Separate passages for who we are, how to reach us and when we are open: a question is about one of them. */
export function profilePassages({ key, info }: BusinessProfileEntity): PassageDraft[] {
  const about = filled([info.business_name, info.business_type, info.industry, info.company_description]).join('. ');
  const contact = filled([
    info.office_address && `Address: ${info.office_address}`,
    info.support_phone && `Phone: ${info.support_phone}`,
    info.support_email && `E-mail: ${info.support_email}`,
    info.website_url && `Website: ${info.website_url}`,
  ]).join('. ');
  const hours = info.working_hours
    .map(({ day, is_open, open_time, close_time }) => `${day}: ${is_open ? `${open_time} to ${close_time}` : 'closed'}`)
    .join('. ');
  const texts = filled([
    about,
    contact && `Contact ${info.business_name}. ${contact}`,
    hours && `Opening hours (${info.timezone}). ${hours}`,
  ]);
  return texts.map((text) => ({ kind: 'profile', text, meaning: text, citation: { key, title: info.business_name } }));
}

export function itemPassages({ key, name, details }: Pick<CatalogItemEntity, 'key' | 'name' | 'details'>): PassageDraft[] {
  const sentences =
    'product_name' in details
      ? filled([
          details.category ? `${name} (${details.category})` : name,
          details.product_description,
          `Price: ${details.price} ${details.currency}`,
          details.availability ? 'Available' : 'Not available',
          details.warranty > 0 && `Warranty: ${details.warranty} months`,
          details.sku && `SKU: ${details.sku}`,
        ])
      : filled([
          name,
          details.service_description,
          `Price: ${details.service_price_range || `${details.service_price} ${details.currency}`}`,
          details.service_duration > 0 && `Duration: ${details.service_duration} minutes`,
          details.booking_required && 'Booking required',
          details.service_area.length > 0 && `Offered in ${details.service_area.join(', ')}`,
        ]);
  const text = `${sentences.join('. ')}.`;
  return [{ kind: 'catalogue', text, meaning: text, citation: { key, title: name } }];
}
