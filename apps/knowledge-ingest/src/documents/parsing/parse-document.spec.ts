import { once } from 'node:events';
import { mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import {
  docxOf,
  fontPdfOf,
  packedPdfOf,
  pdfOf,
  placedPdfOf,
  tablePdfOf,
  workbookOfEveryKind,
  xlsxOf,
  zipOf,
} from '../../testing/sample-files.fake';
import { parseDocument } from './parse-document';

const texts = async (...[type, content]: Parameters<typeof parseDocument>) =>
  [...(await parseDocument(type, content)).chunks].map(({ text }) => text);
const megabyte = 1024 * 1024;

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

describe('what was read of a large file', () => {
  const parts = 3_000;
  const large = (): Buffer =>
    Buffer.from(Array.from({ length: parts }, (_, part) => `# Part ${part}\n\n${`word${part} `.repeat(100)}\n`).join('\n'));

  it('takes no room among the objects of this process', async () => {
    const content = large();
    const grown: number[] = [];
    // Whatever else the process loads for the first time, it loads once.
    for (let reading = 0; reading < 3; reading += 1) {
      collectGarbage();
      const before = process.memoryUsage().heapUsed;
      const { chunks } = await parseDocument('md', content);
      collectGarbage();
      grown.push(process.memoryUsage().heapUsed - before);
      expect(chunks.length).toBeGreaterThanOrEqual(parts);
    }
    expect(Math.min(...grown)).toBeLessThan(content.length / 4);
  });

  it('is there in any part of its order', async () => {
    const { chunks } = await parseDocument('md', large());
    const all = [...chunks];
    expect(all).toHaveLength(chunks.length);
    expect(chunks.slice(30, 70)).toEqual(all.slice(30, 70));
    expect(chunks.slice(chunks.length - 3, chunks.length + 10)).toEqual(all.slice(-3));
    expect(all[0]?.text).toContain('word0 ');
  });
});

const blanks = ' '.repeat(20_000_000);
const nestedForms = (depth: number) =>
  Array.from({ length: depth }, (_, form) => (form + 1 < depth ? `/X${form + 1} Do `.repeat(3) : 'BT /F1 9 Tf (a) Tj ET'));
const wordOf = (body: string) => zipOf([{ name: 'word/document.xml', content: Buffer.from(`<w:document>${body}</w:document>`) }]);
const spanningRow = '<w:tr><w:tc><w:tcPr><w:gridSpan w:val="200"/></w:tcPr><w:p><w:t>a</w:t></w:p></w:tc></w:tr>';
const merges = Array.from({ length: 200 }, (_, row) => `<mergeCell ref="A${row + 1}:GR100000"/>`).join('');

/** A font of glyphs of two bytes; `more` is said of its only descendant, and `outer` of itself. */
const wideFont = (more: string, outer = '/Encoding /Identity-H') =>
  `<< /Type /Font /Subtype /Type0 /BaseFont /A ${outer} /DescendantFonts [<< /Type /Font /Subtype /CIDFontType2 /BaseFont /A ` +
  `/CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> ${more} >>] >>`;
const rangesOf = (kind: string, range: string, count: number) =>
  `begincmap 1 begincodespacerange <0000> <FFFF> endcodespacerange 9 begin${kind}range ${range.repeat(count)} end${kind}range endcmap`;
const mapped = '/Encoding /Identity-H /ToUnicode 6 0 R';
const embedded = (key: string) => `/FontDescriptor << /Type /FontDescriptor /FontName /A /Flags 4 ${key} 6 0 R >>`;

const fullRange = '<0000> <FFFF> <0041> ';
const longRange = `<0000> <FFFF> <${'0041'.repeat(2_000)}> `;
const cidRange = '<0000> <FFFF> 0 ';
const plainFont = `<< /Type /Font /Subtype /TrueType /BaseFont /A /FirstChar 0 /LastChar 1 /Widths [500 500] ${embedded('/FontFile2')} >>`;

/** A TrueType font whose table of characters has so many segments or groups, each from the first character to the last. */
function trueTypeOf(format: 4 | 12, count: number): Buffer {
  const words = (...all: number[]) => Buffer.from(all.flatMap((word) => [(word >> 8) & 255, word & 255]));
  const segments = [Array<number>(count).fill(0xfffe), [0], Array<number>(count).fill(0), Array<number>(count * 2).fill(0)];
  const subtable =
    format === 4
      ? words(4, 0, 0, count * 2, 0, 0, 0, ...segments.flat())
      : Buffer.concat([words(12, 0, 0, 0, 0, 0, 0, count), ...Array<Buffer>(count).fill(words(0, 0, 15, 0xffff, 0, 0))]);
  const tables = {
    cmap: Buffer.concat([words(0, 1, 3, 1, 0, 12), subtable]),
    glyf: Buffer.alloc(64),
    head: Buffer.concat([words(1, 0, 0, 0, 0, 0, 0x5f0f, 0x3cf5, 0, 1000), Buffer.alloc(30), words(0, 0)]),
    hhea: Buffer.concat([words(1, 0), Buffer.alloc(30), words(2)]),
    hmtx: words(500, 0, 500, 0),
    loca: words(0, 0, 0),
    maxp: Buffer.concat([words(1, 0, 2), Buffer.alloc(26)]),
  };
  let at = 12 + 16 * Object.keys(tables).length;
  const directory = Object.entries(tables).map(([name, table]) => {
    const entry = Buffer.concat([Buffer.from(name), words(0, 0, at >> 16, at, table.length >> 16, table.length)]);
    at += table.length;
    return entry;
  });
  return Buffer.concat([words(1, 0, Object.keys(tables).length, 0, 0, 0), ...directory, ...Object.values(tables)]);
}

function workbookOf(rows: string, merged = ''): Buffer {
  const relation = '<Relationship Id="r1" Type="x/worksheet" Target="worksheets/sheet1.xml"/>';
  const parts = {
    'xl/workbook.xml': '<workbook><sheets><sheet name="A" sheetId="1" r:id="r1"/></sheets></workbook>',
    'xl/_rels/workbook.xml.rels': `<Relationships>${relation}</Relationships>`,
    'xl/worksheets/sheet1.xml': `<worksheet><sheetData>${rows}</sheetData><mergeCells>${merged}</mergeCells></worksheet>`,
  };
  return zipOf(Object.entries(parts).map(([name, xml]) => ({ name, content: Buffer.from(xml) })));
}

describe('reading a document in its own process', () => {
  it('reads a PDF page by page and records where each chunk is from', async () => {
    const { chunks, pageCount } = await parseDocument(
      'pdf',
      pdfOf([['Goods may be returned within 30 days.'], ['Refunds take five days.']]),
    );
    expect(pageCount).toBe(2);
    expect([...chunks]).toEqual([{ text: 'Goods may be returned within 30 days. Refunds take five days.', page: 1 }]);
  });

  it('reads a table on under the header of the page before, and a line at the foot of every page once, behind the text', async () => {
    const rows = (from: number, count: number, top: number) =>
      Array.from({ length: count }, (_, row) => {
        const bottom = top - row * 16;
        return (
          [
            [`Part ${from + row}`, 60, bottom],
            ['pump', 200, bottom],
            [`${100 + from + row}`, 340, bottom],
          ] as const
        ).map(([text, left]) => [text, left, bottom] as const);
      }).flat();
    const header = (bottom: number) => [
      ['Part', 60, bottom] as const,
      ['Fits', 200, bottom] as const,
      ['Price', 340, bottom] as const,
    ];
    const foot = (page: number) => [['Telephone 0253 555 0142', 60, 30] as const, [`Page ${page}`, 500, 30] as const];
    const [first, second, third] = [rows(0, 40, 760), rows(40, 40, 776), rows(80, 3, 760)];
    const file = placedPdfOf([
      [...header(776), ...first, ...foot(1)],
      [...second, ...foot(2)],
      [...header(776), ...third, ...foot(3)],
    ]);
    const lines = (await texts('pdf', file)).flatMap((text) => text.split('\n'));
    expect(lines.filter((line) => line.startsWith('Part: Part '))).toHaveLength(83);
    expect(lines).toContain('Part: Part 50; Fits: pump; Price: 150');
    expect(lines.filter((line) => !line.startsWith('Part: Part '))).toEqual(['Telephone 0253 555 0142 Page 1']);
  });

  it('takes a table at the top of a page that has a header of its own for another one', async () => {
    const tableAt = (top: number, rows: readonly (readonly [string, string])[]) =>
      rows.flatMap(([name, value], row) => [[name, 60, top - row * 16] as const, [value, 200, top - row * 16] as const]);
    const fees = tableAt(700, [
      ['Class', 'Fee'],
      ['Nursery', '24,000'],
      ['First', '31,500'],
    ]);
    const routes = tableAt(760, [
      ['Route', 'Leaves'],
      ['Satpur', '7:05'],
      ['Deolali', '6:15'],
    ]);
    const lines = (await texts('pdf', placedPdfOf([fees, routes]))).flatMap((text) => text.split('\n'));
    expect(lines).toEqual([
      'Class: Nursery; Fee: 24,000',
      'Class: First; Fee: 31,500',
      'Route: Satpur; Leaves: 7:05',
      'Route: Deolali; Leaves: 6:15',
    ]);
  });

  it('gives every row of a workbook its header, sheet and row number', async () => {
    const { chunks } = await parseDocument(
      'xlsx',
      await xlsxOf([
        ['Product', 'Price'],
        ['Steel kettle', 1499],
        ['Lamp', 800],
      ]),
    );
    const text = 'Prices\nProduct: Steel kettle; Price: 1499\nProduct: Lamp; Price: 800';
    expect([...chunks]).toEqual([{ text, heading: 'Prices', row: 2, sheet: 'Prices' }]);
  });

  it('shows a workbook’s cells as seen on screen: dates, times, mixed styles, and results of formulas', async () => {
    const { chunks } = await parseDocument('xlsx', await workbookOfEveryKind());
    expect([...chunks]).toEqual([
      {
        sheet: 'Büro & Söhne <1>',
        heading: 'Büro & Söhne <1>',
        row: 2,
        text: `Büro & Söhne <1>\n${[
          'Day: 2026-12-25',
          'Time: 09:30',
          'Moment: 2026-01-02 09:30',
          'Rich: plain & bold',
          'Open: true',
          'Sum: 1499.5',
          'Owed: -3.25',
          'Share: 50%',
          'Link: our page',
        ].join('; ')}`,
      },
      { sheet: 'Second', heading: 'Second', row: 1, text: 'Second\nonly one' },
    ]);
  });

  it('reads a CSV with semicolons, quotes, a byte order mark and Devanagari', async () => {
    const csv = '\ufeffनाम;मूल्य\r\n"केतली; स्टील";1499\r\n';
    expect(await texts('csv', Buffer.from(csv))).toEqual(['नाम: केतली, स्टील; मूल्य: 1499']);
  });

  it('reads headings, text and tables of a Word file', async () => {
    const file = docxOf({
      heading: 'Returns &amp; refunds',
      text: 'Within 30 days.',
      table: [
        ['City', 'Days'],
        ['Pune', '2'],
      ],
    });
    expect(await texts('docx', file)).toEqual(['Returns & refunds\nWithin 30 days.', 'Returns & refunds\nCity: Pune; Days: 2']);
  });

  it('refuses a Word file in a font of the typewriter’s order, in its paragraphs and in its tables', async () => {
    const typed = 'lnL; cuus ds fy, vk/kkj dkMZ vkSj nks QksVks pkfg, gS '.repeat(6);
    const inText = docxOf({ heading: 'Rules', text: typed, table: [] });
    const inTable = docxOf({ heading: 'Rules', text: 'For members.', table: [['Rule'], [typed]] });
    await expect(texts('docx', inText)).rejects.toThrow('This file is set in a font of the typewriter’s order');
    await expect(texts('docx', inTable)).rejects.toThrow('Kruti Dev');
  });

  it('reads headings and tables of Markdown', async () => {
    const file = Buffer.from('# Delivery\nWe deliver **everywhere**.\n\n## Fees\n\n| City | Fee |\n|---|---|\n| Pune | 40 |\n');
    expect(await texts('md', file)).toEqual(['Delivery\nWe deliver everywhere.', 'Delivery › Fees\nCity: Pune; Fee: 40']);
  });

  it('reads a short line above a paragraph of plain text as a heading, but no sentence, figure or list', async () => {
    const file = Buffer.from(
      'How we work\n\nNet meter\nThe board fits it. The fee is ₹2,950.\n\nघरपोच सेवा\nदूध रोज सकाळी पोचवतो.\n\n' +
        'Dust costs power.\nWash the panels.\n\nOpen 10 to 6\nclosed on Sunday',
    );
    expect(await texts('txt', file)).toEqual([
      'How we work › Net meter\nThe board fits it. The fee is ₹2,950.',
      'How we work › घरपोच सेवा\nदूध रोज सकाळी पोचवतो. Dust costs power. Wash the panels. Open 10 to 6 closed on Sunday',
    ]);
  });

  it.each([
    ['a few words', 'Return policy'],
    ['nothing but short lines', 'Return policy\n\nThirty days\n\nपुणे'],
    ['one endless word', 'x'.repeat(10_000)],
  ])('finds the text of %s, in UTF-8 and in UTF-16', async (_, text) => {
    const words = (found: string[]) => found.join('').replace(/\s/g, '');
    const asWritten = text.replace(/\s/g, '');
    expect(words(await texts('txt', Buffer.from(text)))).toBe(asWritten);
    expect(words(await texts('txt', Buffer.from(`\ufeff${text}`, 'utf16le')))).toBe(asWritten);
    expect(words(await texts('md', Buffer.from(text.replace(/^/gm, '# '))))).not.toBe('');
  });

  it('lets the child read a file of this machine, and reads none of it here', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'parley-parse-'));
    const file = path.join(folder, 'a.txt');
    await writeFile(file, 'Shops open at nine. '.repeat(20_000));
    const stream = (await open(file)).createReadStream();
    const found = await texts('txt', stream);
    expect(found.join(' ')).toContain('Shops open at nine.');
    expect(stream.bytesRead).toBe(0);
    expect(stream.destroyed).toBe(true);
    await rm(folder, { recursive: true });
  });

  it('does not blame a file that the system does not let it read', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'parley-parse-'));
    const unreadable = await open(path.join(folder, 'a.txt'), 'w');
    await expect(parseDocument('txt', unreadable.createReadStream())).rejects.toThrow('the stored file could not be read: EBADF');
    await rm(folder, { recursive: true });
  });

  it('does not blame the file when its bytes stop arriving', async () => {
    async function* brokenOff() {
      yield Buffer.from('The first half.');
      throw new Error('the store went away');
    }
    await expect(parseDocument('txt', Readable.from(brokenOff()))).rejects.toThrow('the store went away');
  });

  it.each([
    ['midway', async (source: Readable) => void (await once(source, 'data'))],
    ['before the first', async () => undefined],
  ])('notices at once if the connection that brings the bytes closes without a word, %s', async (_, reached) => {
    const source = new Readable({ read: () => undefined });
    source.push('The first half.');
    const reading = parseDocument('txt', source, { milliseconds: 10_000 });
    void reached(source).then(() => source.destroy());
    await expect(reading).rejects.toThrow('Premature close');
  });

  it.each([
    ['a scanned PDF without text', 'pdf', pdfOf([[]]), 'The PDF holds no text'],
    ['a damaged PDF', 'pdf', Buffer.from('%PDF-1.4 nothing of the kind'), 'The PDF is damaged.'],
    ['a workbook that is no workbook', 'xlsx', zipOf([{ name: 'a.txt', content: Buffer.from('x') }]), 'not an Excel workbook'],
    ['a truncated workbook', 'xlsx', zipOf([{ name: 'xl/workbook.xml', content: Buffer.from('x') }]).subarray(0, 60), 'damaged'],
    ['text that is binary', 'csv', Buffer.from([1, 2, 0, 4]), 'not what its name says'],
    ['an empty file', 'txt', Buffer.alloc(0), 'The file is empty.'],
    ['a text of nothing but space', 'txt', Buffer.from(' \n\n '), 'The document holds no text.'],
    ['a file beyond ten megabytes', 'txt', Buffer.alloc(10 * megabyte + 1, 'a'), 'larger than 10 MB'],
  ] as const)('refuses %s with a sentence for its owner', async (_, type, content, sentence) => {
    await expect(parseDocument(type, content)).rejects.toThrow(sentence);
  });

  it('refuses a zip bomb by its declared size', async () => {
    const bomb = zipOf([{ name: 'xl/workbook.xml', content: Buffer.alloc(300 * megabyte) }]);
    await expect(parseDocument('xlsx', bomb)).rejects.toThrow('unpacks to more than 256 MB');
  });

  it('refuses a zip bomb that lies about its size, by the bytes that come out', async () => {
    const bomb = zipOf([{ name: 'xl/workbook.xml', content: Buffer.alloc(200 * megabyte), declaredBytes: 100 }]);
    await expect(parseDocument('xlsx', bomb)).rejects.toThrow('unpacks to more than 256 MB');
  });

  it('refuses a zip that hides a part from its directory', async () => {
    const shown = zipOf([{ name: 'xl/workbook.xml', content: Buffer.from('x') }]);
    const hidden = Buffer.concat([zipOf([{ name: 'hidden', content: Buffer.alloc(1000) }]).subarray(0, 52), shown]);
    hidden.writeUInt32LE(hidden.readUInt32LE(hidden.length - 6) + 52, hidden.length - 6);
    await expect(parseDocument('xlsx', hidden)).rejects.toThrow('damaged');
  });

  it.each([
    ['a PDF of graphics states that are never restored', 'pdf', () => packedPdfOf(['q '.repeat(3_000_000)])],
    ['a PDF of forms that draw the next one three times', 'pdf', () => packedPdfOf(['/X0 Do'], nestedForms(30))],
    ['a PDF of blanks, on each of 2,000 pages', 'pdf', () => packedPdfOf(Array(2_000).fill(`${blanks}q Q`))],
    ['a PDF of pages that go on behind an error', 'pdf', () => packedPdfOf(Array(2_000).fill(`${'1 '.repeat(40)}${blanks}`))],
    ['a PDF of unknown operators', 'pdf', () => packedPdfOf(['xx '.repeat(2_000_000)])],
    ['a PDF of one long text', 'pdf', () => packedPdfOf([`BT /F1 9 Tf (${'a'.repeat(8_000_000)}) Tj ET`])],
    [
      'a PDF of a font with full ranges of letters',
      'pdf',
      () => fontPdfOf(wideFont('', mapped), [rangesOf('bf', fullRange, 20_000)]),
    ],
    ['a PDF of a font with ranges of long texts', 'pdf', () => fontPdfOf(wideFont('', mapped), [rangesOf('bf', longRange, 40)])],
    [
      'a PDF of a font with full ranges of glyphs',
      'pdf',
      () => fontPdfOf(wideFont('', '/Encoding 6 0 R'), [rangesOf('cid', cidRange, 20_000)]),
    ],
    [
      'a PDF of a font with ranges in a vast map',
      'pdf',
      () => fontPdfOf(wideFont('', mapped), [' '.repeat(40_000_000) + rangesOf('bf', fullRange, 1)]),
    ],
    ['a PDF of a font of one range of widths', 'pdf', () => fontPdfOf(wideFont('/W [0 2000000000 500]'))],
    [
      'a PDF of a font of ranges of heights',
      'pdf',
      () => fontPdfOf(wideFont('/W2 [0 2000000000 1 2 3]', '/Encoding /Identity-V')),
    ],
    ['a PDF of a font with full segments', 'pdf', () => fontPdfOf(plainFont, [trueTypeOf(4, 8_000)])],
    ['a PDF of a font with full groups', 'pdf', () => fontPdfOf(plainFont, [trueTypeOf(12, 1_000)])],
    ['a PDF of a vast table of objects without bytes', 'pdf', () => tablePdfOf(2_000_000_000, '[0 0 0]', '')],
    ['a PDF of a vast table of objects', 'pdf', () => tablePdfOf(30_000_000, '[1 0 0]', '\u0001'.repeat(30_000_000))],
    ['a Word file of paragraphs of one letter', 'docx', () => wordOf('<w:p><w:t>a</w:t></w:p>'.repeat(400_000))],
    ['a Word file of empty paragraphs', 'docx', () => wordOf('<w:p/>'.repeat(1_500_000))],
    ['a Word table of cells across 200 columns', 'docx', () => wordOf(`<w:tbl>${spanningRow.repeat(20_000)}</w:tbl>`)],
    ['a workbook of empty cells', 'xlsx', () => workbookOf(`<row>${'<c/>'.repeat(200)}</row>`.repeat(5_000))],
    ['a workbook of merged cells over all rows', 'xlsx', () => workbookOf('<row><c><v>1</v></c></row>'.repeat(10_000), merges)],
  ] as const)('refuses %s for unpacking to far more than its size suggests, within 5 seconds of work', async (_, type, make) => {
    const file = make();
    expect(file.length).toBeLessThan(500_000);
    await expect(parseDocument(type, file, { cpuMs: 5_000 })).rejects.toThrow('unpacks to far more than its size suggests');
  });

  it('reads a PDF of pages full of small texts and lines, and a table of equal rows, however well they are compressed', async () => {
    const line = (row: number, page: number) =>
      [50, 120, 200, 300, 380, 460].map(
        (x) => `BT /F1 9 Tf 1 0 0 1 ${x} ${800 - row * 15} Tm (${page}-${row}) Tj ET ${x} ${797 - row * 15} m ${x + 60} 0 l S`,
      );
    const page = (_: unknown, number: number) => Array.from({ length: 50 }, (_, row) => line(row, number).join('\n')).join('\n');
    const pdf = packedPdfOf(Array.from({ length: 60 }, page));
    expect((await parseDocument('pdf', pdf)).pageCount).toBe(60);
    const row = '<w:tr><w:tc><w:p><w:r><w:t>Pune</w:t></w:r></w:p></w:tc><w:tc><w:p><w:r><w:t>40</w:t></w:r></w:p></w:tc></w:tr>';
    expect((await texts('docx', wordOf(`<w:tbl>${row.repeat(10_000)}</w:tbl>`))).length).toBeGreaterThan(100);
  });

  it.each([
    ['works', { cpuMs: 20 }],
    ['takes', { milliseconds: 20 }],
  ])('stops a reader that %s too long', async (_, allowed) => {
    async function* endless() {
      yield Buffer.from('word ');
      await new Promise<never>(() => undefined);
    }
    await expect(parseDocument('txt', Readable.from(endless()), allowed)).rejects.toThrow('too much time');
  });
});
