import { countTokens } from '@parley/providers/token-count';
import { estimatedTokens } from '../retrieval/tokens';
import type { CatalogItemEntity } from '../catalogue/catalog-item.entity';
import type { FaqEntity } from '../faqs/faq.entity';
import { itemPassages } from '../indexing/entry-passages';
import type { BusinessInfo } from '../profile/business-profile.entity';
import { grouped, weekdayOf } from '../profile/opening-hours';

/** Everything that a knowledge base holds, as it is told in a prompt. */
export interface Told {
  readonly profile: BusinessInfo | null;
  readonly items: readonly Pick<CatalogItemEntity, 'key' | 'name' | 'details'>[];
  readonly faqs: readonly Pick<FaqEntity, 'question' | 'answer'>[];
}

/** A part of the text under a heading of its own. */
export interface Section {
  readonly heading: string;
  readonly lines: readonly string[];
}

/** Who the business is and when it is open: the part that every prompt has, whatever the size of the base. */
export function profileSections(profile: BusinessInfo | null): Section[] {
  if (!profile) return [];
  const facts: [name: string, fact: string][] = [
    ['Name', profile.business_name],
    ['Kind', profile.business_type],
    ['Industry', profile.industry],
    ['About', profile.company_description],
    ['Telephone', profile.support_phone],
    ['E-mail', profile.support_email],
    ['Website', profile.website_url],
    ['Address', profile.office_address],
  ];
  const about = facts.flatMap(([name, fact]) => (fact.trim() === '' ? [] : [`${name}: ${oneLine(fact)}`]));
  return [
    { heading: 'The business', lines: about },
    { heading: `Weekly opening hours (${profile.timezone})`, lines: grouped(profile.working_hours) },
    { heading: 'Days with other hours', lines: holidayLines(profile) },
  ].filter(({ lines }) => lines.length > 0);
}

/** Products, services, stored questions: in the order in which they were saved. */
export function entrySections({ items, faqs }: Pick<Told, 'items' | 'faqs'>): Section[] {
  return [
    {
      heading: 'Products and services',
      lines: items.flatMap((item) => itemPassages(item).map(({ text }) => `- ${oneLine(text)}`)),
    },
    {
      heading: 'Questions and answers',
      lines: faqs.map(({ question, answer }) => `Q: ${oneLine(question)}\nA: ${answer.trim()}`),
    },
  ].filter(({ lines }) => lines.length > 0);
}

/** The text of a document out of its passages in order: what two of them share is told once, a heading once for all that it is over. */
export function documentSection(
  fileName: string,
  texts: readonly { readonly text: string; readonly heading: string }[],
): Section {
  const lines: string[] = [];
  let heading = '';
  let before = '';
  for (const passage of texts) {
    const body = passage.heading === '' ? passage.text : passage.text.slice(passage.heading.length).trimStart();
    const isSame = passage.heading === heading;
    if (!isSame && passage.heading !== '') lines.push(`## ${passage.heading}`);
    lines.push(isSame ? withoutShared(before, body) : body);
    [heading, before] = [passage.heading, body];
  }
  return { heading: `Document: ${oneLine(fileName)}`, lines: lines.filter((line) => line !== '') };
}

/** A section as a prompt has it. */
export function textOf({ heading, lines }: Section): string {
  return [`# ${heading}`, ...lines].join('\n');
}

/**
 * How many tokens a section takes, or as many as are too many: what is far too long is not counted, for counting takes a millisecond for
 * every few kilobytes.
 */
export function tokensOf(section: Section, tokensMax: number): number {
  const text = textOf(section);
  const estimated = estimatedTokens(text);
  return estimated > tokensMax * estimateFactor ? estimated : countTokens(text) + 1;
}

/** How far the estimate may be above what a text really takes. */
const estimateFactor = 1.5;

function holidayLines({ holidays = [] }: BusinessInfo): string[] {
  return [...holidays]
    .sort((one, other) => one.date.localeCompare(other.date))
    .map(({ date, opens, closes, note }) => {
      const hours = opens === '' ? 'closed' : `open ${opens} to ${closes}`;
      return `${date} (${weekdayOf(date)}): ${hours}${note === '' ? '' : `, ${oneLine(note)}`}`;
    });
}

const sharedLettersMax = 600;

/** What follows when the end of one passage is the beginning of the next. */
function withoutShared(before: string, next: string): string {
  const end = before.slice(-sharedLettersMax);
  for (let from = 0; from < end.length; from += 1)
    if (next.startsWith(end.slice(from))) return next.slice(end.length - from).trimStart();
  return next;
}

/** What people type must not look like headings of ours. */
const oneLine = (text: string): string => text.replace(/\s+/gu, ' ').trim();
