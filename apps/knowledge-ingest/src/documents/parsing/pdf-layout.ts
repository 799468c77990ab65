import {
  cellGap,
  greatest,
  heightOf,
  least,
  lineOf,
  linesInColumns,
  linesInCommon,
  linesOf,
  median,
  type PageLine,
  type PdfPiece,
  piecesByTurn,
  type PlacedText,
} from './pdf-lines.ts';

/**
 * The lines of a page in reading order, region by region: what spans the page, then the columns below it one after the other,
 * then what spans the page again. A table is one region with all its columns.
 */
export function regionsOf(items: readonly PlacedText[]): PageLine[][] {
  const upright = piecesByTurn(items.filter(({ str }) => str.trim() !== ''));
  return upright.flatMap((pieces) => regionsIn(linesOf(pieces), cutsMax)).map(linesInColumns);
}

/** How deeply columns may nest; real pages need fewer cuts. */
const cutsMax = 6;

function regionsIn(lines: readonly PdfPiece[][], cutsLeft: number): PdfPiece[][][] {
  const parts = cutsLeft > 0 ? partsByGutter(lines) : undefined;
  if (!parts) return lines.length > 0 ? [[...lines]] : [];
  return parts.flatMap((part) => regionsIn(linesOf(part.flat()), cutsLeft - 1));
}

/** The page cut at the gutter that separates most of it; undefined if there is none, or if the gaps belong to a table. */
function partsByGutter(lines: readonly PdfPiece[][]): PdfPiece[][][] | undefined {
  for (const gutter of gapsInCommon(lines)) {
    const parts = cutAt(gutter, lines);
    if (parts) return parts;
  }
  return undefined;
}

/** The least width of a gutter, in letter heights; columns this close together must have many lines. */
const gutterMin = 0.7;
const placesPerPage = 1024;
const guttersTried = 6;

/** Horizontal positions at which many lines have a gap, those with the most lines first. */
function gapsInCommon(lines: readonly PdfPiece[][]): number[] {
  const pieces = lines.flat();
  const start = least(pieces.map(({ left }) => left));
  const step = Math.max(1, (greatest(pieces.map(({ right }) => right)) - start) / placesPerPage);
  const changes = new Array<number>(placesPerPage + 2).fill(0);
  const note = (place: number, by: number): void => {
    const at = Math.min(placesPerPage + 1, Math.max(0, Math.ceil((place - start) / step)));
    changes[at] = (changes[at] ?? 0) + by;
  };
  for (const { pieces: row } of rowsOf(lines))
    for (const { from, to } of gapsIn(row)) {
      note(from, 1);
      note(to, -1);
    }
  const counts: number[] = [];
  for (const change of changes) counts.push((counts.at(-1) ?? 0) + change);
  const middles: { place: number; count: number }[] = [];
  for (let at = 0; at < counts.length;) {
    const count = counts[at] ?? 0;
    let end = at;
    while (counts[end] === count && end < counts.length) end += 1;
    const isPeak = count > (counts[at - 1] ?? 0) && count > (counts[end] ?? 0);
    if (isPeak && count >= columnRowsMin) middles.push({ place: start + ((at + end - 1) / 2) * step, count });
    at = end;
  }
  return middles
    .toSorted((one, other) => other.count - one.count)
    .slice(0, guttersTried)
    .map(({ place }) => place);
}

function gapsIn(row: readonly PdfPiece[]): { from: number; to: number }[] {
  const gaps: { from: number; to: number }[] = [];
  const height = heightOf(row);
  let end = Number.NEGATIVE_INFINITY;
  for (const { left, right } of row) {
    if (end > Number.NEGATIVE_INFINITY && left - end >= height * gutterMin) gaps.push({ from: end, to: left });
    end = Math.max(end, right);
  }
  return gaps;
}

/** A line together with the next one if they overlap vertically: lines of two columns need not be at the same height. */
interface Row {
  readonly pieces: readonly PdfPiece[];
  readonly line: readonly PdfPiece[];
}

const overlapOfRows = 0.9;

function rowsOf(lines: readonly PdfPiece[][]): Row[] {
  return lines.map((line, place) => {
    const next = lines[place + 1];
    const isBeside = next && bottomOf(line) - bottomOf(next) < heightOf(line) * overlapOfRows;
    return { line, pieces: isBeside ? [...line, ...next].toSorted((one, other) => one.left - other.left) : line };
  });
}

/** What the lines between two horizontal white bands are, judged by a gutter. */
type Kind = 'columns' | 'table' | 'one side' | 'few';

interface Band {
  readonly rows: readonly Row[];
  readonly kind: Kind;
  /** How many rows have text on both sides. */
  readonly pairs: number;
}

/** The lines, split into left and right wherever they are columns of text not crossed at the gutter; undefined if none are. */
function cutAt(gutter: number, lines: readonly PdfPiece[][]): PdfPiece[][][] | undefined {
  const rows = rowsOf(lines);
  const groups = stretchesOf(gutter, rows).flatMap((stretch) =>
    stretch.isCrossed ? [{ rows: stretch.rows, pairs: 0 }] : groupsIn(stretch.rows, gutter),
  );
  const isNarrow = widthAt(gutter, groups) < heightOf(lines.flat()) * cellGap;
  const pairs = groups.reduce((sum, group) => sum + group.pairs, 0);
  if (pairs < (isNarrow ? narrowRowsMin : columnRowsMin)) return undefined;
  const parts: PdfPiece[][][] = [];
  let whole: PdfPiece[][] = [];
  const endWhole = (): void => {
    if (whole.length > 0) parts.push(whole);
    whole = [];
  };
  for (const group of groups) {
    const own = group.rows.map(({ line }) => [...line]);
    if (group.pairs === 0) {
      whole.push(...own);
      continue;
    }
    endWhole();
    for (const isLeft of [true, false])
      parts.push(own.map((line) => line.filter((piece) => isLeftOf(gutter, piece) === isLeft)).filter((line) => line.length > 0));
  }
  endWhole();
  return parts;
}

function stretchesOf(gutter: number, rows: readonly Row[]): { isCrossed: boolean; rows: Row[] }[] {
  const stretches: { isCrossed: boolean; rows: Row[] }[] = [];
  for (const row of rows) {
    const isCrossed = row.line.some(({ left, right }) => left < gutter && right > gutter);
    const last = stretches.at(-1);
    if (last?.isCrossed === isCrossed) last.rows.push(row);
    else stretches.push({ isCrossed, rows: [row] });
  }
  return stretches;
}

const columnRowsMin = 4;
const narrowRowsMin = 6;

interface Group {
  readonly rows: readonly Row[];
  /** How many of its rows are columns of text; 0 if it is read across. */
  readonly pairs: number;
}

/** Groups adjacent bands that are columns of text, with the undecided bands between them. */
function groupsIn(rows: readonly Row[], gutter: number): Group[] {
  const bands = bandsIn(rows, gutter);
  const groups: Group[] = [];
  for (let at = 0; at < bands.length;) {
    const inside = bands.slice(at, Math.max(at + 1, endOfColumns(bands, at)));
    const pairs = inside.reduce((sum, band) => sum + (band.kind === 'columns' ? band.pairs : 0), 0);
    groups.push({ pairs, rows: inside.flatMap((band) => band.rows) });
    at += inside.length;
  }
  return groups;
}

/**
 * The index after the columns that start with this band. A table, a heading over what follows, or a line at the foot of the page
 * ends them.
 */
function endOfColumns(bands: readonly Band[], start: number): number {
  let end = start;
  while (end < bands.length && bands[end]?.kind !== 'table' && !(end > start && isHeadingOver(bands, end))) end += 1;
  const last = bands[end - 1];
  const isFoot = end === bands.length && end - start > 1 && last && last.rows.length === 1 && last.kind !== 'columns';
  return isFoot && last.pairs > 0 ? end - 1 : end;
}

/** Whether a band is a larger line or a table with nothing beside it, followed by further columns or a table. */
function isHeadingOver(bands: readonly Band[], place: number): boolean {
  const band = bands[place];
  if (!band || band.kind !== 'one side') return false;
  const lines = band.rows.map(({ line }) => line);
  const usual = median(bands.flatMap(({ rows }) => rows.map(({ line }) => heightOf(line))));
  const isLarger = lines.length <= 2 && heightOf(lines.flat()) > usual * 1.15;
  const ofCells = lines.filter((line) => line.length > 1);
  const isOfCells = ofCells.length >= linesInCommon && ofCells.length >= lines.length - 1 && !sideOf(ofCells, 1).isText;
  return (isLarger || isOfCells) && bands.slice(place + 1).some(({ kind }) => kind === 'columns' || kind === 'table');
}

/** Splits rows at white bands across the whole width that are higher than the usual line spacing. */
function bandsIn(rows: readonly Row[], gutter: number): Band[] {
  const gaps = rows.slice(1).map(({ line }, place) => gapAbove(line, rows[place]?.line ?? []));
  const usual = median(gaps.map((gap) => Math.max(0, gap)));
  const sides = sidesAt(gutter, rows);
  const bands: Row[][] = [];
  for (const [place, row] of rows.entries()) {
    const gap = gaps[place - 1] ?? Number.POSITIVE_INFINITY;
    const isBand = place === 0 || gap > usual + heightOf(row.line) * bandGap || isHeadingAlone(rows, place, gutter);
    const last = bands.at(-1);
    if (isBand || !last) bands.push([row]);
    else last.push(row);
  }
  return mergedRows(bands, gutter).flatMap(({ rows: band, isOfRows }) =>
    byStructure(band).map((part) => ({ rows: part, ...kindOf(part, gutter, { ...sides, isOfRows }) })),
  );
}

const rowsOfTableMin = 3;

/**
 * A table may follow text closely: several consecutive rows with more cells than two columns of text would have become a part of
 * their own.
 */
function byStructure(rows: readonly Row[]): Row[][] {
  const parts: { isOfCells: boolean; rows: Row[] }[] = [];
  for (const row of rows) {
    const isOfCells = lineOf(row.line).cells.filter(({ text }) => text.length < lettersOfText).length > 2;
    const last = parts.at(-1);
    if (last?.isOfCells === isOfCells) last.rows.push(row);
    else parts.push({ isOfCells, rows: [row] });
  }
  if (!parts.some((part) => part.isOfCells && part.rows.length >= rowsOfTableMin)) return [[...rows]];
  const joined: Row[][] = [];
  let isTable = false;
  for (const part of parts) {
    const isOwn = part.isOfCells && part.rows.length >= rowsOfTableMin;
    const last = joined.at(-1);
    if (last && !isOwn && !isTable) last.push(...part.rows);
    else joined.push(part.rows);
    isTable = isOwn;
  }
  return joined;
}

const rowsOfTableRow = 3;

/** Table rows may be spaced more widely than lines: consecutive short bands with text on both sides are merged. */
function mergedRows(bands: readonly Row[][], gutter: number): { rows: Row[]; isOfRows: boolean }[] {
  const isShort = (band: readonly Row[] | undefined): boolean =>
    band !== undefined &&
    band.length <= rowsOfTableRow &&
    (pairsIn(band, gutter).length > 0 || band.every(({ line }) => line.length > 1));
  const merged: { rows: Row[]; starts: Row[] }[] = [];
  for (const [place, band] of bands.entries()) {
    const last = merged.at(-1);
    const [start] = band;
    if (last && start && isShort(band) && isShort(bands[place - 1])) {
      last.rows.push(...band);
      last.starts.push(start);
    } else merged.push({ rows: [...band], starts: [] });
  }
  return merged.map(({ rows, starts }) => {
    const goingOn = starts.filter(({ pieces }) => beginsSmall(pieces, gutter)).length;
    return { rows, isOfRows: starts.length >= rowsOfTableMin && goingOn < starts.length * goingOnMin };
  });
}

/** Whether a row begins in lower case on either side, and so continues the line above. Table rows do not begin like that. */
function beginsSmall(pieces: readonly PdfPiece[], gutter: number): boolean {
  const [left, right] = [pieces[0], pieces.find((piece) => !isLeftOf(gutter, piece))];
  return [left, right].some((piece) => piece !== undefined && goesOnFrom(piece.text));
}

const goesOnFrom = (text: string): boolean => /^\s*\p{Ll}/u.test(text);

interface Pair {
  readonly left: readonly PdfPiece[];
  readonly right: readonly PdfPiece[];
}

/** The rows with text on both sides of a gutter. */
function pairsIn(rows: readonly Row[], gutter: number): Pair[] {
  return rows
    .map(({ pieces }) => ({
      left: pieces.filter((piece) => isLeftOf(gutter, piece)),
      right: pieces.filter((piece) => !isLeftOf(gutter, piece)),
    }))
    .filter(({ left, right }) => left.length > 0 && right.length > 0);
}

const bandGap = 0.45;

/** Whether the line above is a heading with nothing beside it, so that this row starts a new band. */
function isHeadingAlone(rows: readonly Row[], place: number, gutter: number): boolean {
  const [above, row] = [rows[place - 1]?.line, rows[place]?.line];
  if (!above || !row || !above.every((piece) => isLeftOf(gutter, piece))) return false;
  const isBeside = (rows[place - 1]?.pieces.length ?? 0) > above.length;
  return !isBeside && heightOf(above) > heightOf(row) * 1.15 && gapAbove(row, above) > 0;
}

interface Sides {
  readonly start: number;
  readonly end: number;
  /** Whether white bands divide it into several rows. */
  readonly isOfRows: boolean;
}

function sidesAt(gutter: number, rows: readonly Row[]): Omit<Sides, 'isOfRows'> {
  const pieces = rows.flatMap(({ line }) => line);
  return {
    start: Math.min(gutter, least(pieces.map(({ left }) => left))),
    end: Math.max(gutter, greatest(pieces.map(({ right }) => right))),
  };
}

/** Columns of running text fill their width; table cells do not, and are short. */
const fullnessMin = 0.6;
const fullnessOfText = 0.75;
const lettersOfCell = 14;
const pairsBesideMin = 3;
const shareOfPairsMin = 0.4;

function kindOf(rows: readonly Row[], gutter: number, { start, end, isOfRows }: Sides): { kind: Kind; pairs: number } {
  const pairs = pairsIn(rows, gutter);
  if (pairs.length === 0) return { kind: 'one side', pairs: 0 };
  if (pairs.length === 1) return { kind: 'few', pairs: 1 };
  const left = sideOf(
    pairs.map((pair) => pair.left),
    gutter - start,
  );
  const right = sideOf(
    pairs.map((pair) => pair.right),
    end - gutter,
  );
  const isOfCells = Math.min(left.letters, right.letters) < lettersOfCell;
  const isFull = Math.min(left.fullness, right.fullness) >= fullnessMin && !isOfCells;
  // A table or a list in one column, beside running text in the other.
  const isBeside = !isOfRows && pairs.length >= pairsBesideMin && pairs.length > rows.length * shareOfPairsMin;
  if (isFull || (isBeside && (left.isRunning || right.isRunning))) return { kind: 'columns', pairs: pairs.length };
  const isTooShort = pairs.length < pairsBesideMin && (left.isText || right.isText);
  return { kind: isTooShort ? 'few' : 'table', pairs: pairs.length };
}

interface Side {
  readonly fullness: number;
  /** How many cells a row has, and how many letters a cell. */
  readonly cells: number;
  readonly letters: number;
  readonly isText: boolean;
  /** Whether its lines fill the width and continue from one to the next. */
  readonly isRunning: boolean;
}

const lettersOfText = 20;
/** Devanagari has no capital letters that would show where a sentence begins. */
const hasNoCase = /^\s*\p{Lo}/u;
const goingOnMin = 0.3;

function sideOf(rows: readonly (readonly PdfPiece[])[], width: number): Side {
  const cells = rows.map((row) => lineOf(row).cells);
  const fullness = median(rows.map(widthOf)) / width;
  const letters = median(cells.flat().map(({ text }) => text.length));
  const begins = cells.flatMap(([first]) => (first ? [first.text] : []));
  const goingOn = begins.filter((text) => goesOnFrom(text) || hasNoCase.test(text)).length;
  const isText = letters >= lettersOfText && goingOn >= begins.length * goingOnMin;
  return {
    fullness,
    cells: median(cells.map(({ length }) => length)),
    letters,
    isText,
    isRunning: isText && fullness >= fullnessOfText,
  };
}

const isLeftOf = (gutter: number, { left, right }: PdfPiece): boolean => (left + right) / 2 < gutter;

/** The width of the white strip at the gutter between columns. */
function widthAt(gutter: number, groups: readonly Group[]): number {
  const pieces = groups.flatMap(({ rows, pairs }) => (pairs > 0 ? rows.flatMap(({ line }) => line) : []));
  const from = greatest(pieces.filter((piece) => isLeftOf(gutter, piece)).map(({ right }) => right));
  const to = least(pieces.filter((piece) => !isLeftOf(gutter, piece)).map(({ left }) => left));
  return to - from;
}

const belowLine = 0.2;

/** The white space between the descenders of the line above and the tallest letters of this one. */
function gapAbove(line: readonly PdfPiece[], above: readonly PdfPiece[]): number {
  const from = least(above.map(({ bottom, height }) => bottom - height * belowLine));
  return from - greatest(line.map(({ bottom, height }) => bottom + height * (1 - belowLine)));
}

const widthOf = (pieces: readonly PdfPiece[]): number => pieces.reduce((sum, { left, right }) => sum + right - left, 0);
const bottomOf = (line: readonly PdfPiece[]): number => line[0]?.bottom ?? 0;
