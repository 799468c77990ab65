/** @quiet Holds the event loop to a limit. */
import {
  importBusiness,
  importSpreadsheet,
  listCatalog,
  listFaqs,
  retrieveKnowledge,
  getBusinessProfile,
} from '@parley/contracts';
import { Readable } from 'node:stream';
import ExcelJs from 'exceljs';
import { longestTurnMs, loopBudgetMs } from '@parley/testing';
import { KnowledgeHarness } from '../testing/knowledge-harness.suite';

const business = {
  businessInfo: {
    business_name: 'Demo Bazaar',
    timezone: 'Asia/Kolkata',
    support_phone: '+912025501234',
    holidays: [{ date: '2026-12-25', opens: '', closes: '', note: 'Christmas' }],
  },
  products: [
    { product_name: 'Steel kettle', price: 1499, currency: 'INR' },
    { product_name: 'Pan', price: -1, currency: 'INR' },
  ],
  services: [{ service_name: 'Installation', service_duration: 45, service_price: 499, currency: 'INR' }],
  faqs: [
    { Question: 'When do you deliver?', Answer: 'Within three days.', Alternatives: ['Kab tak pahunchega?'] },
    { Question: 'Do you repair?' },
    { Question: 'when do you deliver', Answer: 'Never.' },
  ],
};

describe('a business imported in one call', () => {
  let harness: KnowledgeHarness;
  let KBID: number;
  beforeAll(async () => {
    harness = await KnowledgeHarness.open();
    ({ KBID } = await harness.base());
  });
  afterAll(() => harness.close());

  it('is saved except for wrong rows, each of which is explained', async () => {
    const imported = await harness.ask(importBusiness, { KBID, ...business });
    expect(imported).toMatchObject({ created: 4, updated: 0, refused: 3 });
    expect(imported.report.filter(({ outcome }) => outcome === 'REFUSED')).toMatchObject([
      { section: 'products', row: 2, name: 'Pan', message: expect.stringContaining('price') },
      { section: 'faqs', row: 2, name: 'Do you repair?', message: expect.stringContaining('Answer') },
      { section: 'faqs', row: 3, message: 'Question stands in this section twice' },
    ]);
    expect((await harness.ask(listCatalog, { KBID })).totalCount).toBe(2);
    const { faq } = await harness.ask(retrieveKnowledge, { KBID, query: 'kab tak pahunchega', wants: 'ANSWER' });
    expect(faq?.Answer).toBe('Within three days.');
  });

  it('keeps the profile without a field that is refused, and names the field', async () => {
    const { KBID: id } = await harness.base('One wrong field');
    const monday = { day: 'Monday', open_time: '09:30 AM', close_time: '07:00 PM', is_open: true };
    const imported = await harness.ask(importBusiness, {
      KBID: id,
      businessInfo: {
        ...business.businessInfo,
        support_phone: '0253 555 0142',
        working_hours: [monday, { ...monday, day: 'Someday' }],
      },
      ...{ products: [], services: [], faqs: [] },
    });
    expect(imported).toMatchObject({ created: 1, refused: 2 });
    expect(imported.report).toMatchObject([
      { section: 'businessInfo', outcome: 'CREATED', name: business.businessInfo.business_name },
      { section: 'businessInfo', outcome: 'REFUSED', name: 'support_phone', message: expect.stringContaining('country prefix') },
      { section: 'businessInfo', outcome: 'REFUSED', name: 'working_hours.1' },
    ]);
    const { businessInfo } = await harness.ask(getBusinessProfile, { KBID: id });
    expect(businessInfo).toMatchObject({ support_phone: '', working_hours: [monday], holidays: business.businessInfo.holidays });
  });

  it('takes a service of no known duration, and says plainly what a row lacks', async () => {
    const { KBID: id } = await harness.base('A film laboratory');
    const service = { service_name: 'Developing', service_price: 350, currency: 'INR' };
    const { service_name: _, ...nameless } = service;
    const { created, report } = await harness.ask(importBusiness, {
      KBID: id,
      ...{ services: [service, { ...service, service_name: 'Scanning', service_duration: null }, nameless] },
    });
    expect([created, report.at(-1)?.message]).toEqual([2, 'service_name is required']);
    const { rows } = await harness.ask(listCatalog, { KBID: id });
    expect(rows).toMatchObject([{ service_duration: 0 }, { service_duration: 0 }]);
  });

  it('names each unknown field and section once, and imports the rest', async () => {
    const { KBID: id } = await harness.base('Misspelt');
    const hours = { day: 'Monday', open_time: '09:30 AM', close_time: '07:00 PM', is_open: true, lunch: 'at one' };
    const sent = {
      KBID: id,
      businessInfo: { business_name: 'Demo', timezone: 'Asia/Kolkata', phone: '+912025501234', working_hours: [hours] },
      products: ['Kettle', 'Pan'].map((product_name) => ({ product_name, price: 1, currency: 'INR', colour: 'red' })),
      faqs: [{ question: 'When?', Question: 'When?', Answer: 'Now.' }],
    };
    const { created, ignored } = await harness.ask(importBusiness, { ...sent, product: [{ product_name: 'Lid' }] });
    expect({ created, ignored }).toEqual({
      created: 4,
      ignored: ['product', 'businessInfo: phone', 'businessInfo: working_hours.lunch', 'products: colour', 'faqs: question'],
    });
  });

  it('may be repeated: the same content changes nothing, and what is omitted stays', async () => {
    const again = {
      KBID,
      businessInfo: { business_name: 'New Bazaar', timezone: 'Asia/Kolkata' },
      faqs: [business.faqs[0] ?? {}],
    };
    expect(await harness.ask(importBusiness, again)).toMatchObject({ created: 0, updated: 1, unchanged: 1, refused: 0 });
    const { businessInfo } = await harness.ask(getBusinessProfile, { KBID: String(KBID) });
    expect(businessInfo).toMatchObject({
      business_name: 'New Bazaar',
      support_phone: '+912025501234',
      holidays: [{ note: 'Christmas' }],
    });
    expect((await harness.ask(listFaqs, { KBID })).totalCount).toBe(2);
    expect((await harness.ask(listCatalog, { KBID })).totalCount).toBe(2);
  });

  it('changes nothing when sent again, in any section, and says so row by row', async () => {
    const { KBID: id } = await harness.base('Sent twice');
    const { faqs, products, ...rest } = business;
    const sent = { KBID: id, ...rest, products: products.slice(0, 1), faqs: faqs.slice(0, 1) };
    const outcomesOf = async (body: { KBID: number; [section: string]: unknown }) => {
      const { report } = await harness.ask(importBusiness, body);
      return report.map(({ section, outcome }) => `${section} ${outcome}`);
    };
    const each = (outcome: string) => ['businessInfo', 'products', 'services', 'faqs'].map((section) => `${section} ${outcome}`);
    expect(await outcomesOf(sent)).toEqual(each('CREATED'));
    expect(await outcomesOf(sent)).toEqual(each('UNCHANGED'));
    const [product] = sent.products;
    const dearer = { ...sent, products: product ? [{ ...product, price: 1500 }] : [] };
    expect(await outcomesOf(dearer)).toEqual(each('UNCHANGED').with(1, 'products UPDATED'));
    const reworded = sent.faqs.map((faq) => ({ ...faq, Alternatives: [...(faq.Alternatives ?? []), 'Delivery when?'] }));
    expect(await outcomesOf({ ...dearer, faqs: reworded })).toEqual(each('UNCHANGED').with(3, 'faqs UPDATED'));
  });

  it('makes nothing twice if it is sent twice at once', async () => {
    for (let round = 0; round < 5; round++) {
      const { KBID: id } = await harness.base(`Sent twice at once, ${round}`);
      const both = await Promise.all([1, 2].map(() => harness.ask(importBusiness, { ...business, KBID: id })));
      // Which of them makes which section is chance.
      expect(both.reduce((sum, { created }) => sum + created, 0)).toBe(4);
      expect((await harness.ask(listCatalog, { KBID: id })).totalCount).toBe(2);
      expect((await harness.ask(listFaqs, { KBID: id })).totalCount).toBe(2);
    }
  });

  it('takes a service that has a range of prices alone, and refuses one that says nothing of its price', async () => {
    const { KBID: id } = await harness.base('Ranges');
    const services = [{ service_name: 'Cleaning', service_price_range: '300-500' }, { service_name: 'Visit' }];
    const { report } = await harness.ask(importBusiness, { KBID: id, services });
    expect(report).toMatchObject([
      { name: 'Cleaning', outcome: 'CREATED' },
      { name: 'Visit', outcome: 'REFUSED', message: 'service_price is required' },
    ]);
  });

  it('says what is wrong in a row in the words of every other 400, and what stands there', async () => {
    const { KBID: id } = await harness.base('Wrong in every way');
    const { report } = await harness.ask(importBusiness, {
      KBID: id,
      businessInfo: { ...business.businessInfo, support_phone: '0253 555 0142', website_url: 7 },
      products: [{ product_name: 'Pan', price: -1, currency: 'rupees', availability: 'perhaps' }],
      services: [{ service_name: '', service_price: 'x'.repeat(500), currency: 'INR', service_area: 'Pune' }],
    });
    expect(report.flatMap(({ message }) => (message ?? '').split('; ').filter(Boolean))).toEqual([
      'website_url must be empty or a URL, not 7',
      'support_phone must be a telephone number with its country prefix, such as +91 20 2550 1234, not “0253 555 0142”',
      'price must be a number from 0 to 1000000000000, not -1',
      'currency must be an ISO 4217 code such as INR, not “rupees”',
      'availability must be true or false, not “perhaps”',
      'service_name must be a string of 1 to 200 characters, not “”',
      `service_price must be a number from 0 to 1000000000000, not “${'x'.repeat(60)}”`,
      'service_area must be an array of at most 100 items, not “Pune”',
    ]);
    const columns = 'Item,MRP,In stock\nKettle,cheap,maybe\n,5,yes\n';
    const { report: ofSheet } = await sent(id, 'products.csv', columns);
    expect(ofSheet.map(({ row, message }) => [row, message])).toEqual([
      [2, 'MRP must be a number from 0 to 1000000000000, not “cheap”; In stock must be true or false, not “maybe”'],
      [3, 'Item is required'],
    ]);
  });

  it('may be a workbook, whose wrong rows are named by sheet and number', async () => {
    const workbook = new ExcelJs.Workbook();
    const sheets: Record<string, (string | number | Date)[][]> = {
      Profile: [
        ['Name', 'Lake View Boats'],
        ['Phone', '+912025509999'],
        ['Timezone', 'Asia/Kolkata'],
        ['Favourite colour', 'blue'],
      ],
      'Opening hours': [
        ['Day', 'Opens', 'Closes'],
        ['Mon-Sat', '9:30', '7 pm'],
        ['Sunday', 'closed', ''],
        ['Someday', '9:00', '10:00'],
      ],
      Holidays: [
        ['Date', 'Opens', 'Closes', 'Note'],
        [new Date('2026-12-25T00:00:00Z'), '', '', 'Christmas'],
        ['26/01/2027', '10:00 AM', '1 pm', 'Republic Day'],
      ],
      Catalogue: [
        ['Product', 'Price', 'Available', 'Colour'],
        ['Pedal boat, one hour', '₹1,200', 'yes', 'red'],
        ['Life jacket', 'cheap', 'no', 'orange'],
      ],
      FAQs: [
        ['Question', 'Answer', 'Other wordings'],
        ['May children row?', 'From ten years.', 'Kitni umar chahiye? | From what age?'],
        ['Is there a café?', '', ''],
      ],
      Scribbles: [
        ['one', 'two'],
        ['three', 'four'],
      ],
    };
    for (const [name, rows] of Object.entries(sheets)) workbook.addWorksheet(name).addRows(rows);
    const { KBID: id } = await harness.base('Boats');
    const imported = await sent(id, 'boats.xlsx', Buffer.from(await workbook.xlsx.writeBuffer()));
    expect(imported.report.filter(({ outcome }) => outcome === 'REFUSED')).toMatchObject([
      { section: 'products', row: 3, name: 'Life jacket', message: expect.stringContaining('Price must be a number') },
      { section: 'faqs', row: 3, name: 'Is there a café?', message: 'Answer is required' },
      { section: 'hours', row: 4, message: expect.stringMatching(/^Day must be one of .*, not “Someday”$/) },
    ]);
    expect(imported).toMatchObject({
      created: 12,
      refused: 3,
      ignored: ['profile: Favourite colour', 'Catalogue: Colour', 'Scribbles'],
    });
    const { businessInfo } = await harness.ask(getBusinessProfile, { KBID: String(id) });
    expect(businessInfo).toMatchObject({ business_name: 'Lake View Boats', support_phone: '+912025509999' });
    expect(businessInfo.working_hours).toHaveLength(7);
    expect(businessInfo.working_hours[0]).toEqual({
      day: 'Monday',
      open_time: '09:30 AM',
      close_time: '07:00 PM',
      is_open: true,
    });
    expect(businessInfo.holidays).toEqual([
      { date: '2026-12-25', opens: '', closes: '', note: 'Christmas' },
      { date: '2027-01-26', opens: '10:00 AM', closes: '01:00 PM', note: 'Republic Day' },
    ]);
    const { faq } = await harness.ask(retrieveKnowledge, { KBID: id, query: 'kitni umar chahiye', wants: 'ANSWER' });
    expect(faq?.Answer).toBe('From ten years.');
    expect(harness.uploadedFiles()).toBe(0);
  });

  it('may be a CSV file of one sheet, recognized by its columns', async () => {
    const imported = await sent(KBID, 'export.csv', 'Service;Minutes;Fee\nDelivery;30;Rs. 99\n');
    expect(imported).toMatchObject({ created: 1, refused: 0, report: [{ section: 'services', row: 2, name: 'Delivery' }] });
    for (const file of ['menu.csv', 'export.csv', 'products.csv'])
      for (const header of ['product_name,price,currency', 'Name,Price (INR)', 'Item,Rate,Unit']) {
        const name = `${file} ${header}`.replaceAll(',', ' ');
        const { report } = await sent(KBID, file, `${header}\n${name},70\n`);
        expect([name, report]).toMatchObject([name, [{ section: 'products', outcome: 'CREATED', name }]]);
      }
  });

  it('reads a table below its title, and names the rows of one that has no header', async () => {
    const { KBID: id } = await harness.base('Untitled');
    const titled = 'Price list of May\n\nProduct,Price\nKettle,1499\n';
    expect(await sent(id, 'products.csv', titled)).toMatchObject({
      created: 1,
      ignored: [],
      report: [{ row: 4, name: 'Kettle' }],
    });
    const bare = 'Kettle,1499\nPan,800\n';
    expect(await sent(id, 'products.csv', bare)).toMatchObject({ report: [], ignored: ['products: row 1', 'products: row 2'] });
  });

  it('takes prices in the currency, and times in the unit, that stand with them', async () => {
    const { KBID: id } = await harness.base('Of many units');
    const goods = 'Product,Price,Warranty\nLens,$20,2 years\nBag,€ 15,6 months\nStrap,₹90,\nFilm,950,12\n';
    expect(await sent(id, 'products.csv', goods)).toMatchObject({ created: 4, refused: 0 });
    const work = 'Service,Fee (AED),Duration\nRepair,150,1.5 hours\nCleaning,60,45 min\n';
    expect(await sent(id, 'services.csv', work)).toMatchObject({ created: 2, refused: 0 });
    const { rows } = await harness.ask(listCatalog, { KBID: id, sortColumn: 'CreatedOn', sortOrder: 'ASC' });
    const told = rows.map((item) =>
      item.kind === 'PRODUCT'
        ? [item.price, item.currency, item.warranty]
        : [item.service_price, item.currency, item.service_duration],
    );
    expect(told).toEqual(
      expect.arrayContaining([
        [20, 'USD', 24],
        [15, 'EUR', 6],
        [90, 'INR', 0],
        [950, 'INR', 12],
        [150, 'AED', 90],
        [60, 'AED', 45],
      ]),
    );
  });

  it('is refused if the file is no spreadsheet', async () => {
    await expect(sent(KBID, 'business.xlsx', 'no workbook')).rejects.toMatchObject({ code: 'UNSUPPORTED_MEDIA_TYPE' });
    await expect(sent(KBID, 'business.pdf', '%PDF-1.4')).rejects.toMatchObject({ code: 'UNSUPPORTED_MEDIA_TYPE' });
    await expect(sent(KBID, 'business.xlsx', 'PK\u0003\u0004 no zip')).rejects.toMatchObject({ code: 'VALIDATION_FAILED' });
    const long = `Question,Answer\n${'Do you deliver?,Yes.\n'.repeat(10_001)}`;
    await expect(sent(KBID, 'faqs.csv', long)).rejects.toMatchObject({ message: 'The file has more than 10000 rows.' });
  });

  it('does not block others while a large one is read, and refuses when too many wait', async () => {
    const many = new ExcelJs.Workbook();
    const sheet = many.addWorksheet('FAQs');
    sheet.addRow(['Question', 'Answer']);
    for (let row = 0; row < 9_000; row++) sheet.addRow([`Question ${row}?`, `Answer ${row}`]);
    const workbook = Buffer.from(await many.xlsx.writeBuffer());
    const longest = await longestTurnMs(async () => {
      await expect(sent(KBID, 'faqs.xlsx', workbook)).rejects.toMatchObject({
        message: 'The sheet faqs has more than 1000 rows.',
      });
    });
    expect(longest).toBeLessThan(loopBudgetMs);
    const copies = Array.from({ length: 40 }, (_, copy) => stored(`copy-${copy}.csv`, 'Question,Answer\nOpen?,Yes.\n'));
    const files = await Promise.all(copies);
    const ended = await Promise.allSettled(files.map((file) => harness.ask(importSpreadsheet, { KBID: String(KBID), file })));
    const codes = ended.map((one) => (one.status === 'rejected' ? (one.reason as { code?: string }).code : 'saved'));
    // Twenty wait and two are running; one that finishes meanwhile makes room.
    expect(new Set(codes)).toEqual(new Set(['saved', 'SERVICE_UNAVAILABLE']));
    expect(codes.filter((code) => code === 'saved').length).toBeGreaterThanOrEqual(22);
  });

  it('does not blame its sender for a spreadsheet that the gateway stored elsewhere', async () => {
    const file = { fileKey: 'uploads/1/elsewhere', fileName: 'faqs.csv', size: 6, contentType: 'text/csv' };
    await expect(harness.ask(importSpreadsheet, { KBID: String(KBID), file })).rejects.toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
    });
  });

  it.each([
    ['an endless name of a column', 'products.csv', `Product,Price,${'('.repeat(200_000)}\nKettle,1\n`, { created: 1 }],
    ['an endless price', 'products.csv', `Product,Price\nPan,1${' '.repeat(200_000)}x\n`, { created: 0, refused: 1 }],
    ['an endless day', 'hours.csv', `Day,Opens\nMonday${' '.repeat(200_000)}x,9\n`, { created: 0 }],
    ['a cell of endless parts', 'faqs.csv', `Question,Answer,Alternatives\nA?,b,${'x|'.repeat(450_000)}\n`, { created: 0 }],
    [
      'many wide rows',
      'products.csv',
      `Product,Price,${'x,'.repeat(190)}\n${`,,${'y,'.repeat(190)}\n`.repeat(2_000)}`,
      { created: 0 },
    ],
  ])('holds nobody up with %s', async (what, fileName, content, counts) => {
    const { KBID: id } = await harness.base(what);
    const sending = async () => expect(await sent(id, fileName, content)).toMatchObject(counts);
    expect(await longestTurnMs(sending)).toBeLessThan(loopBudgetMs);
  });

  it('holds nobody up with a thousand questions in twenty wordings each', async () => {
    const { KBID: id } = await harness.base('Many wordings');
    const faqs = Array.from({ length: 1_000 }, (_, n) => ({
      Question: `Question ${n}?`,
      Answer: 'Yes.',
      Alternatives: Array.from({ length: 20 }, (_alternative, wording) => `Wording ${wording} of ${n}?`),
    }));
    const importing = (counts: object) => async () =>
      expect(await harness.ask(importBusiness, { KBID: id, faqs })).toMatchObject(counts);
    expect(await longestTurnMs(importing({ created: 1_000 }))).toBeLessThan(loopBudgetMs);
    expect(await longestTurnMs(importing({ unchanged: 1_000 }))).toBeLessThan(loopBudgetMs);
  });

  it('takes a column whose name every object has for one that it does not know', async () => {
    const imported = await sent(KBID, 'products.csv', 'Product,Price,Constructor\nKettle of copper,1,x\n');
    expect(imported).toMatchObject({ created: 1, ignored: ['products: Constructor'] });
  });

  it('is refused if it repeats a long header or text more often than a business has words', async () => {
    const header = `Product,${'x'.repeat(100_000)}`;
    await expect(sent(KBID, 'products.csv', `${header}\n${'a\n'.repeat(9_000)}`)).rejects.toMatchObject({
      code: 'VALIDATION_FAILED',
      message: expect.stringContaining('characters'),
    });
  });

  it('of another organization is refused before its file is read', async () => {
    const other = await harness.base('Other Bazaar', 2);
    await expect(sent(other.KBID, 'business.pdf', '%PDF-1.4')).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  async function stored(fileName: string, content: string | Uint8Array) {
    const fileKey = `uploads/1/spreadsheet-${fileName}`;
    const bytes = Buffer.from(content);
    await harness.files.put(fileKey, Readable.from([bytes]), { bytesMax: 1_000_000 });
    return { fileKey, fileName, size: bytes.length, contentType: 'application/octet-stream' };
  }

  async function sent(id: number, fileName: string, content: string | Uint8Array) {
    return harness.ask(importSpreadsheet, { KBID: String(id), file: await stored(fileName, content) });
  }

  it('is refused for a knowledge base of another organization', async () => {
    await expect(harness.ask(importBusiness, { KBID, ...business }, 2)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});
