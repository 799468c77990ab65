import { getDocumentProxy } from 'unpdf';
import { type Block, limits, type ParsedFile, Refused } from './parsed-file.ts';

const headingRatio = 1.15;
const headingCharacters = 120;

/** The text of a PDF, page by page. Lines set larger than the page's usual ones are headings. */
export async function readPdf(file: Buffer): Promise<ParsedFile> {
  const pdf = await getDocumentProxy(new Uint8Array(file)).catch((error: unknown) => {
    const isLocked = error instanceof Error && error.name === 'PasswordException';
    throw new Refused(isLocked ? 'The file is protected by a password.' : 'The PDF is damaged.', { cause: error });
  });
  if (pdf.numPages > limits.pages) throw new Refused(`The PDF has more than ${limits.pages} pages.`);
  return { blocks: pagesOf(pdf), pageCount: () => pdf.numPages };
}

/** So much text says whether a font can be read. */
const charactersJudged = 100_000;

async function* pagesOf(pdf: Awaited<ReturnType<typeof getDocumentProxy>>): AsyncGenerator<Block> {
  let text = '';
  let row = 0;
  for (let page = 1; page <= pdf.numPages; page += 1) {
    const proxy = await pdf.getPage(page);
    const { items } = await proxy.getTextContent();
    const lines = linesInReadingOrder(items.flatMap((item) => ('str' in item ? [item] : [])));
    proxy.cleanup();
    const usual = lines.map(({ height }) => height).sort((a, b) => a - b)[Math.floor(lines.length / 2)] ?? 0;
    for (const run of runsOf(lines)) {
      if (text.length < charactersJudged) text += `${textOfRun(run)}\n`;
      if (run.kind === 'table') for (const cells of run.rows) yield { kind: 'row', header: run.header, cells, row: (row += 1) };
      else yield* blocksOf(run.lines, usual, page);
    }
  }
  if (text === '')
    throw new Refused('The PDF holds no text: it seems to be scanned. Recognize its text first, then upload it again.');
  refuseDamaged(text);
}

const textOf = ({ cells }: PageLine): string => inWrittenOrder(cells.map(({ text }) => text).join(' '));
const textOfRun = (run: PageRun): string =>
  run.kind === 'table' ? [run.header, ...run.rows].map((cells) => cells.join(' ')).join('\n') : run.lines.map(textOf).join('\n');

function* blocksOf(lines: readonly PageLine[], usual: number, page: number): Generator<Block> {
  let paragraph: string[] = [];
  for (const line of lines) {
    const text = textOf(line);
    if (line.height > usual * headingRatio && text.length <= headingCharacters) {
      if (paragraph.length > 0) yield paragraphOf(paragraph, page);
      paragraph = [];
      yield { kind: 'heading', text, level: line.height > usual * 1.5 ? 1 : 2, page };
    } else paragraph.push(text);
  }
  if (paragraph.length > 0) yield paragraphOf(paragraph, page);
}

/** A word that was parted at the end of a line is one again. */
function paragraphOf(lines: readonly string[], page: number): Block {
  const text = inWrittenOrder(lines.join(' '));
  return { kind: 'paragraph', text: text.replace(/(?<=[a-z])- (?=[a-z])/g, ''), page };
}

/** A piece of text and its position on the page, as the PDF engine reports it. */
export interface PlacedText {
  readonly str: string;
  /** The last two numbers are the place of its lower left corner. */
  readonly transform: readonly number[];
  readonly width: number;
  readonly height: number;
}

interface PdfCell {
  readonly text: string;
  readonly left: number;
  readonly right: number;
}

/** A line of a page, from left to right; more than one cell where it has wide gaps, as rows of tables have. */
interface PageLine {
  readonly cells: readonly PdfCell[];
  readonly height: number;
}

/** Gaps wider than that many letter heights part cells; narrower ones are spaces. */
const cellGap = 1.2;
const spaceGap = 0.15;
const columnLinesMin = 4;
/** Columns of running text are full; cells of tables are not. */
const fullnessMin = 0.6;

/** The lines of a page in the order in which they are read: down the left column, then down the right one. */
export function linesInReadingOrder(items: readonly PlacedText[]): PageLine[] {
  const shown = items.filter(({ str }) => str.trim() !== '');
  const lines = linesOf(shown);
  const gutter = gutterOf(lines);
  if (gutter === undefined) return lines;
  const ordered: PageLine[] = [];
  let waiting: PageLine[] = [];
  const flush = (): void => {
    for (const side of [(cell: PdfCell) => cell.right <= gutter, (cell: PdfCell) => cell.left >= gutter])
      for (const line of waiting) {
        const cells = line.cells.filter(side);
        if (cells.length > 0) ordered.push({ ...line, cells });
      }
    waiting = [];
  };
  for (const line of lines) {
    const isAcross = line.cells.some(({ left, right }) => left < gutter && right > gutter);
    if (!isAcross) waiting.push(line);
    else {
      flush();
      ordered.push(line);
    }
  }
  flush();
  return ordered;
}

/** Pieces of one height make a line, from the top of the page to its bottom. */
function linesOf(items: readonly PlacedText[]): PageLine[] {
  const sorted = items.toSorted((one, other) => bottomOf(other) - bottomOf(one));
  const lines: PlacedText[][] = [];
  for (const item of sorted) {
    const [first] = lines.at(-1) ?? [];
    const isSame = first && Math.abs(bottomOf(first) - bottomOf(item)) < Math.max(2, item.height * 0.5);
    if (isSame) lines.at(-1)?.push(item);
    else lines.push([item]);
  }
  return lines.map(lineOf);
}

function lineOf(items: readonly PlacedText[]): PageLine {
  const height = greatest(items.map((item) => item.height));
  const cells: PdfCell[] = [];
  for (const item of items.toSorted((one, other) => leftOf(one) - leftOf(other))) {
    const [left, right] = [leftOf(item), leftOf(item) + item.width];
    const before = cells.at(-1);
    const gap = before ? left - before.right : Number.POSITIVE_INFINITY;
    if (!before || gap > height * cellGap) cells.push({ text: item.str, left, right });
    else {
      const space = gap > height * spaceGap ? ' ' : '';
      cells[cells.length - 1] = { text: `${before.text}${space}${item.str}`, left: before.left, right };
    }
  }
  return { cells: cells.map((cell) => ({ ...cell, text: cell.text.replace(/\s+/gu, ' ').trim() })), height };
}

/** Where the white strip between two columns of running text lies; undefined for pages of one column, and for tables. */
function gutterOf(lines: readonly PageLine[]): number | undefined {
  const pairs = lines.flatMap(({ cells }) => (cells.length === 2 ? [cells] : []));
  const [from, to] = [
    greatest(pairs.map(([left]) => left?.right ?? 0)),
    least(pairs.map(([, right]) => right?.left ?? Number.POSITIVE_INFINITY)),
  ];
  if (pairs.length < columnLinesMin || from >= to) return undefined;
  const gutter = (from + to) / 2;
  const [start, end] = [least(pairs.map(([left]) => left?.left ?? 0)), greatest(pairs.map(([, right]) => right?.right ?? 0))];
  const leftFull = median(pairs.map(([left]) => widthOf(left))) / (gutter - start);
  const rightFull = median(pairs.map(([, right]) => widthOf(right))) / (end - gutter);
  return leftFull >= fullnessMin && rightFull >= fullnessMin ? gutter : undefined;
}

// A page may have more pieces than a function may have arguments.
const greatest = (values: readonly number[]): number =>
  values.reduce((one, other) => Math.max(one, other), Number.NEGATIVE_INFINITY);
const least = (values: readonly number[]): number =>
  values.reduce((one, other) => Math.min(one, other), Number.POSITIVE_INFINITY);
const median = (values: readonly number[]): number => values.toSorted((one, other) => one - other)[values.length >> 1] ?? 0;

const widthOf = (cell: PdfCell | undefined): number => (cell ? cell.right - cell.left : 0);
const bottomOf = ({ transform }: PlacedText): number => transform[5] ?? 0;
const leftOf = ({ transform }: PlacedText): number => transform[4] ?? 0;

const tableRowsMin = 3;

/** A run of adjacent lines: text, or a table whose first line is the header. */
type PageRun =
  | { readonly kind: 'text'; readonly lines: readonly PageLine[] }
  | { readonly kind: 'table'; readonly header: readonly string[]; readonly rows: readonly (readonly string[])[] };

/** Finds tables: three lines or more in a row with as many cells as the first, each near the place of that column's header. */
export function runsOf(lines: readonly PageLine[]): PageRun[] {
  const runs: PageRun[] = [];
  let text: PageLine[] = [];
  const endText = (): void => {
    if (text.length > 0) runs.push({ kind: 'text', lines: text });
    text = [];
  };
  for (let at = 0; at < lines.length;) {
    const length = tableLength(lines, at);
    const isTable = length >= tableRowsMin;
    const [header, ...rows] = isTable ? lines.slice(at, at + length).map(({ cells }) => cells.map(({ text }) => text)) : [];
    if (header) {
      endText();
      runs.push({ kind: 'table', header, rows });
      at += length;
      continue;
    }
    text.push(...lines.slice(at, at + 1));
    at += 1;
  }
  endText();
  return runs;
}

function tableLength(lines: readonly PageLine[], from: number): number {
  const first = lines[from];
  if (!first || first.cells.length < 2) return 0;
  const fits = ({ cells }: PageLine): boolean =>
    cells.length === first.cells.length && cells.every((cell, column) => isUnder(cell, first.cells[column]));
  let end = from + 1;
  for (let line = lines[end]; line && fits(line); line = lines[end]) end += 1;
  return end - from;
}

/** Whether a cell overlaps its header, or begins or ends with it. */
function isUnder(cell: PdfCell, header: PdfCell | undefined): boolean {
  return header !== undefined && cell.left < header.right + slack && cell.right > header.left - slack;
}

const slack = 6;

const consonant = '[\\u0915-\\u0939\\u0958-\\u095f]';
const vowelSign = /[\u093e-\u094c]/gu;
const consonants = new RegExp(consonant, 'gu');
/** The short i is drawn before its consonant and written after it; files that keep the order of drawing have it first. */
const drawnFirst = new RegExp(`(?<![\\u0900-\\u097f])\\u093f(${consonant}(?:\\u094d${consonant})*)`, 'gu');
const orderOfDrawing = new RegExp(`\\u093f(${consonant}(?:\\u094d${consonant})*)`, 'gu');
const unreadable = /[\ufffd\ue000-\uf8ff]/gu;
/** How the commonest words of Hindi look in fonts of the typewriter's order, which have Latin letters behind Devanagari shapes. */
const typewriterWords = new Set(
  'gS gSa ds dh dk esa ls dks fd vkSj ;g Fkk rks Hkh ij bl ,d fy, djus tks vkgs vkf.k gksrs ukgh vkgsr'.split(' '),
);

const consonantsJudged = 60;
/** Ordinary Hindi and Marathi have a vowel sign for about every second consonant. */
const vowelSignsPerConsonantMin = 0.15;
const unreadableShareMax = 0.02;
const wordsJudged = 40;
const typewriterShareMax = 0.06;
const drawnFirstMin = 3;
/** No word starts with this sign, so a small share is proof enough, given more than one or two stray ones. */
const drawnFirstShareMin = 0.15;

const reason = {
  vowels:
    'The Devanagari text of this PDF has lost its vowel signs: its font does not say what its shapes mean. Save it from Word or ' +
    'Google Docs with a Unicode font such as Mangal or Noto Sans Devanagari, or upload the DOCX.',
  shapes: 'The font of this PDF does not say which letters its shapes are. Recognize its text first (OCR), or upload the DOCX.',
  typewriter:
    'This PDF is set in a font of the typewriter’s order such as Kruti Dev, in which Devanagari is stored as Latin letters. Convert ' +
    'the text to Unicode first, then upload it again.',
};

/** Moves a short i drawn before its consonant to where it is written; other text is unchanged. */
export function inWrittenOrder(text: string): string {
  const first = text.match(drawnFirst)?.length ?? 0;
  const all = text.match(/\u093f/gu)?.length ?? 0;
  return first >= drawnFirstMin && first >= all * drawnFirstShareMin ? text.replace(orderOfDrawing, '$1\u093f') : text;
}

/** Throws Refused, with what its owner can do, for text that would only be found and read as rubbish. */
export function refuseDamaged(text: string): void {
  const letters = text.match(/[\p{L}\p{M}]/gu)?.length ?? 0;
  const strange = text.match(unreadable)?.length ?? 0;
  if (strange > (letters + strange) * unreadableShareMax) throw new Refused(reason.shapes);
  const count = text.match(consonants)?.length ?? 0;
  const signs = text.match(vowelSign)?.length ?? 0;
  if (count >= consonantsJudged && signs < count * vowelSignsPerConsonantMin) throw new Refused(reason.vowels);
  const words = text.split(/\s+/u).filter(Boolean);
  const typewriter = words.filter((word) => typewriterWords.has(word)).length;
  if (words.length >= wordsJudged && typewriter > words.length * typewriterShareMax) throw new Refused(reason.typewriter);
}
