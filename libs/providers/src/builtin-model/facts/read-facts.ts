import type { Contact, Facts, Item, Statement } from './fact';
import { entryOf } from './read-entry';
import { isRow, rowOf } from './read-row';

const sentences = new Intl.Segmenter('und', { granularity: 'sentence' });
/** A dot after one of these ends no sentence. */
const unfinished = /(?:^|[\s("'])(?:Dr|Mr|Mrs|Ms|Prof|St|Smt|Shri|No|Rs|approx|e\.g|i\.e|डॉ|श्री|प्रा|रु|क्र)\.\s*$/u;
const noContact: Contact = { Name: '', Kind: '', About: '', Telephone: '', 'E-mail': '', Website: '', Address: '' };

interface Section {
  readonly heading: string;
  readonly lines: readonly string[];
}

/**
 * Reads the text of a knowledge base as prompts hold it: sections under `# `, entries as `- `, stored questions as `Q:` and `A:`,
 * rows of tables as `Column: value; Column: value`. What is none of them is read sentence by sentence.
 */
export function readFacts(text: string): Facts {
  const sections = sectionsOf(text);
  const contact: Record<string, string> = { ...noContact };
  const items: Item[] = [];
  const statements: Statement[] = [];
  for (const { heading, lines } of sections) {
    if (heading === 'The business') readContact(lines, contact);
    else if (heading === 'Products and services') items.push(...lines.map(entryOf));
    else if (heading === 'Questions and answers') statements.push(...storedOf(lines));
    else if (heading.startsWith('Document: ')) readDocument(lines, { items, statements });
  }
  if (contact['About']) statements.push(...statementsOf(contact['About'], ''));
  statements.push(...items.flatMap(({ name, description }) => (description === '' ? [] : statementsOf(description, name))));
  return { contact: { ...noContact, ...contact }, items, statements };
}

/** Reads passages of a base that is too large to be read whole. */
export function readPassages(passages: readonly { readonly title: string; readonly text: string }[]): Facts {
  const items: Item[] = [];
  const statements: Statement[] = [];
  for (const { title, text } of passages) {
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
  return { contact: noContact, items, statements };
}

/** Entries of the catalogue have a price and are told in one line. */
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

/** An answer may have several lines. */
function storedOf(lines: readonly string[]): Statement[] {
  const stored: { heading: string; text: string }[] = [];
  for (const line of lines) {
    const last = stored.at(-1);
    if (line.startsWith('Q: ')) stored.push({ heading: line.slice(3), text: '' });
    else if (last) last.text = `${last.text} ${line.replace(/^A: /u, '')}`.trim();
  }
  return stored.map((one) => ({ ...one, before: '', after: '', isStored: true }));
}

function readDocument(lines: readonly string[], found: { items: Item[]; statements: Statement[] }): void {
  let heading = '';
  for (const line of lines) {
    if (line.startsWith('## ')) heading = line.slice(3);
    else if (isRow(line)) found.items.push(rowOf(line, heading));
    else if (isHeading(line)) heading = line.trim();
    else if (line.trim() !== heading) found.statements.push(...statementsOf(line, heading));
  }
}

function statementsOf(text: string, heading: string): Statement[] {
  const parts: string[] = [];
  for (const { segment } of sentences.segment(text)) {
    const last = parts.at(-1);
    if (last !== undefined && unfinished.test(last)) parts[parts.length - 1] = last + segment;
    else parts.push(segment);
  }
  const said = parts.map((part) => part.trim()).filter((part) => /[\p{L}\p{N}]/u.test(part));
  // A few words without a figure or an end are a heading that lost its mark.
  let over = heading;
  return said.flatMap((one, place) => {
    if (isHeading(one) && place < said.length - 1) {
      over = `${heading} ${one}`.trim();
      return [];
    }
    return [statementOf(one, place)];
  });

  function statementOf(one: string, place: number): Statement {
    return {
      text: one,
      heading: over,
      before: isHeading(said[place - 1] ?? '') ? '' : (said[place - 1] ?? ''),
      after: said[place + 1] ?? '',
      isStored: false,
    };
  }
}

const headingWordsMax = 4;

function isHeading(line: string): boolean {
  return !/[\d.!?।:;]/u.test(line) && line.trim().split(/\s+/u).length <= headingWordsMax;
}
