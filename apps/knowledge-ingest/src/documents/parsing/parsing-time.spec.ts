/** @quiet Judged by CPU time. */
import { randomBytes } from 'node:crypto';
import { xlsxOf, zipOf } from '../../testing/sample-files.fake';
import type { ParsedFile } from './parsed-file';
import { Chunker } from './chunking';
import { readCsv, readMarkdown, readPlain } from './read-text';
import { readDocx } from './read-docx';
import { readXlsx } from './read-xlsx';
import { refuseDamaged } from './damaged-text';
import { runsInOrder } from './read-pdf';

/** This many times the size may take that many times the time; quadratic growth would take sixteen times. */
const growth = 4;
const slowdownMax = 9;
/** Shorter times are too short to judge. */
const microsecondsMin = 20_000;

type Read = (size: number) => () => Promise<unknown>;

async function drained(parsed: ParsedFile | Promise<ParsedFile>): Promise<void> {
  const chunker = new Chunker();
  for await (const block of (await parsed).blocks) for (const _ of chunker.add(block));
  for (const _ of chunker.end());
}

const textOf =
  (read: (file: Buffer) => ParsedFile, pieceOf: (n: number) => string): Read =>
  (size) => {
    const file = Buffer.from(Array.from({ length: size / 10 }, (_, n) => pieceOf(n)).join(''));
    return () => drained(read(file));
  };
/** Makes a file as large as real ones with so much content, which cannot be compressed as well as repeated pieces. */
const picture = (size: number) => ({ name: 'media/picture', content: randomBytes(size) });

const wordOf =
  (pieceOf: (n: number) => string): Read =>
  (size) => {
    const xml = `<w:document>${Array.from({ length: size / 10 }, (_, n) => pieceOf(n)).join('')}</w:document>`;
    const file = zipOf([{ name: 'word/document.xml', content: Buffer.from(xml) }, picture(size)]);
    return () => drained(readDocx(file));
  };

const sheetOf =
  (pieceOf: (n: number) => string): Read =>
  (size) => {
    const relation = '<Relationship Id="r1" Type="x/worksheet" Target="worksheets/sheet1.xml"/>';
    const parts = {
      'xl/workbook.xml': '<workbook><sheets><sheet name="A" sheetId="1" r:id="r1"/></sheets></workbook>',
      'xl/_rels/workbook.xml.rels': `<Relationships>${relation}</Relationships>`,
      'xl/worksheets/sheet1.xml': Array.from({ length: size / 10 }, (_, n) => pieceOf(n)).join(''),
    };
    const file = zipOf([...Object.entries(parts).map(([name, xml]) => ({ name, content: Buffer.from(xml) })), picture(size)]);
    return () => drained(readXlsx(file));
  };

/** Files that a parser may be slow on, by format. */
const files: readonly (readonly [string, Read])[] = [
  ['text of words without an end', textOf(readPlain, () => 'abcdefghij')],
  ...Object.entries({
    'marks of two kinds': '\u0301\u0316',
    'Devanagari signs': '\u093c\u094d',
    joiners: '\u200d',
    'emoji of several people': '👩‍👩‍👧‍👦',
    'letters without blanks': '漢',
  }).flatMap(([of, piece]): [string, Read][] => [
    [`text of ${of}`, textOf(readPlain, () => piece)],
    [`Markdown of ${of}`, textOf(readMarkdown, () => piece)],
    [`CSV of ${of}`, textOf(readCsv, () => piece)],
    [`a Word file of ${of}`, wordOf((n) => (n === 0 ? `<w:t>${piece}` : piece))],
    [`a workbook of ${of}`, sheetOf((n) => (n === 0 ? `<row><c t="str"><v>${piece}` : piece))],
    [
      `a page of ${of}, judged`,
      (size) => {
        const page = piece.repeat(size / 10);
        // Whether it is refused does not matter here.
        return async () =>
          Promise.resolve(page)
            .then(refuseDamaged)
            .catch(() => undefined);
      },
    ],
  ]),
  ['text of white lines', textOf(readPlain, () => '\n \t\n ')],
  ['text of full stops', textOf(readPlain, () => 'a. b. c. ')],
  ['Markdown of opened brackets', textOf(readMarkdown, () => '[[[[[[[[[[')],
  ['Markdown of links without an end', textOf(readMarkdown, () => '[abcd](efg')],
  ['Markdown of a heading of marks', textOf(readMarkdown, (n) => (n === 0 ? '# a' : '######### b'))],
  ['Markdown of a heading of spaces', textOf(readMarkdown, (n) => (n === 0 ? '# ' : '          b'))],
  ['Markdown of bars', textOf(readMarkdown, () => '|  |  |  | ')],
  ['Markdown of headings', textOf(readMarkdown, () => '# abcdefg\n')],
  ['Markdown of stars', textOf(readMarkdown, () => '**__~~``**')],
  ['CSV of quotes', textOf(readCsv, () => '"a" "b" "c')],
  ['CSV of quotes in one cell', textOf(readCsv, (n) => (n === 0 ? '"' : 'abc""defgh'))],
  ['CSV of separators', textOf(readCsv, (n) => (n % 30 === 0 ? '\n' : ',;|\t,;|\t'))],
  ['a Word file of brackets', wordOf(() => '<<<<<<<<<<')],
  ['a Word file of tags without an end', wordOf(() => '<w:p abcde')],
  ['a Word file of tables in tables', wordOf(() => '<w:tbl><w:tr><w:tc>')],
  ['a Word file of paragraphs', wordOf(() => '<w:p><w:t>a</w:t></w:p>')],
  ['a Word file of one long text', wordOf((n) => (n === 0 ? '<w:t>' : 'a&amp;b '))],
  ['a workbook of brackets', sheetOf(() => '<<<<<<<<<<')],
  ['a workbook of tags without an end', sheetOf(() => '<c r="A1" ')],
  ['a workbook of one tag without an end', sheetOf((n) => (n === 0 ? '<' : 'abcdefghij'))],
  ['a workbook of colons in one tag', sheetOf((n) => (n === 0 ? '<' : ':::::::::a'))],
  ['a workbook of attributes', sheetOf((n) => (n === 0 ? '<c ' : ' r = " r=\''))],
  ['a workbook of empty rows', sheetOf(() => '<row></row>')],
  ['a workbook of one row', sheetOf((n) => (n === 0 ? '<row>' : '<c><v>1</v></c>'))],
  ['a workbook of one long text', sheetOf((n) => (n === 0 ? '<row><c t="str"><v>' : 'a&amp;b '))],
  [
    'a workbook of rows',
    (size) => {
      const made = xlsxOf(Array.from({ length: size / 400 }, (_, n) => [`a${n}`, n, 'x'.repeat(20)]));
      return async () => drained(readXlsx(await made));
    },
  ],
  [
    'a PDF page of lines, laid out',
    (size) => {
      const at = (n: number) => [1, 0, 0, 1, 50, n * 20];
      const items = Array.from({ length: size / 10 }, (_, n) => ({ str: `Line ${n}`, transform: at(n), width: 40, height: 10 }));
      return async () => runsInOrder(items);
    },
  ],
  [
    'a PDF page of two columns, laid out',
    (size) => {
      const at = (n: number) => [1, 0, 0, 1, n % 2 === 0 ? 50 : 300, (n >> 1) * 20];
      const items = Array.from({ length: size / 10 }, (_, n) => ({ str: `Line ${n}`, transform: at(n), width: 200, height: 10 }));
      return async () => runsInOrder(items);
    },
  ],
];

async function microsecondsOf(work: () => Promise<unknown>): Promise<number> {
  const costs: number[] = [];
  for (let round = 0; round < 2; round += 1) {
    const before = process.cpuUsage();
    await work();
    const { user, system } = process.cpuUsage(before);
    costs.push(user + system);
  }
  return Math.min(...costs);
}

describe('the time to read a document', () => {
  it.each(files)('grows no faster than its size: %s', async (_name, read) => {
    await read(4_000)();
    // Starts at a size that can be judged; a parser that is fast even for the largest passes.
    for (let size = 40_000; size <= 160_000; size *= growth) {
      const cost = await microsecondsOf(read(size));
      if (cost < microsecondsMin && size < 160_000) continue;
      const slower = await microsecondsOf(read(size * growth));
      expect(slower / Math.max(cost, microsecondsMin)).toBeLessThan(slowdownMax);
      return;
    }
  });
});
