import ExcelJs from 'exceljs';
import { Chunker } from './chunking';
import type { ParsedFile } from './parsed-file';
import { readCsv } from './read-text';
import { readXlsx } from './read-xlsx';

type Cell = string | number | null;

async function textsOf(file: ParsedFile): Promise<string[]> {
  const chunker = new Chunker();
  const texts: string[] = [];
  for await (const block of file.blocks) texts.push(...[...chunker.add(block)].map(({ text }) => text));
  return [...texts, ...[...chunker.end()].map(({ text }) => text)];
}

async function workbook(sheets: Readonly<Record<string, readonly (readonly Cell[])[]>>): Promise<string[]> {
  const book = new ExcelJs.Workbook();
  for (const [name, rows] of Object.entries(sheets)) book.addWorksheet(name).addRows(rows.map((row) => [...row]));
  return textsOf(readXlsx(Buffer.from(await book.xlsx.writeBuffer())));
}

const csv = (text: string) => textsOf(readCsv(Buffer.from(text)));

describe('the sheets of a workbook', () => {
  it('are told apart by their names', async () => {
    const rates = (fee: number) => [
      ['Court', 'Fee per hour (₹)'],
      ['Squash', fee],
    ];
    expect(await workbook({ Weekday: rates(350), Weekend: rates(520) })).toEqual([
      'Weekday\nCourt: Squash; Fee per hour (₹): 350',
      'Weekend\nCourt: Squash; Fee per hour (₹): 520',
    ]);
  });

  it('say nothing where a program named them', async () => {
    const rows = [
      ['Court', 'Fee'],
      ['Squash', 350],
    ];
    for (const name of ['Sheet1', 'Tabelle1', 'Sheet'])
      expect(await workbook({ [name]: rows })).toEqual(['Court: Squash; Fee: 350']);
    expect(await workbook({ 'Phase 2': rows })).toEqual(['Phase 2\nCourt: Squash; Fee: 350']);
  });
});

describe('a line that opens a section', () => {
  it.each([
    ['in capitals', 'KILNS', 'WHEELS'],
    ['with a colon', 'Kilns:', 'Wheels:'],
    ['by itself, as another is', 'Kilns', 'Wheels'],
    ['in a script without capitals', 'भट्टी', 'चाक'],
  ])('is said of the rows below it: %s', async (_how, one, other) => {
    const texts = await csv(`Job,Parts (₹),Labour (₹)\n${one},,\nService visit,3200,1500\n${other},,\nService visit,450,600\n`);
    expect(texts).toEqual([
      `${one.replace(':', '')}\nJob: Service visit; Parts (₹): 3200; Labour (₹): 1500`,
      `${other.replace(':', '')}\nJob: Service visit; Parts (₹): 450; Labour (₹): 600`,
    ]);
  });

  it('is said of none behind an empty row, nor of another table', async () => {
    expect(await csv('Job,Fee\nKILNS,\nVisit,320\n\nDelivery,90\n\nGlaze,Litre\nShino,510\n')).toEqual([
      'KILNS\nJob: Visit; Fee: 320',
      'Job: Delivery; Fee: 90\nGlaze: Shino; Litre: 510',
    ]);
  });

  it.each([
    ['a day that is closed', 'Day,Opens,Closes\nSunday,,\nMonday,9:00,18:00\nTuesday,9:00,18:00\n'],
    ['an item without a price', 'Clay,Retail,Wholesale\nBall clay,45,40\nPaper clay,,\nRaku black,135,120\n'],
    ['one of names that are all in capitals', 'Clay,Price\nBALL,45\nPAPER,\nRAKU,135\n'],
    ['the last row', 'Job,Fee\nVisit,320\nGST EXTRA,\n'],
  ])('is not seen in %s', async (_what, text) => {
    const [header = '', ...rows] = text.trim().split('\n');
    const names = header.split(',');
    const lines = rows.map((row) =>
      row
        .split(',')
        .flatMap((cell, place) => (cell === '' ? [] : [`${names[place]}: ${cell}`]))
        .join('; '),
    );
    expect((await csv(text)).join('\n')).toBe(lines.join('\n'));
  });
});

describe('a name that is written once', () => {
  it.each([
    ['nothing', ''],
    ['a ditto mark', '〃'],
    ['a word for it', 'ditto'],
  ])('is that of the rows with %s below it', async (_how, mark) => {
    expect(
      (await csv(`Make,Model,Price (₹)\nDa Vinci,Small,640\n${mark},Large,980\nIsabey,Small,710\n${mark},Large,1090\n`)).join(
        '\n',
      ),
    ).toBe(
      [
        'Make: Da Vinci; Model: Small; Price (₹): 640',
        'Make: Da Vinci; Model: Large; Price (₹): 980',
        'Make: Isabey; Model: Small; Price (₹): 710',
        'Make: Isabey; Model: Large; Price (₹): 1090',
      ].join('\n'),
    );
  });

  it('may be followed by a second one', async () => {
    expect((await csv('Make,Brush,Model,Price\nDa Vinci,Fan,Small,640\n,,Large,980\n,Mop,Small,480\n')).join('\n')).toBe(
      [
        'Make: Da Vinci; Brush: Fan; Model: Small; Price: 640',
        'Make: Da Vinci; Brush: Fan; Model: Large; Price: 980',
        'Make: Da Vinci; Brush: Mop; Model: Small; Price: 480',
      ].join('\n'),
    );
  });

  it.each([
    ['a sum', 'Make,Model,Price\nIsabey,Small,710\n,Total,710\n', 'Model: Total; Price: 710'],
    ['a row behind an empty one', 'Make,Model,Price\nIsabey,Small,710\n\n,Gift box,90\n', 'Model: Gift box; Price: 90'],
    ['a remark', 'Make,Model,Price\nIsabey,Small,710\n,GST is extra,\n', 'Model: GST is extra'],
    ['a row under a number', 'No.,Model,Price\n1,Small,710\n,Large,900\n', 'Model: Large; Price: 900'],
  ])('is not that of %s', async (_what, text, line) => {
    expect((await csv(text)).join('\n').split('\n').at(-1)).toBe(line);
  });
});
