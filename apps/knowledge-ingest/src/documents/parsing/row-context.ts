import type { Block, RowBlock } from './parsed-file.ts';
import { isFigure } from './table-rows.ts';

/** How many rows are read to see whether a table has sections. */
const rowsHeldMax = 200;
const nameLettersMax = 80;
/** In a table of two columns, a name without a value is an ordinary row. */
const columnsMin = 3;

/**
 * Adds to rows what a reader sees above them: the line that starts a section of a table, and a name written once for several
 * rows. An import needs the rows unchanged and does not use this.
 */
export class RowContext {
  /** The first rows of a table, held back until it is known whether it has sections. */
  private held: RowBlock[] = [];
  private last: RowBlock | undefined;
  /** A row that may start a section, which the next row decides. */
  private pending: RowBlock | undefined;
  private section = '';
  private isSectioned = false;

  *read(block: Block): Generator<Block> {
    if (block.kind !== 'row') {
      yield* this.end();
      yield block;
      return;
    }
    const before = this.held.at(-1) ?? this.pending ?? this.last;
    if (before && !isOfOneTable(before, block)) yield* this.end();
    const isFirst = !before || this.last === undefined;
    if (this.held.length > 0 || (isFirst && !this.pending && isName(block) && namesOf(block) >= columnsMin)) {
      this.held.push(block);
      if (this.held.length >= rowsHeldMax) yield* this.release();
    } else yield* this.complete(block);
  }

  /** Nothing follows, so a row held back starts no section. */
  *end(): Generator<Block> {
    yield* this.release();
    if (this.pending) yield this.inSection(this.pending);
    [this.pending, this.last, this.section, this.isSectioned] = [undefined, undefined, '', false];
  }

  private *release(): Generator<Block> {
    const { held } = this;
    this.held = [];
    // A single name may be an entry without values, such as a day when the business is closed.
    this.isSectioned ||= held.filter((row, place) => isName(row) && opens(row, held[place + 1])).length > 1;
    for (const row of held) yield* this.complete(row);
  }

  private *complete(block: RowBlock): Generator<Block> {
    const { pending, last } = this;
    this.pending = undefined;
    if (pending && opens(pending, block) && (this.isSectioned || isSetApart(pending, block)))
      [this.section, this.last] = [nameOf(pending), undefined];
    else if (pending) yield this.inSection((this.last = pending));
    else if (last && block.row !== last.row + 1) [this.section, this.last] = ['', undefined];
    if (isName(block)) this.pending = block;
    else yield this.inSection((this.last = this.last ? carried(this.last, block) : block));
  }

  private inSection(row: RowBlock): RowBlock {
    return this.section === '' || row.section !== undefined ? row : { ...row, section: this.section };
  }
}

const namesOf = ({ header }: RowBlock): number => header.filter((name) => name !== '').length;
const valuesOf = ({ cells }: RowBlock): number => cells.filter((cell) => cell !== '').length;
const nameOf = ({ cells }: RowBlock): string => (cells[0] ?? '').replace(/\s*:$/u, '');

function isOfOneTable(one: RowBlock, other: RowBlock): boolean {
  const isSameHeader =
    one.header.length === other.header.length && one.header.every((name, place) => name === other.header[place]);
  return one.sheet === other.sheet && isSameHeader;
}

/** Whether only the first column is filled, with words. */
function isName(row: RowBlock): boolean {
  const [first = ''] = row.cells;
  return namesOf(row) > 1 && first !== '' && valuesOf(row) === 1 && !isFigure(first) && first.length <= nameLettersMax;
}

const opens = (name: RowBlock, below: RowBlock | undefined): boolean =>
  below !== undefined && isOfOneTable(name, below) && below.row === name.row + 1 && valuesOf(below) > 1;

/** Whether a name is written like a heading, and the name below it is not. */
function isSetApart(name: RowBlock, below: RowBlock): boolean {
  const [over = '', under = ''] = [name.cells[0], below.cells[0]];
  return (over.endsWith(':') && !under.endsWith(':')) || (isInCapitals(over) && !isInCapitals(under));
}

const isInCapitals = (text: string): boolean => /\p{Lu}{2}/u.test(text) && !/\p{Ll}/u.test(text);

/** Marks that stand for "same as above". */
const ditto = /^(?:["”″〃]|''|ditto|-do-|do\.)$/iu;
/** A total has no name of its own, and does not belong to any one row above it. */
const sum = /^(?:(?:sub|grand)[ -]?)?totals?\b|^sum\b|^(?:कुल|एकूण|योग)(?![\p{L}\p{M}])/iu;

/** If the first columns are filled once for several rows, the others get the same names. */
function carried(above: RowBlock, row: RowBlock): RowBlock {
  const first = row.cells.findIndex((cell) => cell !== '' && !ditto.test(cell));
  const own = row.cells.slice(Math.max(first, 0));
  const isOwn = first < 1 || isFigure(own[0] ?? '') || sum.test(own[0] ?? '') || !own.slice(1).some(isFigure);
  const names = above.cells.slice(0, first);
  const isNamed = names.length === first && names.every((name, place) => name !== '' && row.header[place] && !isFigure(name));
  return isOwn || !isNamed ? row : { ...row, cells: [...names, ...own] };
}
