import { refuseTypewriter } from './damaged-text.ts';
import { type Block, limits, type ParsedFile, Refused, type WorkBudget } from './parsed-file.ts';
import { attributeOf, GuardedZip, piecesOf } from './office-file.ts';
import { type RowRead, rowsUnderHeaders } from './table-rows.ts';

/** The text of a Word file: headings by their style, and table rows with the header of their table. */
export function readDocx(file: Buffer): ParsedFile {
  const zip = new GuardedZip(file);
  if (!zip.names.includes('word/document.xml')) throw new Refused('The file is not a Word document.');
  return { blocks: new DocumentReader(zip.budget).blocks(zip.read('word/document.xml')), pageCount: () => undefined };
}

/** A cell may span several columns, and continue from the row above. */
interface WordCell {
  readonly text: string;
  readonly span: number;
  readonly isContinued: boolean;
}

/** How many paragraphs, and how much of each, are checked for damaged text. */
const paragraphsJudged = 500;
const charactersJudged = 1_000;

class DocumentReader {
  private text = '';
  private level = 0;
  private isInText = false;
  private tableDepth = 0;
  private rows: RowRead[] = [];
  private readonly judged: string[] = [];
  private cells: WordCell[] = [];
  private cell: string[] = [];
  private span = 1;
  private isContinued = false;
  private readonly budget: WorkBudget;

  constructor(budget: WorkBudget) {
    this.budget = budget;
  }

  *blocks(xml: Buffer): Generator<Block> {
    for (const piece of piecesOf(xml, this.budget)) {
      if (piece.kind === 'text') this.text += this.isInText ? piece.text : '';
      else if (piece.prefix !== 'w') continue;
      else if (piece.name === 't') this.isInText = piece.kind === 'begin' && !piece.isEmpty;
      else if (piece.name === 'tbl') yield* this.table(piece.kind === 'end');
      else if (piece.kind === 'end') yield* this.end(piece.name);
      else if (piece.name === 'tab' || piece.name === 'br') this.text += ' ';
      else if (piece.name === 'pStyle') this.level = levelOf(piece.attributes);
      else if (this.tableDepth === 1) this.property(piece.name, piece.attributes);
    }
    yield* rowsUnderHeaders(this.rows);
    refuseTypewriter(this.judged.join(' '));
  }

  private *table(isEnd: boolean): Generator<Block> {
    this.tableDepth += isEnd ? -1 : 1;
    if (this.tableDepth > (isEnd ? 0 : 1)) return;
    yield* rowsUnderHeaders(this.rows);
    this.rows = [];
  }

  private property(name: string, attributes: string): void {
    if (name === 'gridSpan') this.span = Math.min(limits.columns, Number(attributeOf(attributes, 'val')) || 1);
    if (name === 'vMerge') this.isContinued = attributeOf(attributes, 'val') !== 'restart';
  }

  private *end(name: string): Generator<Block> {
    if (name === 'p') yield* this.paragraph();
    if (this.tableDepth !== 1) return;
    if (name === 'tc') {
      this.cells.push({ text: this.cell.join(' '), span: this.span, isContinued: this.isContinued });
      [this.cell, this.span, this.isContinued] = [[], 1, false];
    }
    if (name === 'tr') this.row();
  }

  /** The text of a spanning cell is repeated in each row and column that it spans; a cell across the whole row is a title. */
  private row(): void {
    const above = this.rows.at(-1)?.cells ?? [];
    const isAlone = this.cells.filter(({ text, isContinued }) => text !== '' || isContinued).length === 1;
    const cells: string[] = [];
    for (const { text, span, isContinued } of this.cells) {
      this.budget.spend(span);
      const content = isContinued ? (above[cells.length] ?? '') : text;
      cells.push(content, ...Array.from({ length: span - 1 }, () => (isAlone ? '' : content)));
    }
    const isSpanning = this.cells.some(({ span }) => span > 1);
    this.rows.push({ row: (this.rows.at(-1)?.row ?? 0) + 1, cells: cells.slice(0, limits.columns), isSpanning });
    this.cells = [];
  }

  private *paragraph(): Generator<Block> {
    const [text, level] = [this.text.trim(), this.level];
    [this.text, this.level] = ['', 0];
    if (text === '') return;
    if (this.judged.length < paragraphsJudged) this.judged.push(text.slice(0, charactersJudged));
    if (this.tableDepth > 0) this.cell.push(text);
    else yield level > 0 ? { kind: 'heading', text, level } : { kind: 'paragraph', text };
  }
}

function levelOf(attributes: string): number {
  return Number(/^heading ?(\d)$/i.exec(attributeOf(attributes, 'val') ?? '')?.[1] ?? 0);
}
