import { type Block, type ParsedFile, Refused } from './parsed-file.ts';
import { GuardedZip } from './zip-guard.ts';

const tag = /<(\/?)w:(p|t|tab|br|tr|tc|tbl|pStyle)(?=[\s/>])([^<>]*?)(\/?)>|<[^<>]*>|([^<]+)/g;
const named: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

const decoded = (text: string) =>
  text.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(amp|lt|gt|quot|apos));/gi, (whole, decimal, hexadecimal, name) => {
    if (name) return named[String(name).toLowerCase()] ?? whole;
    const point = decimal ? Number(decimal) : Number.parseInt(String(hexadecimal), 16);
    return point <= 0x10ffff ? String.fromCodePoint(point) : whole;
  });

/** The text of a Word file: headings by their style, table rows with the first row as header. */
export function readDocx(file: Buffer): ParsedFile {
  const zip = new GuardedZip(file);
  if (!zip.names.includes('word/document.xml')) throw new Refused('The file is not a Word document.');
  return { blocks: new DocumentReader().blocks(zip.read('word/document.xml').toString('utf8')), pageCount: () => undefined };
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

  *blocks(xml: string): Generator<Block> {
    for (const [, closing, name, attributes = '', selfClosing, text] of xml.matchAll(tag)) {
      if (text !== undefined) this.text += this.isInText ? decoded(text) : '';
      else if (name === 't') this.isInText = !closing && !selfClosing;
      else if (name === 'tab' || name === 'br') this.text += ' ';
      else if (name === 'pStyle') this.level = Number(/w:val="(?:Heading|heading )(\d)"/.exec(attributes)?.[1] ?? 0);
      else if (name === 'tbl') this.table(closing === '/');
      else if (name && closing) yield* this.end(name);
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
