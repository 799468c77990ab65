import { withRunsEnded } from '@parley/language';
import type { Grounds } from '@parley/ports';
import { LRUCache } from 'lru-cache';
import { packIn, perUnitIn, pricedField } from './amount';
import type { BaseFacts, BusinessContact, FactItem, ItemAttribute, Pack, QuotableSentence } from './base-facts';

const sentences = new Intl.Segmenter('und', { granularity: 'sentence' });
/** Abbreviations, whose dot does not end a sentence. */
const unfinished = /(?:^|[\s("'])(?:Dr|Mr|Mrs|Ms|Prof|St|Smt|Shri|No|Rs|approx|e\.g|i\.e|डॉ|श्री|प्रा|रु|क्र)\.\s*$/u;
const noContact: BusinessContact = { Name: '', Kind: '', About: '', Telephone: '', 'E-mail': '', Website: '', Address: '' };

interface Section {
  readonly heading: string;
  readonly lines: readonly string[];
}

const basesRemembered = 50;
const basesRead = new LRUCache<string, BaseFacts>({ max: basesRemembered });

/** The facts of a knowledge base and of the passages found in it. A base is parsed once and then cached. */
export function factsOf(knowledge: string, passages: Grounds['passages']): BaseFacts {
  const known = basesRead.get(knowledge) ?? readFacts(withRunsEnded(knowledge));
  basesRead.set(knowledge, known);
  // A passage with a score but without an excerpt is already in the knowledge.
  const found = readPassages(
    passages.filter(({ title, excerpt, score }) => title !== '' && (excerpt !== '' || score === undefined)),
  );
  return {
    contact: known.contact,
    items: withoutRepeated([...known.items, ...found.items], ({ kind, name, category, attributes }) =>
      [
        kind === 'entry' && category !== '' ? `${name} (${category})` : name,
        ...attributes.map(({ name: field, value }) => `${field}: ${value}`),
      ].join('; '),
    ),
    statements: withoutRepeated([...known.statements, ...found.statements], ({ text }) => text),
  };
}

/** A retrieved passage may also be part of the knowledge; its facts are kept once. */
function withoutRepeated<Item>(items: readonly Item[], textOf: (one: Item) => string): Item[] {
  return [...new Map(items.toReversed().map((one) => [textOf(one), one])).values()].toReversed();
}

/**
 * Parses the text of a knowledge base as prompts contain it: sections under `# `, entries as `- `, stored questions as `Q:` and
 * `A:`, table rows as `Column: value; Column: value`. Anything else is split into sentences.
 */
export function readFacts(text: string): BaseFacts {
  const sections = sectionsOf(text);
  const contact: Record<string, string> = { ...noContact };
  const items: FactItem[] = [];
  const statements: QuotableSentence[] = [];
  for (const { heading, lines } of sections) {
    if (heading === 'The business') readContact(lines, contact);
    else if (heading === 'Products and services') items.push(...lines.map(entryOf));
    else if (heading === 'Questions and answers') statements.push(...storedOf(lines));
    else if (heading.startsWith('Document: ')) readDocument(lines, { items, statements });
  }
  if (contact['About']) statements.push(...statementsOf(contact['About'], ''));
  const named = withFullNames(items);
  statements.push(...named.flatMap(describedBy));
  return { contact: { ...noContact, ...contact }, items: named, statements };
}

/**
 * Brackets at the end of a name are read as its category, but may also be part of the name. They are part of it if several items have the
 * same name, or if they contain a size.
 */
function withFullNames(items: readonly FactItem[]): FactItem[] {
  const entries = items.filter(({ kind, category }) => kind === 'entry' && category !== '');
  const called = Map.groupBy(entries, ({ name }) => name);
  return items.map((item) => {
    const { kind, name, category } = item;
    const isOfName = kind === 'entry' && category !== '' && ((called.get(name)?.length ?? 0) > 1 || tellsApart.test(category));
    return isOfName ? { ...item, name: `${name} (${category})`, category: '' } : item;
  });
}

/** Sizes, ages and what is left out, which are not categories. */
const tellsApart =
  /\d|^(?:X*[SML]|AC|A\/C|small|large|medium|big|adults?|child|children|kids?|single|double|full|half|एसी|छोट[ाीे]|बड़[ाीे]|लहान.*|मोठ.*|मध्यम|साद[ाीे]|सिंगल|डबल)$|^(?:non|without|with|no|बिना|बिगर|विना)(?![\p{L}\p{M}])/iu;

/** The sentences of an item's description. */
function describedBy({ name, description }: FactItem): QuotableSentence[] {
  return description === '' ? [] : statementsOf(description, name).map((one) => ({ ...one, of: name }));
}

/** Parses the passages of a knowledge base that is too large to be read whole. */
function readPassages(passages: readonly { readonly title: string; readonly text: string }[]): BaseFacts {
  const items: FactItem[] = [];
  const statements: QuotableSentence[] = [];
  for (const { title, text } of passages) {
    // The business schedule has the opening hours, for the right location.
    if (isOfHours.test(text)) continue;
    const lines = text.split('\n');
    if (lines.some(isEntry)) items.push(...lines.filter(isEntry).map(entryOf));
    else if (/[?？]$/u.test(lines[0] ?? '') && lines.length > 1)
      statements.push(...storedOf([`Q: ${lines[0]}`, ...lines.slice(1)]));
    else
      readDocument(lines.length > 1 && !isRow(lines[0] ?? '') ? [`## ${lines[0]}`, ...lines.slice(1)] : [title, ...lines], {
        items,
        statements,
      });
  }
  return { contact: noContact, items: withFullNames(items), statements };
}

const isOfHours = /^Opening hours \(/u;

/** Whether a line is a catalogue entry: one line with a price. */
export function isEntry(line: string): boolean {
  return /\. Price: [^.;]+/u.test(line) && !isRow(line);
}

function sectionsOf(text: string): Section[] {
  const sections: { heading: string; lines: string[] }[] = [];
  for (const line of text.split('\n')) {
    if (line.startsWith('# ')) sections.push({ heading: line.slice(2), lines: [] });
    else if (line.trim() !== '') sections.at(-1)?.lines.push(line);
  }
  return sections;
}

function readContact(lines: readonly string[], contact: Record<string, string>): void {
  for (const line of lines) {
    const [, name = '', value = ''] = /^([A-Z][A-Za-z-]+): (.*)$/u.exec(line) ?? [];
    if (name in contact) contact[name] = value;
  }
}

/** The stored questions and answers. An answer may have several lines. */
function storedOf(lines: readonly string[]): QuotableSentence[] {
  const stored: { heading: string; text: string }[] = [];
  for (const line of lines) {
    const last = stored.at(-1);
    if (line.startsWith('Q: ')) stored.push({ heading: line.slice(3), text: '' });
    else if (last) last.text = `${last.text} ${line.replace(/^A: /u, '')}`.trim();
  }
  return stored.map((one) => ({ ...one, before: '', after: '', isStored: true }));
}

function readDocument(lines: readonly string[], found: { items: FactItem[]; statements: QuotableSentence[] }): void {
  let heading = '';
  for (const line of lines) {
    if (line.startsWith('## ')) heading = line.slice(3);
    else if (isRow(line) && isRule(line)) found.statements.push(ruleOf(line, heading));
    else if (isRow(line)) found.items.push(rowOf(line, heading));
    else if (isHeading(line)) heading = line.trim();
    else if (line.trim() !== heading) found.statements.push(...statementsOf(line, heading));
  }
}

function statementsOf(text: string, heading: string): QuotableSentence[] {
  const parts: string[] = [];
  for (const { segment } of sentences.segment(text)) {
    const last = parts.at(-1);
    if (last !== undefined && unfinished.test(last)) parts[parts.length - 1] = last + segment;
    else parts.push(segment);
  }
  const written = parts.map((part) => part.trim()).filter((part) => /[\p{L}\p{N}]/u.test(part));
  // A few words without a digit or a full stop are a heading whose `#` was lost.
  let over = heading;
  return written.flatMap((one, place) => {
    if (isHeading(one) && place < written.length - 1) {
      over = `${heading} ${one}`.trim();
      return [];
    }
    const isOver = place < written.length - 1 && isInLine(one, place);
    if (isOver) over = `${heading} ${one}`.trim();
    return isOver && one.split(/\s+/u).length <= inLineWordsMax ? [] : [statementOf(one, place)];
  });

  function beside(place: number): string {
    const one = written[place] ?? '';
    return isHeading(one) || isInLine(one, place) ? '' : one;
  }

  function statementOf(one: string, place: number): QuotableSentence {
    return {
      text: one,
      heading: over,
      before: beside(place - 1),
      after: beside(place + 1),
      isStored: false,
    };
  }
}

/** Whether a line begins with its own heading: "Waiting. The first hour is free." */
function isInLine(one: string, place: number): boolean {
  const isShort = one.split(/\s+/u).length <= inLineWordsMax || (place === 0 && asksInHeading.test(one));
  return isShort && !isReply.test(one) && isHeading(one.replace(/[.:।]$/u, ''));
}

const headingWordsMax = 4;
const inLineWordsMax = 2;
const asksInHeading = /^(?:in|on|at|for|after|before|what|how|when|where|who|if)\s/iu;
const isReply = /^(?:yes|no|never|always|हाँ|हां|नहीं|हो|नाही)(?![\p{L}\p{M}])/iu;

function isHeading(line: string): boolean {
  return !/[\d.!?।:;]/u.test(line) && line.trim().split(/\s+/u).length <= headingWordsMax;
}

/** How the fields of a catalogue entry are written, and what each of them is called. */
const fields: readonly (readonly [RegExp, (found: string) => ItemAttribute])[] = [
  [/^Price: (.+)$/u, (found) => priceOf(found)],
  [/^Warranty: (\d+) months$/u, (value) => ({ name: 'Warranty', value, unit: 'months' })],
  [/^Duration: ([1-9]\d*) minutes$/u, (value) => ({ name: 'Duration', value, unit: 'minutes' })],
  [/^SKU: (.+)$/u, (value) => ({ name: 'SKU', value, unit: '' })],
  [/^(Available|Not available)$/u, (value) => ({ name: 'Availability', value, unit: '' })],
  [/^(Booking required)$/u, (value) => ({ name: 'Booking', value, unit: '' })],
  [/^Offered in (.+)$/u, (value) => ({ name: 'Area', value, unit: '' })],
];

const pricePer = /^([\d.]+) ([A-Z]{3})(?: per (.+))?$/u;

function priceOf(found: string): ItemAttribute {
  const [, value = found, unit = '', per = ''] = pricePer.exec(found) ?? [];
  return { name: per === '' || packPriced(per) ? 'Price' : `Price per ${per}`, value, unit };
}

/** Parses the pack of a price: "box of 100". */
function packPriced(per: string): Pack | undefined {
  const [written, word = '', size = ''] = /^(.+) of (\d+)$/u.exec(per) ?? [];
  return written === undefined ? undefined : { word, size: Number(size), of: '', written };
}

/** Parses a catalogue entry: `- Steel kettle (Kitchen). For four cups. Price: 1499 INR. Available.` */
function entryOf(line: string): FactItem {
  const parts = line
    .replace(/^- /u, '')
    .replace(/\.$/u, '')
    .split(/\. (?=[\p{L}\p{N}])/u);
  const attributes: ItemAttribute[] = [];
  const sentences: string[] = [];
  for (const part of parts.slice(1)) {
    const [known] = fields.flatMap(([form, of]) => {
      const value = form.exec(part)?.[1];
      return value === undefined ? [] : [of(value)];
    });
    if (known) attributes.push(known);
    else sentences.push(part);
  }
  const [, name = parts[0] ?? '', category = ''] = /^(.+?)(?: \(([^()]+)\))?$/u.exec(parts[0] ?? '') ?? [];
  const isProduct = attributes.some(({ name: field }) => field === 'Availability');
  const text = sentences.map((part) => part.replace(/\.$/u, '')).join('. ');
  const per = attributes.some(({ name: field }) => field === 'Price') ? perUnitIn(text) : undefined;
  const description = per?.rest ?? text;
  const packed = parts.map((part) => pricePer.exec(part.replace(/^Price: /u, ''))?.[3]).find((one) => one !== undefined);
  return {
    kind: 'entry',
    name: isProduct ? name : (parts[0] ?? ''),
    category: isProduct ? category : '',
    description:
      description === '' || /[.।!?]$/u.test(description) ? description : `${description}${text.includes('।') ? '।' : '.'}`,
    attributes: per
      ? attributes.map((one) => (one.name === 'Price' ? { ...one, name: `Price per ${per.unit}` } : one))
      : attributes,
    pack: packPriced(packed ?? '') ?? packIn(parts[0] ?? '') ?? packIn(description),
  };
}

const cell = /^([^:;]{1,60}): (.+)$/u;
const cellsMin = 2;

/** Whether a line is a table row as stored in documents: `Part: Radiator; Price (INR): 6900`. */
export function isRow(line: string): boolean {
  const cells = line.split('; ');
  return cells.length >= cellsMin && cells.every((one) => cell.test(one));
}

const cellsOf = (line: string) =>
  line.split('; ').map((one) => {
    const [, name = '', value = ''] = cell.exec(one) ?? [];
    return { name: name.trim(), value: value.trim() };
  });

const ruleNamed =
  /^(?:rules?|polic(?:y|ies)|terms?|conditions?|topics?|subjects?|matters?|notes?|situations?|cases?|नियम|विषय|बाब|अट|अटी|शर्त|शर्तें|टीप|धोरण)$/iu;
const detailNamed = /^(?:details?|descriptions?|remarks?|explanations?|meaning|तपशील|विवरण|माहिती|ब्योरा|जानकारी|वर्णन)$/iu;
const thingNamed = /product|item|service|plan|package|room|course|part|model|वस्तू|सेवा|उत्पाद|उत्पादन/iu;
const sentenceWordsMin = 3;

/** Whether a table row is a rule: its table is called rules or similar, or it states a condition in words and has no item that is sold. */
function isRule(line: string): boolean {
  const [first, ...others] = cellsOf(line);
  if (first === undefined || ruleNamed.test(first.name)) return first !== undefined;
  const isTold = others.some(({ name, value }) => detailNamed.test(name) && value.split(/\s+/u).length >= sentenceWordsMin);
  const hasWords = others.every(({ value }) => !/^[₹\d][\d,.]*$/u.test(value));
  return isTold && hasWords && !thingNamed.test(first.name);
}

/** A rule as a sentence: "Late cancellation: less than four hours before; charge: half the price." */
function ruleOf(line: string, heading: string): QuotableSentence {
  const [first, ...others] = cellsOf(line);
  const fields = others.map(({ name, value }) =>
    detailNamed.test(name) || isSaidByItself.test(value) ? value : `${name.toLowerCase()}: ${value}`,
  );
  const end = /[\u0900-\u097f]/u.test(line) ? '' : '.';
  return { text: `${first?.value ?? ''}: ${fields.join('; ')}${end}`, heading, before: '', after: '', isStored: false };
}

/** Values that are clear without the name of their column, such as "10 percent" and "no charge". */
const isSaidByItself = /%|percent|प्रतिशत|टक्के|\b(?:free|no)\b|मोफत|मुफ़्त|\p{L}.*\p{L}.*\s\p{L}/iu;

/** Parses a table row as an item. Its name consists of its first cell and the other cells that are not numbers. */
function rowOf(line: string, heading: string): FactItem {
  const attributes = cellsOf(line).map(({ name, value }) => attributeOf(name, value));
  const firstFigure = attributes.findIndex(({ value }, place) => place > 0 && /^[\d₹]/u.test(value));
  const naming = attributes.slice(0, firstFigure === -1 ? 1 : Math.min(firstFigure, namingMax));
  const [first = '', ...others] = naming.map(({ value }) => value);
  const name = others.length > 0 ? `${first} (${others.join(', ')})` : first;
  return {
    kind: 'row',
    name,
    category: `${heading} ${attributes[0]?.name ?? ''}`.trim(),
    description: '',
    attributes: attributes.slice(1),
    pack: undefined,
  };
}

const namingMax = 2;

/** Parses a field with its unit, which stands in the column's name, in brackets or after a comma, or after the number. */
function attributeOf(named: string, value: string): ItemAttribute {
  const [, name = named, inBrackets, behindComma] = /^(.+?)\s*(?:\(([^)]{1,40})\)|,\s*([^,]{1,24}))\s*$/u.exec(named) ?? [];
  const inName = inBrackets ?? behindComma ?? '';
  const priced = pricedField(name, inName, value);
  if (priced) return priced;
  const isMeasure = /^(?:[₹$€£]|Rs\.?\s*|INR\s*)?[\d.,]+(?:\s?[-–]\s?[\d.,]+)?$/u.test(value);
  return { name, value, unit: isMeasure ? inName : '' };
}
