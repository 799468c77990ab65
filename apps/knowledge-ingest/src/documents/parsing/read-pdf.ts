import { registerHooks } from 'node:module';
import { getDocumentProxy, getResolvedPDFJS } from 'unpdf';
import { inWrittenOrder, refuseDamaged } from './damaged-text.ts';
import { type Block, limits, type ParsedFile, Refused, storable, WorkBudget } from './parsed-file.ts';
import { MarkedSpans, withActualText } from './pdf-actual-text.ts';
import { regionsOf } from './pdf-layout.ts';
import { median, type PageLine, type PlacedText } from './pdf-lines.ts';
import { type PageRun, runsOf } from './pdf-tables.ts';
import { namesFigures } from './table-rows.ts';

const headingRatio = 1.15;
const headingCharacters = 120;

/** The text of a PDF, page by page. Lines larger than usual for the page are headings. */
export async function readPdf(file: Buffer): Promise<ParsedFile> {
  const budget = new PdfBudget(file.length);
  await loadEngine(budget);
  const pdf = await getDocumentProxy(new Uint8Array(file), { verbosity: 0 }).catch((error: unknown) => {
    budget.check();
    const isLocked = error instanceof Error && error.name === 'PasswordException';
    throw new Refused(isLocked ? 'The file is protected by a password.' : 'The PDF is damaged.', { cause: error });
  });
  budget.check();
  if (pdf.numPages > limits.pages) throw new Refused(`The PDF has more than ${limits.pages} pages.`);
  return { blocks: pagesOf(pdf, new MarkedSpans(file), budget), pageCount: () => pdf.numPages };
}

/** What an entry of the table of objects counts as: the engine keeps it, and real objects are longer. */
const workPerObject = 10;

const wrongMarks = String.raw`/^(\s)|(\p{Mn})|(\p{Cf})$/u`;
const rightMarks = String.raw`/^(?:(\s+)|(\p{Mn}+)|(\p{Cf}+))$/u`;

/** Where the engine works on what a few bytes of a file may ask for without a limit, and how much that is; the code goes behind it. */
const counted: readonly (readonly [place: string, code: string])[] = [
  // Content streams, of a page or of a form that a page draws.
  ['for(;;){let n=this.parser.getObj();', 'countContent(this);'],
  // Ranges of the map from a font's codes to its glyphs or letters, where each letter is written anew; and of widths and heights.
  ['throw Error(`mapCidRange - ignoring data above MAX_MAP_RANGE.`);', 'countWork(t-e);'],
  ['throw Error(`mapBfRange - ignoring data above MAX_MAP_RANGE.`);', 'countWork((t-e)*n.length);'],
  ['let a=r.fetchIfRef(c[++e]);if(typeof a!=`number`)continue;', 'countWork(n-t);'],
  ['if(!isNumberArray(a,null))continue;', 'countWork(i-t);'],
  // Characters of a TrueType font, and ranges of glyphs of others; their outlines, which call each other.
  ['i=n[r],a=i.start;let e=i.end,t=i.delta;', 'countWork(e-a);'],
  ['let e=t.getInt32()>>>0,n=t.getInt32()>>>0,r=t.getInt32()>>>0;', 'countWork(n-e);'],
  ['let r=n[e++],o=n[e]<<8|n[e+1];', 'countWork(o-t);'],
  ['parseCharString(e,t,n,r){', 'countWork(t?.length??0);'],
  ['flexing=!1;output=[];stack=[];convert(e,t,n){', 'countWork(e.length);'],
  // Entries of the table of objects, which may be of no bytes.
  ['for(let a=t.entryNum;a<s;++a){', `countWork(${workPerObject});`],
  // Whatever is unpacked: room for it is doubled, so at least half of the room is used.
  ['let n=this.minBufferLength;for(;n<e;)n*=2;', 'countUnpacked((n-t.byteLength)/2);'],
];

/**
 * Changes the engine while it is loaded. It treats a glyph as a zero-width mark if any of its letters is one, so that Indic words
 * fall apart after their conjuncts (mozilla/pdf.js#21890), until a release contains the fix proposed there. And it has no limit on
 * the length of content, on how often forms are drawn, and on ranges that fonts and tables ask for, so all of these are counted.
 */
async function loadEngine(budget: PdfBudget): Promise<void> {
  Reflect.set(globalThis, 'countContent', contentCounter(budget.work));
  Reflect.set(globalThis, 'countWork', (units: number) => budget.work.spend(Math.max(0, units)));
  Reflect.set(globalThis, 'countUnpacked', (bytes: number) => budget.unpacked.spend(bytes));
  // Without it the engine unpacks by itself, which for its many short streams takes a third of the time.
  Reflect.deleteProperty(globalThis, 'DecompressionStream');
  const hooks = registerHooks({
    load(url, context, next) {
      const loaded = next(url, context);
      if (!url.endsWith('/unpdf/dist/pdfjs.mjs') || !(loaded.source instanceof Uint8Array)) return loaded;
      const source = counted.reduce(counting, Buffer.from(loaded.source).toString());
      return { ...loaded, source: source.replace(wrongMarks, () => rightMarks) };
    },
  });
  await getResolvedPDFJS().finally(() => hooks.deregister());
}

function counting(source: string, [place, code]: (typeof counted)[number]): string {
  const [before, after, ...others] = source.split(place);
  if (before === undefined || after === undefined || others.length > 0)
    throw new Error('this release of the PDF engine reads files otherwise');
  return `${before}${place}${code}${after}`;
}

/** What a file may make the engine do and unpack, each in proportion to its size. */
class PdfBudget {
  readonly work: WorkBudget;
  readonly unpacked: WorkBudget;

  constructor(fileBytes: number) {
    this.work = new WorkBudget('pdfBytes', fileBytes);
    this.unpacked = new WorkBudget('pdfBytes', fileBytes);
  }

  /** Refuses the file if the engine went on behind our refusal: it skips what fails. */
  check(): void {
    this.work.check();
    this.unpacked.check();
  }
}

/** The part of the engine that reads one content stream. */
interface ContentReader {
  readonly savedStatesDepth: number;
  readonly parser: { readonly lexer: { readonly stream: { readonly pos: number; readonly start?: number } } };
}

/** Real files save a few graphics states within each other; each makes everything inside slower. */
const savedStatesMax = 1_000;
/** Drawing a form takes the engine as long as reading this much. */
const bytesPerStream = 1_000;

/** Counts the bytes of content that the engine has read. */
function contentCounter(work: WorkBudget): (reader: ContentReader) => void {
  const places = new WeakMap<ContentReader, number>();
  return (reader) => {
    // An uncompressed stream is a part of the file, and its position is the file's.
    const { pos, start = 0 } = reader.parser.lexer.stream;
    work.spend(pos - (places.get(reader) ?? start - bytesPerStream));
    places.set(reader, pos);
    if (reader.savedStatesDepth > savedStatesMax) work.spend(Number.POSITIVE_INFINITY);
  };
}

/** How much text is checked to see whether the fonts are readable. */
const charactersJudged = 100_000;

type OpenPdf = Awaited<ReturnType<typeof getDocumentProxy>>;

async function* pagesOf(pdf: OpenPdf, marked: MarkedSpans, budget: PdfBudget): AsyncGenerator<Block> {
  let text = '';
  let row = 0;
  const margins = new Margins();
  let table: TableRun | undefined;
  for (let page = 1; page <= pdf.numPages; page += 1) {
    const proxy = await pdf.getPage(page);
    const content = await proxy.getTextContent({ includeMarkedContent: true }).catch((error: unknown) => {
      budget.check();
      throw error;
    });
    budget.check();
    const items = content.items.map((item) => ('str' in item ? { ...item, str: storable(item.str) } : item));
    const [, bottom = 0, , top = 0] = proxy.view;
    const { body, margin } = margins.part(withActualText(items, proxy.ref ? marked.ofPage(proxy.ref.num) : []), { bottom, top });
    const runs = runsInOrder(body);
    proxy.cleanup();
    const read = [...runs, ...runsInOrder(margin)];
    const usual = median(read.flatMap(heightsOf));
    for (const [place, found] of read.entries()) {
      const run = place === 0 ? goingOnFrom(table, found) : found;
      if (text.length < charactersJudged) text += `${textOfRun(run)}\n`;
      if (run.kind === 'table') for (const cells of run.rows) yield { kind: 'row', header: run.header, cells, row: (row += 1) };
      else yield* blocksOf(run.lines, usual, page);
    }
    const last = runs.length === 1 ? goingOnFrom(table, runs[0]) : runs.at(-1);
    table = last?.kind === 'table' ? last : undefined;
  }
  if (text === '')
    throw new Refused('The PDF holds no text: it seems to be scanned. Recognize its text first, then upload it again.');
  refuseDamaged(text);
}

type TableRun = Extract<PageRun, { kind: 'table' }>;

/** A table at the top of a page continues the one of the previous page if it has the same columns; it may repeat the header. */
function goingOnFrom(table: TableRun | undefined, run: PageRun): PageRun;
function goingOnFrom(table: TableRun | undefined, run: PageRun | undefined): PageRun | undefined;
function goingOnFrom(table: TableRun | undefined, run: PageRun | undefined): PageRun | undefined {
  if (!table || run?.kind !== 'table' || run.columns.length !== table.columns.length || table.header.length === 0) return run;
  const isSame = run.columns.every((left, column) => Math.abs(left - (table.columns[column] ?? 0)) < columnsApartMax);
  if (!isSame || table.header.length < run.header.length) return run;
  const isRepeated = run.header.join(' ') === table.header.join(' ');
  if (!isRepeated && namesFigures(run.header, run.rows)) return run;
  return { ...run, header: table.header, rows: run.header.length === 0 || isRepeated ? run.rows : [run.header, ...run.rows] };
}

const columnsApartMax = 12;
const marginShare = 0.09;
const linesOfMarginMax = 3;
const linesRemembered = 200;

interface PageText {
  readonly body: readonly PlacedText[];
  readonly margin: readonly PlacedText[];
}

/** Headers and footers of pages, which are read after the text, and only once each. */
class Margins {
  private readonly seen = new Set<string>();

  part(items: readonly PlacedText[], { bottom, top }: { readonly bottom: number; readonly top: number }): PageText {
    const shown = items.filter(({ str }) => str.trim() !== '');
    if (shown.some(({ transform: [, turn = 0] }) => turn !== 0)) return { body: items, margin: [] };
    const lines = [...Map.groupBy(shown, (item) => Math.round(heightAt(item)))].toSorted(([one], [other]) => other - one);
    const heights = lines.map(([height]) => height);
    const usual = median(heights.slice(1).map((height, place) => (heights[place] ?? height) - height));
    const isOuter = (height: number): boolean => Math.abs((height - bottom) / (top - bottom) - 0.5) > 0.5 - marginShare;
    const isMargin = new Set<PlacedText>();
    const margin: PlacedText[] = [];
    for (const [place, [height, line]] of lines.entries()) {
      const isFirst = Math.min(place, lines.length - 1 - place) < linesOfMarginMax;
      const letters = line.reduce((most, item) => Math.max(most, item.height), 0);
      const apart = Math.max(letters * apartMin, usual * apartMin);
      const above = heights.slice(Math.max(0, place - 1), place).every((other) => other - height > apart);
      const below = heights.slice(place + 1, place + 2).every((other) => height - other > apart);
      if (!isFirst || !isOuter(height) || !above || !below || lines.length === 1) continue;
      for (const item of line) isMargin.add(item);
      const text = line.map(({ str }) => str.replace(/\d+/gu, '#')).join(' ');
      if (!this.seen.has(text)) margin.push(...line);
      if (this.seen.size < linesRemembered) this.seen.add(text);
    }
    return { body: items.filter((item) => !isMargin.has(item)), margin };
  }
}

/** The white space above and below a line that marks running titles and page numbers. */
const apartMin = 1.7;
const heightAt = ({ transform }: PlacedText): number => transform[5] ?? 0;

/** The runs of a page in reading order; text that continues in the next column becomes one run. */
export function runsInOrder(items: readonly PlacedText[]): PageRun[] {
  const runs: PageRun[] = [];
  for (const run of regionsOf(items).flatMap(runsOf)) {
    const last = runs.at(-1);
    if (last?.kind === 'text' && run.kind === 'text') runs[runs.length - 1] = { ...last, lines: [...last.lines, ...run.lines] };
    else runs.push(run);
  }
  return runs;
}

const heightsOf = (run: PageRun): number[] =>
  (run.kind === 'text' ? run.lines : run.rows.map(() => run)).map(({ height }) => height);
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

/** Joins words that were hyphenated at the end of a line. */
function paragraphOf(lines: readonly string[], page: number): Block {
  const text = inWrittenOrder(lines.join(' '));
  return { kind: 'paragraph', text: text.replace(/(?<=[a-z])- (?=[a-z])/g, ''), page };
}
