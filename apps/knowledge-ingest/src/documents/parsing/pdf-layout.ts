/** A piece of text where a page has it, as the PDF engine tells it. */
export interface PlacedText {
  readonly str: string;
  /** The last two numbers are the place of its lower left corner. */
  readonly transform: readonly number[];
  readonly width: number;
  readonly height: number;
}

interface Cell {
  readonly text: string;
  readonly left: number;
  readonly right: number;
}

/** A line of a page, from left to right; more than one cell where it has wide gaps, as rows of tables have. */
export interface PageLine {
  readonly cells: readonly Cell[];
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
    for (const side of [(cell: Cell) => cell.right <= gutter, (cell: Cell) => cell.left >= gutter])
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
  const cells: Cell[] = [];
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

const widthOf = (cell: Cell | undefined): number => (cell ? cell.right - cell.left : 0);
const bottomOf = ({ transform }: PlacedText): number => transform[5] ?? 0;
const leftOf = ({ transform }: PlacedText): number => transform[4] ?? 0;

const tableRowsMin = 3;

/** A run of lines that stand together: text, or a table with its first line as header. */
export type PageRun =
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
function isUnder(cell: Cell, header: Cell | undefined): boolean {
  return header !== undefined && cell.left < header.right + slack && cell.right > header.left - slack;
}

const slack = 6;
