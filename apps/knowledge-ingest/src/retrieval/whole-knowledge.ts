import { Injectable } from '@nestjs/common';
import type { readWholeKnowledge } from '@parley/contracts';
import { TenantScope } from '@parley/database';
import { type Collection, passageId } from '@parley/ports';
import { countTokens } from '@parley/providers/token-count';
import { IsNull, Not } from 'typeorm';
import type { z } from 'zod';
import {
  type BusinessInfo,
  BusinessProfileEntity,
  CatalogItemEntity,
  DocumentEntity,
  FaqEntity,
  type KnowledgeBaseEntity,
} from '../database/entities';
import { Engines } from '../engines';
import { itemPassages, sourceName } from '../indexing/entry-indexing';
import { baseOf } from '../knowledge-bases/knowledge-change';
import { grouped, weekdayOf } from '../profile/opening-hours';
import { RevisionMemory } from './ready-answers';
import { estimatedTokens } from '../documents/parsing/chunking';

type Whole = z.input<typeof readWholeKnowledge.reply>;

interface Composed {
  readonly tokensMax: number;
  readonly whole: Whole;
}

interface ReadBase {
  readonly base: KnowledgeBaseEntity;
  readonly profile: BusinessInfo | null;
  readonly items: readonly CatalogItemEntity[];
  readonly faqs: readonly FaqEntity[];
  readonly documents: readonly DocumentEntity[];
}

/** More entries than this do not fit into a prompt, nor do documents with more passages than the tokens allow. */
const entriesReadMax = 1000;
const tokensPerPassageMin = 20;
const charactersPerEntry = 2000;

/** The text of whole knowledge bases, composed once per revision. */
@Injectable()
export class WholeKnowledge {
  private readonly composed = new RevisionMemory<Composed>(({ whole }) => Math.ceil(whole.text.length / charactersPerEntry));

  constructor(
    private readonly tenants: TenantScope,
    private readonly engines: Engines,
  ) {}

  async of(orgId: number, { KBID, tokensMax }: z.output<typeof readWholeKnowledge.request>): Promise<Whole> {
    const base = await this.tenants.read(orgId, (manager) => baseOf(manager, { id: KBID }));
    const known = await this.composed.of(base, () => this.compose(base, tokensMax));
    return known.tokensMax === tokensMax ? known.whole : (await this.compose(base, tokensMax)).whole;
  }

  /**
   * Adds what fits, part by part. A catalogue or a document is included completely or left to searching, because half a table
   * leads to wrong answers about the other half. The profile and the hours are always included.
   */
  private async compose(base: KnowledgeBaseEntity, tokensMax: number): Promise<Composed> {
    const read = await this.read(base);
    const sections = profileSections(read.profile);
    let tokens = sections.reduce((sum, section) => sum + tokensOf(section, Number.POSITIVE_INFINITY), 0);
    let isWhole = true;
    const take = (section: Section): void => {
      const more = tokensOf(section, tokensMax - tokens);
      const hasRoom = tokens + more <= tokensMax;
      isWhole &&= hasRoom;
      if (!hasRoom) return;
      sections.push(section);
      tokens += more;
    };
    if (tooMany(read.items) || tooMany(read.faqs)) isWhole = false;
    entrySections({ items: tooMany(read.items) ? [] : read.items, faqs: tooMany(read.faqs) ? [] : read.faqs }).forEach(take);
    for (const document of read.documents) {
      const canFit = tokens + document.chunkCount * tokensPerPassageMin <= tokensMax;
      if (canFit) take(await this.sectionOf(document));
      else isWhole = false;
    }
    const { profile } = read;
    const schedule = profile && {
      timezone: profile.timezone,
      working_hours: profile.working_hours,
      holidays: profile.holidays ?? [],
    };
    const text = [...sections.map(textOf), ...(isWhole ? [] : [omitted(read)])].join('\n\n');
    return { tokensMax, whole: { revision: read.base.revision, isWhole, text, tokens, schedule } };
  }

  private read({ id, orgId }: KnowledgeBaseEntity): Promise<ReadBase> {
    return this.tenants.read(orgId, async (manager) => {
      const inBase = { knowledgeBaseId: id, deletedOn: IsNull() };
      const page = { order: { id: 'ASC' }, take: entriesReadMax + 1 } as const;
      const base = await baseOf(manager, { id });
      const profile = await manager.findOneBy(BusinessProfileEntity, inBase);
      const items = await manager.find(CatalogItemEntity, { where: inBase, ...page });
      const faqs = await manager.find(FaqEntity, { where: inBase, ...page });
      const documents = await manager.find(DocumentEntity, { where: { ...inBase, indexedVersion: Not(IsNull()) }, ...page });
      return { base, profile: profile?.info ?? null, items, faqs, documents };
    });
  }

  private async sectionOf(document: DocumentEntity): Promise<Section> {
    const { id, orgId, knowledgeBaseId, indexedVersion, chunkCount, fileName } = document;
    const collection: Collection = { orgId, knowledgeBaseId };
    const place = { sourceId: sourceName('DOCUMENT', id), version: indexedVersion ?? 0 };
    const ids = Array.from({ length: chunkCount }, (_, ordinal) => passageId({ ...place, ordinal }));
    const { hitsMax } = this.engines.vectors.capabilities;
    const passages = [];
    for (let from = 0; from < ids.length; from += hitsMax)
      passages.push(...(await this.engines.vectors.read(collection, ids.slice(from, from + hitsMax))));
    const inOrder = passages.sort((one, other) => one.ordinal - other.ordinal);
    return documentSection(
      fileName,
      inOrder.map(({ text, citation }) => ({ text, heading: String(citation.heading ?? '') })),
    );
  }
}

const tooMany = (entries: readonly unknown[]): boolean => entries.length > entriesReadMax;

const namesToldMax = 40;

/** What else there is, so that a model knows what a search may find. */
function omitted({ items, faqs, documents }: ReadBase): string {
  const names = [...new Set(items.map(({ name }) => name))];
  const more = names.length > namesToldMax ? ` and ${names.length - namesToldMax} more` : '';
  const parts = [
    names.length > 0 ? `Products and services: ${names.slice(0, namesToldMax).join(', ')}${more}` : '',
    faqs.length > 0 ? `Questions and answers: ${faqs.length}` : '',
    documents.length > 0 ? `Documents: ${documents.map(({ fileName }) => fileName).join(', ')}` : '',
  ];
  return textOf({ heading: 'More than this text holds, to be searched', lines: parts.filter(Boolean) });
}

/** The contents of a knowledge base as text for a prompt. */
interface KnowledgeText {
  readonly profile: BusinessInfo | null;
  readonly items: readonly Pick<CatalogItemEntity, 'key' | 'name' | 'details'>[];
  readonly faqs: readonly Pick<FaqEntity, 'question' | 'answer'>[];
}

/** A part of the text with a heading of its own. */
interface Section {
  readonly heading: string;
  readonly lines: readonly string[];
}

/** Profile and hours: part of every prompt, whatever the size of the base. */
function profileSections(profile: BusinessInfo | null): Section[] {
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

/** Products, services and stored questions, in the order in which they were saved. */
function entrySections({ items, faqs }: Pick<KnowledgeText, 'items' | 'faqs'>): Section[] {
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

/** A document's text from its passages in order, without overlaps and repeated headings. */
function documentSection(fileName: string, texts: readonly { readonly text: string; readonly heading: string }[]): Section {
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

/** A section as it appears in a prompt. */
function textOf({ heading, lines }: Section): string {
  return [`# ${heading}`, ...lines].join('\n');
}

/**
 * A section's tokens, or a number above the limit if the text is far too long: counting takes a millisecond for every few
 * kilobytes.
 */
function tokensOf(section: Section, tokensMax: number): number {
  const text = textOf(section);
  const estimated = estimatedTokens(text);
  return estimated > tokensMax * estimateFactor ? estimated : countTokens(text) + 1;
}

/** By how much the estimate may exceed the actual count. */
const estimateFactor = 1.5;

function holidayLines({ holidays }: BusinessInfo): string[] {
  return [...holidays]
    .sort((one, other) => one.date.localeCompare(other.date))
    .map(({ date, opens, closes, note }) => {
      const hours = opens === '' ? 'closed' : `open ${opens} to ${closes}`;
      return `${date} (${weekdayOf(date)}): ${hours}${note === '' ? '' : `, ${oneLine(note)}`}`;
    });
}

const sharedLettersMax = 600;

/** The next passage without the beginning that it shares with the end of the previous one. */
function withoutShared(before: string, next: string): string {
  const end = before.slice(-sharedLettersMax);
  for (let from = 0; from < end.length; from += 1)
    if (next.startsWith(end.slice(from))) return next.slice(end.length - from).trimStart();
  return next;
}

/** User text must not look like one of our headings. */
const oneLine = (text: string): string => text.replace(/\s+/gu, ' ').trim();
