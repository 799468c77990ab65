import { deflateRawSync, deflateSync } from 'node:zlib';
import { crc32 } from 'node:zlib';
import ExcelJs from 'exceljs';

const escaped = (line: string) => line.replace(/[\\()]/g, '\\$&');

/** A PDF with one line of text after another, as simple as the format allows. */
export function pdfOf(pages: readonly (readonly string[])[]): Buffer {
  return pdfOfStreams(
    pages.map((lines) => `BT /F1 12 Tf 14 TL 50 780 Td ${lines.map((line) => `(${escaped(line)}) Tj T*`).join(' ')} ET`),
  );
}

/** A PDF with each text at a given position, in points from the lower left corner of an A4 page. */
export function placedPdfOf(pages: readonly (readonly (readonly [text: string, left: number, bottom: number])[])[]): Buffer {
  const shown = ([text, left, bottom]: readonly [string, number, number]) =>
    `BT /F1 10 Tf 1 0 0 1 ${left} ${bottom} Tm (${escaped(text)}) Tj ET`;
  return pdfOfStreams(pages.map((texts) => texts.map(shown).join('\n')));
}

/** What one glyph of a font stands for: the letters in the font's table, and those given by the author. */
export interface Shape {
  readonly means: string;
  readonly said?: string;
}

const hexOf = (text: string) => Buffer.from(text, 'utf16le').swap16().toString('hex');
const actualTextOf = (said: string) => `<FEFF${hexOf(said)}>`;

/** A PDF of lines of glyphs, each placed where the previous one ends, as browsers print text. */
export function shapedPdfOf(pages: readonly (readonly (readonly Shape[])[])[], write = actualTextOf): Buffer {
  const letters = [...new Set(pages.flat(2).map(({ means }) => means))];
  const codeOf = (letter: string) => (letters.indexOf(letter) + 1).toString(16).padStart(4, '0');
  const shapeOf = ({ means, said }: Shape) => {
    const shown = `<${codeOf(means)}> Tj 5 0 Td`;
    return said === undefined ? shown : `/Span << /ActualText ${write(said)} >> BDC ${shown} EMC`;
  };
  const lineOf = (shapes: readonly Shape[], line: number) =>
    `BT /F1 10 Tf 50 ${780 - line * 14} Td ${shapes.map(shapeOf).join('\n')} ET`;
  const table = letters.map((letter) => `<${codeOf(letter)}> <${hexOf(letter)}>`).join('\n');
  const cmap = `begincmap 1 begincodespacerange <0000> <FFFF> endcodespacerange ${letters.length} beginbfchar\n${table}\nendbfchar endcmap`;
  const font =
    '<< /Type /Font /Subtype /Type0 /BaseFont /Shapes /Encoding /Identity-H /ToUnicode << >> /DescendantFonts [<< /Type /Font ' +
    '/Subtype /CIDFontType2 /BaseFont /Shapes /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> /DW 500 >>] >>';
  return pdfOfStreams(
    pages.map((lines) => lines.map(lineOf).join('\n')),
    { font, cmap },
  );
}

/** A PDF of compressed pages, with forms that pages and other forms draw as `/X0 Do`, `/X1 Do` and so on. */
export function packedPdfOf(pages: readonly string[], forms: readonly string[] = []): Buffer {
  const names = forms.map((_, form) => `/X${form} ${4 + form} 0 R`).join(' ');
  const resources = `/Resources << /Font << /F1 3 0 R >> /XObject << ${names} >> >>`;
  const contents = [...new Set(pages)];
  const page = (content: string) => {
    const at = 4 + forms.length + contents.indexOf(content);
    return `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] ${resources} /Contents ${at} 0 R >>`;
  };
  const kids = pages.map((_, place) => `${4 + forms.length + contents.length + place} 0 R`).join(' ');
  return pdfOfObjects([
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Kids [${kids}] /Count ${pages.length} >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    ...forms.map((form) => packedStreamOf(form, `/Type /XObject /Subtype /Form /BBox [0 0 9 9] ${resources}`)),
    ...contents.map((content) => packedStreamOf(content)),
    ...pages.map(page),
  ]);
}

/** A PDF of one line in a font, which finds the packed streams of its own as `6 0 R`, `7 0 R` and so on. */
export function fontPdfOf(font: string, streams: readonly (string | Buffer)[] = []): Buffer {
  return pdfOfObjects([
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [4 0 R] /Count 1 >>',
    font,
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F1 3 0 R >> >> /Contents 5 0 R >>',
    packedStreamOf('BT /F1 9 Tf 50 700 Td (ab) Tj ET'),
    ...streams.map((stream) => packedStreamOf(stream)),
  ]);
}

function packedStreamOf(content: string | Buffer, about = ''): string {
  const packed = deflateSync(content, { level: 9 }).toString('latin1');
  return `<< ${about} /Filter /FlateDecode /Length ${packed.length} >>\nstream\n${packed}\nendstream`;
}

function pdfOfStreams(streams: readonly string[], shapes?: { readonly font: string; readonly cmap: string }): Buffer {
  const objects: string[] = [];
  const add = (body: string) => objects.push(body);
  const kids = streams.map((_, index) => `${4 + index * 2} 0 R`).join(' ');
  add('<< /Type /Catalog /Pages 2 0 R >>');
  add(`<< /Type /Pages /Kids [${kids}] /Count ${streams.length} >>`);
  const table = `${4 + streams.length * 2} 0 R`;
  add(shapes?.font.replace('<< >>', table) ?? '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>');
  streams.forEach((stream, index) => {
    add(
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F1 3 0 R >> >> /Contents ${5 + index * 2} 0 R >>`,
    );
    add(streamOf(stream));
  });
  if (shapes) add(streamOf(shapes.cmap));
  return pdfOfObjects(objects);
}

/** A PDF whose table of objects is a packed stream that claims a number of entries of so many bytes each. */
export function tablePdfOf(entries: number, widths: string, table: string): Buffer {
  const about = `/Type /XRef /Size ${entries} /W ${widths} /Index [0 ${entries}] /Root 2 0 R`;
  return Buffer.from(`%PDF-1.5\n1 0 obj\n${packedStreamOf(table, about)}\nendobj\nstartxref\n9\n%%EOF`, 'latin1');
}

function pdfOfObjects(objects: readonly string[]): Buffer {
  let file = '%PDF-1.4\n';
  const offsets = objects.map((body, index) => {
    const offset = file.length;
    file += `${index + 1} 0 obj\n${body}\nendobj\n`;
    return offset;
  });
  const places = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  const trailer = `trailer << /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${file.length}\n%%EOF`;
  return Buffer.from(`${file}xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${places}${trailer}`, 'latin1');
}

const streamOf = (content: string) => `<< /Length ${content.length} >>\nstream\n${content}\nendstream`;

/** A workbook with one sheet. */
export async function xlsxOf(rows: readonly (readonly (string | number)[])[], sheetName = 'Prices'): Promise<Buffer> {
  const workbook = new ExcelJs.Workbook();
  workbook.addWorksheet(sheetName).addRows(rows.map((row) => [...row]));
  return Buffer.from(await workbook.xlsx.writeBuffer());
}

/** A workbook with every common kind of cell, and gaps between them. */
export async function workbookOfEveryKind(): Promise<Buffer> {
  const workbook = new ExcelJs.Workbook();
  const sheet = workbook.addWorksheet('Büro & Söhne <1>');
  sheet.addRow(['Day', 'Time', 'Moment', 'Rich', 'Open', 'Wrong', 'Sum', 'Owed', 'Share', 'Link', 'Empty']);
  const row = sheet.addRow([
    new Date(Date.UTC(2026, 11, 25)),
    9.5 / 24,
    new Date(Date.UTC(2026, 0, 2, 9, 30)),
    { richText: [{ text: 'plain & ' }, { font: { bold: true }, text: 'bold' }] },
    true,
    { error: '#N/A' },
    { formula: '1499+0.5', result: 1499.5 },
    -3.25,
    0.5,
    { text: 'our page', hyperlink: 'https://example.org' },
  ]);
  const formats = { 1: 'dd/mm/yyyy', 2: 'h:mm AM/PM', 3: 'yyyy-mm-dd hh:mm', 8: '#,##0.00 "days";[Red]-#,##0.00', 9: '0%' };
  for (const [column, numFmt] of Object.entries(formats)) row.getCell(Number(column)).numFmt = numFmt;
  workbook.addWorksheet('Second').addRow(['only one']);
  return Buffer.from(await workbook.xlsx.writeBuffer());
}

interface ZipPart {
  readonly name: string;
  readonly content: Buffer;
  /** The size stated in the directory, if false. */
  readonly declaredBytes?: number;
}

/** A zip file whose directory may state false sizes. */
export function zipOf(parts: readonly ZipPart[]): Buffer {
  const locals: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { name, content, declaredBytes = content.length } of parts) {
    const data = deflateRawSync(content, { level: 9 });
    const fields = zipFields(crc32(content), data.length, declaredBytes, Buffer.byteLength(name));
    const local = Buffer.concat([Buffer.from('504b0304', 'hex'), fields, Buffer.from(name), data]);
    const place = Buffer.alloc(14);
    place.writeUInt32LE(offset, 10);
    directory.push(Buffer.concat([Buffer.from('504b01021400', 'hex'), fields, place, Buffer.from(name)]));
    locals.push(local);
    offset += local.length;
  }
  const listed = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(parts.length, 8);
  end.writeUInt16LE(parts.length, 10);
  end.writeUInt32LE(listed.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...locals, listed, end]);
}

function zipFields(checksum: number, compressedBytes: number, bytes: number, nameBytes: number): Buffer {
  const fields = Buffer.alloc(26);
  fields.writeUInt16LE(20, 0);
  fields.writeUInt16LE(8, 4);
  fields.writeUInt32LE(checksum, 10);
  fields.writeUInt32LE(compressedBytes, 14);
  fields.writeUInt32LE(bytes, 18);
  fields.writeUInt16LE(nameBytes, 22);
  return fields;
}

const paragraph = (text: string, style = '') =>
  `<w:p>${style && `<w:pPr><w:pStyle w:val="${style}"/></w:pPr>`}<w:r><w:t>${text}</w:t></w:r></w:p>`;
const row = (cells: readonly string[]) => `<w:tr>${cells.map((cell) => `<w:tc>${paragraph(cell)}</w:tc>`).join('')}</w:tr>`;

/** A Word file with a heading, a paragraph and a table. */
export function docxOf({
  heading,
  text,
  table,
}: {
  heading: string;
  text: string;
  table: readonly (readonly string[])[];
}): Buffer {
  return wordFileOf(paragraph(heading, 'Heading1') + paragraph(text) + `<w:tbl>${table.map(row).join('')}</w:tbl>`);
}

type WordCell = string | { readonly text: string; readonly span?: number; readonly goesOn?: boolean };

/** A Word file with one table, whose cells may span columns or continue from the row above. */
export function docxTableOf(table: readonly (readonly WordCell[])[]): Buffer {
  const cellOf = (cell: WordCell) => {
    const { text, span, goesOn } = typeof cell === 'string' ? { text: cell, span: undefined, goesOn: false } : cell;
    const properties = `${span ? `<w:gridSpan w:val="${span}"/>` : ''}${goesOn ? '<w:vMerge/>' : ''}`;
    return `<w:tc><w:tcPr>${properties}</w:tcPr>${paragraph(text)}</w:tc>`;
  };
  return wordFileOf(`<w:tbl>${table.map((cells) => `<w:tr>${cells.map(cellOf).join('')}</w:tr>`).join('')}</w:tbl>`);
}

function wordFileOf(body: string): Buffer {
  const xml = `<?xml version="1.0"?><w:document xmlns:w="w"><w:body>${body}</w:body></w:document>`;
  return zipOf([
    { name: '[Content_Types].xml', content: Buffer.from('<Types/>') },
    { name: 'word/document.xml', content: Buffer.from(xml) },
  ]);
}
