/** A piece of text and its position on the page, as the PDF engine reports it. */
export interface PlacedText {
  readonly str: string;
  /** The first two numbers give the rotation, the last two the position of the lower left corner. */
  readonly transform: readonly number[];
  readonly width: number;
  readonly height: number;
  readonly fontName?: string;
}

export interface PdfCell {
  readonly text: string;
  readonly left: number;
  readonly right: number;
  /** The font of its first letter. */
  readonly font: string;
}

/** A line of a region, from left to right; it has more than one cell if it has wide gaps, as table rows do. */
export interface PageLine {
  readonly cells: readonly PdfCell[];
  readonly height: number;
  readonly bottom: number;
}

/** An upright piece of text. */
export interface PdfPiece extends PdfCell {
  readonly bottom: number;
  readonly height: number;
}

/** Gaps wider than this many letter heights separate cells; narrower ones are spaces. */
export const cellGap = 1.2;
const spaceGap = 0.15;

/** Groups text by rotation and turns it upright; the rotation of most of the page comes first. */
export function piecesByTurn(items: readonly PlacedText[]): PdfPiece[][] {
  const turns = Map.groupBy(items, ({ transform: [a = 1, b = 0] }) => (Math.round(Math.atan2(b, a) / (Math.PI / 2)) + 4) % 4);
  const ordered = [...turns].toSorted(([, one], [, other]) => other.length - one.length);
  return ordered.map(([turn, turned]) => turned.flatMap((item) => partsOf(item, turn)));
}

/** Wide spaces, and the leader dots between a dish and its price. */
const filling = /\s{3,}|(?:\s?\.){4,}\s*|\s*[…_·]{3,}\s*/gu;

/** Printouts align columns with spaces, and menus with dots: to the engine they are one piece of text. */
function partsOf({ str, transform, width, height, fontName: font = '' }: PlacedText, turn: number): PdfPiece[] {
  const [x = 0, y = 0] = transform.slice(4);
  const [left, bottom] = [
    [x, y],
    [y, -x],
    [-x, -y],
    [-y, x],
  ][turn] ?? [x, y];
  if (left === undefined || bottom === undefined) return [];
  const fillings = [...str.trimEnd().matchAll(filling)];
  if (fillings.length === 0) return [{ text: str, left, right: left + width, font, bottom, height }];
  const letter = width / str.length;
  const starts = [0, ...fillings.map(({ 0: filled, index }) => index + filled.length)];
  return starts.flatMap((from, place) => {
    const to = fillings[place]?.index ?? str.length;
    const text = str.slice(from, to);
    return text.trim() === '' ? [] : [{ text, left: left + from * letter, right: left + to * letter, font, bottom, height }];
  });
}

/** Groups pieces at the same height into lines, from the top of the page to the bottom. */
export function linesOf(pieces: readonly PdfPiece[]): PdfPiece[][] {
  const lines: PdfPiece[][] = [];
  for (const piece of pieces.toSorted((one, other) => other.bottom - one.bottom)) {
    const [first] = lines.at(-1) ?? [];
    const isSame = first && Math.abs(first.bottom - piece.bottom) < Math.max(2, piece.height * 0.5);
    if (isSame) lines.at(-1)?.push(piece);
    else lines.push([piece]);
  }
  return lines.map((line) => line.toSorted((one, other) => one.left - other.left));
}

/** Pieces that end a cell although the gap after them is no wider than a space may be. */
type CellEnds = ReadonlySet<PdfPiece>;

export function lineOf(pieces: readonly PdfPiece[], ends: CellEnds = new Set()): PageLine {
  const height = heightOf(pieces);
  const cells: PdfCell[] = [];
  let last: PdfPiece | undefined;
  for (const piece of pieces) {
    const { text, left, right, font } = piece;
    const before = cells.at(-1);
    const gap = before ? left - before.right : Number.POSITIVE_INFINITY;
    if (!before || gap > height * cellGap || (last && ends.has(last))) cells.push({ text, left, right, font });
    else {
      const space = gap > height * spaceGap ? ' ' : '';
      cells[cells.length - 1] = { ...before, text: `${before.text}${space}${text}`, right: Math.max(before.right, right) };
    }
    last = piece;
  }
  const bottom = pieces[0]?.bottom ?? 0;
  return { cells: cells.map((cell) => ({ ...cell, text: cell.text.replace(/\s+/gu, ' ').trim() })), height, bottom };
}

/** A gap that consecutive lines have in common. */
interface Strip {
  readonly from: number;
  readonly to: number;
  /** The pieces before the gap. */
  readonly ends: readonly PdfPiece[];
  /** How many lines ago it was last seen. */
  readonly since: number;
}

const narrowGap = 0.3;
export const linesInCommon = 3;
const linesBetweenMax = 6;
const stripsMax = 100;

/** The lines of a region with their cells: a narrow gap separates cells if several lines have it at the same position. */
export function linesInColumns(lines: readonly (readonly PdfPiece[])[]): PageLine[] {
  const ends = new Set<PdfPiece>();
  let open: Strip[] = [];
  for (const line of lines) {
    const gaps = narrowGapsIn(line);
    const went = new Set<Strip>();
    const next = gaps.map(({ from, to, before }): Strip => {
      const strip = open.find((one) => Math.min(to, one.to) - Math.max(from, one.from) >= heightOf(line) * narrowGap);
      if (strip) went.add(strip);
      const joined = strip ? { from: Math.max(from, strip.from), to: Math.min(to, strip.to) } : { from, to };
      return { ...joined, ends: [...(strip?.ends.slice(1 - linesInCommon) ?? []), before], since: 0 };
    });
    for (const { ends: found } of next) if (found.length >= linesInCommon) for (const piece of found) ends.add(piece);
    const kept = open.filter((strip) => !went.has(strip) && strip.since < linesBetweenMax && !isCrossed(strip, line));
    open = [...next, ...kept.map((strip) => ({ ...strip, since: strip.since + 1 }))].slice(0, stripsMax);
  }
  return lines.map((line) => lineOf(line, ends));
}

const isCrossed = ({ from, to }: Strip, line: readonly PdfPiece[]): boolean =>
  line.some(({ left, right }) => left < to && right > from);

function narrowGapsIn(line: readonly PdfPiece[]): { from: number; to: number; before: PdfPiece }[] {
  const gaps = line.slice(1).flatMap((piece, place) => {
    const before = line[place];
    return before && piece.left > before.right ? [{ from: before.right, to: piece.left, before }] : [];
  });
  // Separately placed words have ordinary spaces between them, which are not columns.
  const usual = gaps.length >= wordsByThemselves ? median(gaps.map(({ from, to }) => to - from)) * 1.5 : 0;
  return gaps.filter(({ from, to }) => to - from >= Math.max(usual, heightOf(line) * narrowGap)).slice(0, stripsMax);
}

const wordsByThemselves = 6;

// Not Math.max(...values): a page may have more pieces than a function may have arguments.
export const greatest = (values: readonly number[]): number =>
  values.reduce((one, other) => Math.max(one, other), Number.NEGATIVE_INFINITY);
export const least = (values: readonly number[]): number =>
  values.reduce((one, other) => Math.min(one, other), Number.POSITIVE_INFINITY);
export const median = (values: readonly number[]): number =>
  values.toSorted((one, other) => one - other)[values.length >> 1] ?? 0;

export const heightOf = (pieces: readonly PdfPiece[]): number => greatest(pieces.map(({ height }) => height));
