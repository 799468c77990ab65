import ExcelJs from 'exceljs';
import { docxTableOf } from '../../testing/sample-files.fake';
import type { ParsedFile } from './parsed-file';
import { readCsv } from './read-text';
import { readDocx } from './read-docx';
import { readXlsx } from './read-xlsx';

type Cell = string | number | Date | null;

/** Each row as it is indexed: every cell under its name. */
async function rowsOf(file: ParsedFile): Promise<string[]> {
  const rows: string[] = [];
  for await (const block of file.blocks)
    if (block.kind === 'row') {
      const cells = block.cells.map((cell, column) => [block.header[column] ?? '', cell].filter(Boolean).join(': '));
      const told = cells.filter((cell, column) => cell !== '' && block.cells[column] !== '');
      rows.push([...(block.section === undefined ? [] : [block.section]), ...told].join('; '));
    }
  return rows;
}

async function workbook(rows: Cell[][], change: (sheet: ExcelJs.Worksheet, book: ExcelJs.Workbook) => void = () => undefined) {
  const book = new ExcelJs.Workbook();
  const sheet = book.addWorksheet('Prices');
  sheet.addRows(rows);
  change(sheet, book);
  return rowsOf(readXlsx(Buffer.from(await book.xlsx.writeBuffer())));
}

const csv = (text: string, encoding: BufferEncoding = 'utf8') => rowsOf(readCsv(Buffer.from(text, encoding)));

describe('a sheet', () => {
  it('keeps a title over the header by itself, and joins units under the header to its names', async () => {
    expect(
      await workbook([
        ['Lake View Boats', null, null],
        ['Boat', 'Crew', 'Price'],
        [null, '(persons)', '(₹ an hour)'],
        ['Kayak', 1, 300],
      ]),
    ).toEqual(['Lake View Boats', 'Boat: Kayak; Crew (persons): 1; Price (₹ an hour): 300']);
  });

  it('gives each column of a name that is over several of them that name and its own', async () => {
    const rows: Cell[][] = [
      ['Ride', 'Weekday', null, 'Weekend', null],
      [null, 'Adult', 'Child', 'Adult', 'Child'],
      ['Wheel', 100, 60, 140, 80],
    ];
    const merge = (sheet: ExcelJs.Worksheet) => ['A1:A2', 'B1:C1', 'D1:E1'].forEach((range) => sheet.mergeCells(range));
    expect(await workbook(rows, merge)).toEqual([
      'Ride: Wheel; Weekday Adult: 100; Weekday Child: 60; Weekend Adult: 140; Weekend Child: 80',
    ]);
  });

  it('says what a cell over several rows holds in each of them', async () => {
    const rows: Cell[][] = [
      ['Tower', 'Flat', 'Price'],
      ['Aster', '1 BHK', 46],
      [null, '2 BHK', 71],
      ['Banyan', '2 BHK', 75],
    ];
    expect(await workbook(rows, (sheet) => sheet.mergeCells('A2:A3'))).toEqual([
      'Tower: Aster; Flat: 1 BHK; Price: 46',
      'Tower: Aster; Flat: 2 BHK; Price: 71',
      'Tower: Banyan; Flat: 2 BHK; Price: 75',
    ]);
  });

  it('says what a line over the whole table holds with each row below it', async () => {
    const rows: Cell[][] = [
      ['Boat', 'Hour', 'Day'],
      ['Weekdays', null, null],
      ['Kayak', 300, 900],
      ['Weekends', null, null],
      ['Kayak', 400, 1200],
    ];
    const merge = (sheet: ExcelJs.Worksheet) => ['A2:C2', 'A4:C4'].forEach((range) => sheet.mergeCells(range));
    expect(await workbook(rows, merge)).toEqual([
      'Weekdays; Boat: Kayak; Hour: 300; Day: 900',
      'Weekends; Boat: Kayak; Hour: 400; Day: 1200',
    ]);
  });

  it('may hold several tables, with empty rows or columns between, and empty rows within one', async () => {
    expect(
      await workbook([
        ['Product', 'Price', null, 'Size', 'Weight'],
        ['Kettle', 1499, null, 'Small', 2],
        [],
        ['Pan', 800, null, 'Large', 5],
        [],
        ['Service', 'Fee'],
        ['Repair', 150],
        ['Delivery', 99],
        [],
        ['Total of both', 249],
      ]),
    ).toEqual([
      'Product: Kettle; Price: 1499',
      'Size: Small; Weight: 2',
      'Product: Pan; Price: 800',
      'Size: Large; Weight: 5',
      'Service: Repair; Fee: 150',
      'Service: Delivery; Fee: 99',
      'Service: Total of both; Fee: 249',
    ]);
  });

  it('needs no header: pairs of a name and a value, and rows like each other, are read as they stand', async () => {
    const pairs = await workbook([
      ['Owner', 'Asha Kulkarni'],
      ['Phone', '0253 555 0142'],
      ['E-mail', 'asha@boats.example'],
    ]);
    expect(pairs).toEqual(['Owner; Asha Kulkarni', 'Phone; 0253 555 0142', 'E-mail; asha@boats.example']);
    const hours = await workbook([
      ['Monday', '9:00', '18:00'],
      ['Tuesday', '9:00', '18:00'],
    ]);
    expect(hours).toEqual(['Monday; 9:00; 18:00', 'Tuesday; 9:00; 18:00']);
  });

  it('may name its columns by sizes, alone and under names that are over several columns', async () => {
    const sizes: Cell[][] = [
      ['Coffee', '250 g (₹)', '1 kg (₹)'],
      ['Robusta', 180, 690],
      ['Arabica', 240, 900],
    ];
    expect(await workbook(sizes)).toEqual([
      'Coffee: Robusta; 250 g (₹): 180; 1 kg (₹): 690',
      'Coffee: Arabica; 250 g (₹): 240; 1 kg (₹): 900',
    ]);
    for (const [small, large] of [
      ['250 g (₹)', '1 kg (₹)'],
      ['250 g', '1 kg'],
      ['1 hour', '2 hours'],
    ] as const) {
      const rows: Cell[][] = [
        ['Coffee', 'Shop', null, 'Online', null],
        [null, small, large, small, large],
        ['Robusta', 180, 690, 200, 720],
      ];
      const told = `Coffee: Robusta; Shop ${small}: 180; Shop ${large}: 690; Online ${small}: 200; Online ${large}: 720`;
      expect(await workbook(rows, (sheet) => ['A1:A2', 'B1:C1', 'D1:E1'].forEach((range) => sheet.mergeCells(range)))).toEqual([
        told,
      ]);
      expect(await workbook(rows)).toEqual([told]);
    }
  });

  it('with sizes as values has no second header', async () => {
    const rows: Cell[][] = [
      ['Pack', 'Shop', null, 'Online', null],
      ['Small', '250 g', '180', '250 g', '200'],
      ['Large', '1 kg', '690', '1 kg', '720'],
    ];
    expect(await workbook(rows, (sheet) => ['B1:C1', 'D1:E1'].forEach((range) => sheet.mergeCells(range)))).toHaveLength(2);
  });

  it.each([
    ['₹ per piece', 'kg', 'days'],
    ['₹/month', 'Mbps', 'GB'],
    ['AED per night', 'sq ft', '°C'],
    ['रुपये', 'किलो', 'तास'],
    ['per hour', 'W', '%'],
  ])('joins units without brackets to the names above them: %s, %s, %s', async (...units) => {
    const rows: Cell[][] = [
      ['Item', 'Price', 'Size', 'More'],
      [null, ...units],
      ['Bat', 120, 1.2, 3],
      ['Rib', 60, 0.1, 5],
    ];
    const [price, size, more] = units;
    expect(await workbook(rows)).toEqual([
      `Item: Bat; Price (${price}): 120; Size (${size}): 1.2; More (${more}): 3`,
      `Item: Rib; Price (${price}): 60; Size (${size}): 0.1; More (${more}): 5`,
    ]);
  });

  it('takes a row of units for values where no figures are below them', async () => {
    expect(
      await workbook([
        ['Amount', 'Short'],
        ['kg', 'g'],
        ['Litre', 'ml'],
        ['Metre', 'cm'],
      ]),
    ).toEqual(['Amount: kg; Short: g', 'Amount: Litre; Short: ml', 'Amount: Metre; Short: cm']);
  });

  it.each([
    [[null, 'Member', null, 'Guest', null], 'Class'],
    [['Class', 'Member', null, 'Guest', null], null],
    [['Class', 'Member', null, 'Guest', null], 'Name'],
  ] as const)('gives columns the name beside which there is room, without a merged cell: %j', async (groups, name) => {
    const [row] = await workbook([[...groups], [name, 'Fee (₹)', 'Hours', 'Fee (₹)', 'Hours'], ['Yoga', 500, 8, 900, 6]]);
    const first = [groups[0], name].filter(Boolean).join(' ');
    expect(row).toBe(`${first}: Yoga; Member Fee (₹): 500; Member Hours: 8; Guest Fee (₹): 900; Guest Hours: 6`);
  });

  it('with a column that has no name takes a row of words below it for no header', async () => {
    expect(
      await workbook([
        ['Name', null, 'Phone'],
        ['Asha', 'Kulkarni', 'none'],
        ['Ravi', 'Patil', 2530142],
      ]),
    ).toEqual(['Name: Asha; Kulkarni; Phone: none', 'Name: Ravi; Patil; Phone: 2530142']);
  });

  it('keeps years and numbered names as the names of columns', async () => {
    expect(
      await workbook([
        ['Fund', 2024, 2025],
        ['Aster', 12, 14],
        ['Cedar', 9, 11],
      ]),
    ).toEqual(['Fund: Aster; 2024: 12; 2025: 14', 'Fund: Cedar; 2024: 9; 2025: 11']);
  });

  it('shows numbers with the currency, the percent sign, the unit and the digits that their format shows', async () => {
    const formats = [
      '[$₹-4009] #,##0.00',
      '"Rs. "#,##0',
      '0.0%',
      '0 "kg"',
      '000000',
      '_-[$€-2] * #,##0.00_-',
      '#,##0.00',
      '[h]:mm',
    ];
    const values = [1499.5, 250, 0.125, 7, 2553, 12.5, 33.333333, 1.5];
    const rows = await workbook([['A', 'B', 'C', 'D', 'E', 'F', 'G', 'H'], values], (sheet) =>
      formats.forEach((format, column) => (sheet.getRow(2).getCell(column + 1).numFmt = format)),
    );
    expect(rows).toEqual(['A: ₹ 1499.5; B: Rs. 250; C: 12.5%; D: 7 kg; E: 002553; F: € 12.5; G: 33.33; H: 1.5']);
  });

  it('is read as it is shown: without hidden sheets and columns, and without what computing left behind a number', async () => {
    const rows = await workbook(
      [
        ['Product', 'Bought for', 'Price'],
        ['Kettle', 900, 0.1 + 0.2],
      ],
      (sheet, book) => {
        sheet.getColumn(2).hidden = true;
        book.addWorksheet('Margins', { state: 'hidden' }).addRow(['Kettle', '40 %']);
      },
    );
    expect(rows).toEqual(['Product: Kettle; Price: 0.3']);
  });
});

describe('a CSV file as programs export it', () => {
  it.each([
    ['with semicolons and decimal commas', 'Product;Price\r\nKettle;1499,50\r\n', 'utf8'],
    ['that tells its delimiter', 'sep=;\r\nProduct;Price\r\nKettle;1499,50\r\n', 'utf8'],
    ['in UTF-16', '\ufeffProduct;Price\r\nKettle;1499,50\r\n', 'utf16le'],
    ['under a title', 'Price list of May;\r\n;\r\nProduct;Price\r\nKettle;1499,50\r\n', 'utf8'],
  ] as const)('is read %s', async (_what, text, encoding) => {
    expect((await csv(text, encoding)).at(-1)).toBe('Product: Kettle; Price: 1499,50');
  });

  it('is read in Windows-1252', async () => {
    expect(await csv('Caf\xe9,Price\nCr\xe8me,5\n', 'latin1')).toEqual(['Café: Crème; Price: 5']);
  });

  it('may hold two tables', async () => {
    expect(await csv('Product,Price\nKettle,1499\n\nService,Minutes\nRepair,45\n')).toEqual([
      'Product: Kettle; Price: 1499',
      'Service: Repair; Minutes: 45',
    ]);
  });

  it('of one column keeps its name', async () => {
    expect(await csv('Areas\nNashik\nPune\n')).toEqual(['Areas: Nashik', 'Areas: Pune']);
  });
});

describe('a table of a Word file', () => {
  it('keeps each cell under its own column, beside cells over several columns and rows', async () => {
    const file = docxTableOf([
      ['Ride', { text: 'Price', span: 2 }],
      [{ text: '', goesOn: true }, 'Adult', 'Child'],
      ['Wheel', '100', '60'],
      ['Boat', { text: 'free', span: 2 }],
    ]);
    expect(await rowsOf(readDocx(file))).toEqual([
      'Ride: Wheel; Price Adult: 100; Price Child: 60',
      'Ride: Boat; Price Adult: free; Price Child: free',
    ]);
  });

  it('is read if it has one row only', async () => {
    expect(await rowsOf(readDocx(docxTableOf([['Closed on 26 January']])))).toEqual(['Closed on 26 January']);
  });
});
