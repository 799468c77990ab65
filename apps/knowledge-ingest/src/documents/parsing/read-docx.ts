import { type Block, type ParsedFile, Refused } from './parsed-file.ts';
import { attributeOf, GuardedZip, piecesOf } from './office-file.ts';

/** The text of a Word file: headings by their style, table rows with the first row as header. */
export function readDocx(file: Buffer): ParsedFile {
  const zip = new GuardedZip(file);
  if (!zip.names.includes('word/document.xml')) throw new Refused('The file is not a Word document.');
  return { blocks: new DocumentReader().blocks(zip.read('word/document.xml')), pageCount: () => undefined };
}

class DocumentReader {
  private text = '';
  private level = 0;
  private isInText = false;
  private tableDepth = 0;
  private header: string[] | undefined;
  private cells: string[] = [];
  private cell: string[] = [];
  private row = 0;

  *blocks(xml: Buffer): Generator<Block> {
    for (const piece of piecesOf(xml)) {
      if (piece.kind === 'text') this.text += this.isInText ? piece.text : '';
      else if (piece.prefix !== 'w') continue;
      else if (piece.name === 't') this.isInText = piece.kind === 'begin' && !piece.isEmpty;
      else if (piece.name === 'tbl') this.table(piece.kind === 'end');
      else if (piece.kind === 'end') yield* this.end(piece.name);
      else if (piece.name === 'tab' || piece.name === 'br') this.text += ' ';
      else if (piece.name === 'pStyle') this.level = levelOf(piece.attributes);
    }
  }

  private table(isEnd: boolean): void {
    this.tableDepth += isEnd ? -1 : 1;
    if (this.tableDepth === 1 && !isEnd) [this.header, this.row] = [undefined, 0];
  }

  private *end(name: string): Generator<Block> {
    if (name === 'p') yield* this.paragraph();
    if (name === 'tc' && this.tableDepth === 1) {
      this.cells.push(this.cell.join(' '));
      this.cell = [];
    }
    if (name !== 'tr' || this.tableDepth !== 1) return;
    this.row += 1;
    if (!this.header) this.header = this.cells;
    else yield { kind: 'row', header: this.header, cells: this.cells, row: this.row };
    this.cells = [];
  }

  private *paragraph(): Generator<Block> {
    const [text, level] = [this.text.trim(), this.level];
    [this.text, this.level] = ['', 0];
    if (text === '') return;
    if (this.tableDepth > 0) this.cell.push(text);
    else yield level > 0 ? { kind: 'heading', text, level } : { kind: 'paragraph', text };
  }
}

function levelOf(attributes: string): number {
  return Number(/^heading ?(\d)$/i.exec(attributeOf(attributes, 'val') ?? '')?.[1] ?? 0);
}
