import { setImmediate as others } from 'node:timers/promises';
import type { Block } from '../documents/parsing/parsed-file';

type ImportedRow = Record<string, unknown>;
/** In the order in which sheet names are matched. */
const sheets = ['profile', 'holidays', 'hours', 'services', 'products', 'faqs'] as const;
export type SheetName = (typeof sheets)[number];

/** A business read from a spreadsheet, with the row numbers of the sheet. */
export interface SpreadsheetBusiness {
  readonly rows: Readonly<Record<SheetName, readonly NumberedRow[]>>;
  /** Sheets and columns that were not read. */
  readonly ignored: readonly string[];
}

interface NumberedRow {
  readonly row: number;
  readonly value: ImportedRow;
  /** The sheet's title for each field. */
  readonly titles: ReadonlyMap<string, string>;
}

type ReadCell = (text: string) => unknown;
type Columns = Readonly<Record<string, readonly [field: string, cell: ReadCell]>>;

const words: ReadCell = (text) => text;
const days = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];

/** Longer than any number, day or column name. Longer text is not searched, which would take quadratic time. */
const shortLetters = 100;
const ofShort =
  (cell: ReadCell): ReadCell =>
  (text) =>
    text.length > shortLetters ? text : cell(text);

/** A number, possibly with currency sign and commas; anything else stays text, and is refused later. */
const figure = ofShort((text) => {
  const bare = text.replace(/^(?:₹|Rs\.?|INR|\$|€|£)\s*|,|\s*(?:\/-|INR)$/giu, '').trim();
  return bare !== '' && Number.isFinite(Number(bare)) ? Number(bare) : text;
});
/** An amount converted to one unit: `1.5 hours` is 90 minutes. */
const amountIn = (units: Readonly<Record<string, number>>): ReadCell =>
  ofShort((text) => {
    const [, amount = '', unit = ''] = /^([\d.,]+)\s*([a-z]*)\.?$/iu.exec(text) ?? [];
    const factor = unit === '' ? 1 : Object.entries(units).find(([name]) => unit.toLowerCase().startsWith(name))?.[1];
    const read = figure(amount);
    return typeof read === 'number' && factor !== undefined ? read * factor : figure(text);
  });
const minutes = amountIn({ mi: 1, h: 60, d: 1440 });
const months = amountIn({ m: 1, y: 12 });

const currencies = new Set(Intl.supportedValuesOf('currency'));
const currencyOfSign = new Map<string, string>([
  ['₹', 'INR'],
  ['rs', 'INR'],
  ['rupees', 'INR'],
  ['$', 'USD'],
  ['us$', 'USD'],
  ['€', 'EUR'],
  ['£', 'GBP'],
]);

/** The currency before or after a price, or in its column title: `$20`, `Price (AED)`. */
function currencyIn(price: string, title: string): string | undefined {
  const behind = /\(([^()]*)\)\s*$/u.exec(title.slice(0, shortLetters))?.[1] ?? '';
  const signs = [price.slice(0, shortLetters), behind].flatMap((text) => text.match(/[^\s\d.,()/-]+/gu) ?? []);
  return signs.map((sign) => (currencies.has(sign) ? sign : currencyOfSign.get(sign.toLowerCase()))).find(Boolean);
}

const whether: ReadCell = (text) =>
  /^(?:yes|y|true|1|open|available|in stock|हाँ|हो)$/iu.test(text)
    ? true
    : /^(?:no|n|false|0|closed|not available|out of stock|नहीं|नाही)$/iu.test(text)
      ? false
      : text;
/** More than any list may have: a cell with millions of entries is refused without splitting it. */
const partsMax = 200;
const several: ReadCell = (text) =>
  text
    .split(/\n|\||;/u, partsMax)
    .map((one) => one.trim())
    .filter((one) => one !== '');
const weekday = ofShort(
  (text) => days.find((day) => text.length >= 3 && day.toLowerCase().startsWith(text.toLowerCase())) ?? text,
);

const excelEpochDays = 25_569;
const dayMs = 86_400_000;

/** Workbooks store dates as days since 1900. */
const date: ReadCell = (text) => {
  const [, day, month, year] = /^(\d{1,2})[./-](\d{1,2})[./-](\d{4})$/u.exec(text) ?? [];
  if (day && month && year) return `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
  const isSerial = /^\d{5}(?:\.0+)?$/u.test(text);
  return isSerial ? new Date((Number(text) - excelEpochDays) * dayMs).toISOString().slice(0, 10) : text;
};

/** A time of day: `9:30`, `7 pm`, `19:00`, or a fraction of a day as stored in workbooks. */
const time: ReadCell = (text) => {
  if (/^0?\.\d+$/u.test(text)) return clock(Math.round(Number(text) * 24 * 60));
  const [, hour, minute = '0', half] = /^(\d{1,2})(?:[:.](\d{2}))?(?::\d{2})?\s*([ap])?\.?m?\.?$/iu.exec(text) ?? [];
  if (hour === undefined || Number(hour) > 24) return text;
  const isAfternoon = half?.toLowerCase() === 'p' && Number(hour) < 12;
  const isMidnight = half?.toLowerCase() === 'a' && Number(hour) === 12;
  return clock((isMidnight ? 0 : Number(hour) + (isAfternoon ? 12 : 0)) * 60 + Number(minute));
};

function clock(minutes: number): string {
  const hour = Math.floor(minutes / 60) % 24;
  const two = (value: number) => String(value).padStart(2, '0');
  return `${two(hour % 12 === 0 ? 12 : hour % 12)}:${two(minutes % 60)} ${hour < 12 ? 'AM' : 'PM'}`;
}

/** The columns of each sheet by the names in common use, without spaces and punctuation. */
const columns: Readonly<Record<SheetName, Columns>> = {
  profile: {
    ...named(words, 'business_name', 'name', 'businessname', 'business'),
    ...named(words, 'business_type', 'businesstype', 'type', 'kind'),
    ...named(words, 'industry', 'industry', 'trade'),
    ...named(words, 'company_description', 'companydescription', 'description', 'about'),
    ...named(words, 'website_url', 'websiteurl', 'website', 'url'),
    ...named(words, 'support_email', 'supportemail', 'email', 'mail'),
    ...named(words, 'support_phone', 'supportphone', 'phone', 'telephone', 'mobile'),
    ...named(words, 'office_address', 'officeaddress', 'address'),
    ...named(words, 'timezone', 'timezone'),
  },
  hours: {
    ...named(weekday, 'day', 'day', 'weekday'),
    ...named(time, 'open_time', 'opentime', 'opens', 'open', 'from', 'start'),
    ...named(time, 'close_time', 'closetime', 'closes', 'close', 'to', 'till', 'until', 'end'),
    ...named(whether, 'is_open', 'isopen', 'status'),
  },
  holidays: {
    ...named(date, 'date', 'date', 'day'),
    ...named(time, 'opens', 'opens', 'open', 'opentime', 'from'),
    ...named(time, 'closes', 'closes', 'close', 'closetime', 'to'),
    ...named(words, 'note', 'note', 'holiday', 'name', 'occasion', 'reason'),
  },
  products: {
    ...named(words, 'product_name', 'productname', 'name', 'product', 'item'),
    ...named(words, 'product_description', 'productdescription', 'description', 'details'),
    ...named(words, 'category', 'category', 'group'),
    ...named(figure, 'price', 'price', 'rate', 'mrp', 'cost', 'amount'),
    ...named(words, 'currency', 'currency'),
    ...named(whether, 'availability', 'availability', 'available', 'instock', 'stock'),
    ...named(words, 'sku', 'sku', 'code', 'itemcode'),
    ...named(months, 'warranty', 'warranty', 'warrantymonths', 'guarantee', 'guaranteemonths'),
    ...named(words, 'unit', 'unit', 'per', 'soldby'),
    ...named(figure, 'unit_size', 'unitsize', 'packsize'),
  },
  services: {
    ...named(words, 'service_name', 'servicename', 'name', 'service'),
    ...named(words, 'service_description', 'servicedescription', 'description', 'details'),
    ...named(minutes, 'service_duration', 'serviceduration', 'duration', 'minutes', 'durationminutes'),
    ...named(figure, 'service_price', 'serviceprice', 'price', 'rate', 'fee', 'cost', 'amount'),
    ...named(words, 'service_price_range', 'servicepricerange', 'pricerange'),
    ...named(words, 'currency', 'currency'),
    ...named(whether, 'booking_required', 'bookingrequired', 'booking'),
    ...named(several, 'service_area', 'servicearea', 'area', 'areas'),
    ...named(words, 'unit', 'unit', 'per', 'soldby'),
    ...named(figure, 'unit_size', 'unitsize', 'packsize'),
  },
  faqs: {
    ...named(words, 'Question', 'question', 'q'),
    ...named(words, 'Answer', 'answer', 'a'),
    ...named(several, 'Alternatives', 'alternatives', 'otherwordings', 'wordings', 'alternativewordings', 'synonyms'),
  },
};

const sheetNames: Readonly<Record<SheetName, RegExp>> = {
  profile: /profile|business|about|company/u,
  holidays: /holiday|exception|closed/u,
  hours: /hour|timing|timetable|opening/u,
  services: /service/u,
  products: /product|catalog|item|price|goods/u,
  faqs: /faq|question/u,
};

function named(cell: ReadCell, field: string, ...names: readonly string[]): Columns {
  return Object.fromEntries(names.map((name) => [name, [field, cell] as const]));
}

const keyOf = (name: string): string =>
  name
    .slice(0, shortLetters)
    .toLowerCase()
    .replace(/\([^)]*\)/gu, '')
    .replace(/[^\p{L}\p{N}]/gu, '');

/** What a sheet contains, by its name, or else by its columns. */
function sheetOf(name: string, header: readonly string[]): SheetName | undefined {
  const byName = sheets.find((kind) => sheetNames[kind].test(name.toLowerCase()));
  if (byName) return byName;
  const keys = header.map(keyOf);
  const found = sheets.map((kind) => {
    const own = Object.entries(columns[kind]).flatMap(([key, [field]]) => (keys.includes(key) ? [field] : []));
    return { kind, count: own.length >= 2 && own.length * 2 >= keys.length ? own.length : 0 };
  });
  // A name and a price are those of a product, if no other column says more.
  const best = found.toSorted(
    (one, other) => other.count - one.count || Number(other.kind === 'products') - Number(one.kind === 'products'),
  )[0];
  return best && best.count > 0 ? best.kind : undefined;
}

interface SheetReading {
  readonly rows: Record<SheetName, NumberedRow[]>;
  readonly ignored: Set<string>;
  /** The header of the sheet being read. It is the same for all rows, so it is parsed once. */
  header?: Header;
}

interface Header {
  readonly name: string;
  readonly titles: readonly string[];
  readonly sheet: SheetName | undefined;
  /** By column position; undefined for an ignored column. */
  readonly columns: readonly (Columns[string] | undefined)[];
  readonly titleOf: ReadonlyMap<string, string>;
}

function headerOf(name: string, titles: readonly string[]): Header {
  const sheet = sheetOf(name, titles);
  const known = new Map(sheet ? Object.entries(columns[sheet]) : []);
  const read = titles.map((title) => known.get(keyOf(title)));
  const titleOf = new Map(read.flatMap((column, place) => (column ? [[column[0], titles[place] ?? ''] as const] : [])).reverse());
  return { name, titles, sheet, columns: read, titleOf };
}

const isSame = (header: Header, name: string, titles: readonly string[]): boolean =>
  header.name === name &&
  header.titles.length === titles.length &&
  titles.every((title, place) => title === header.titles[place]);

/** Rows may be wide, so after this many, other work gets its turn. */
const rowsInARow = 200;

/** Reads a workbook sheet by sheet, or a CSV file as the single sheet indicated by its name or columns. */
export async function readSpreadsheet(blocks: readonly Block[], fileName: string): Promise<SpreadsheetBusiness> {
  const rows = { profile: [], hours: [], holidays: [], products: [], services: [], faqs: [] };
  const reading: SheetReading = { rows, ignored: new Set() };
  for (const [place, block] of blocks.entries()) {
    if (block.kind === 'row') readRow(reading, block, fileName.replace(/\.\w+$/u, ''));
    if (place % rowsInARow === 0) await others();
  }
  return { rows: reading.rows, ignored: [...reading.ignored] };
}

function readRow(reading: SheetReading, block: Extract<Block, { kind: 'row' }>, fileName: string): void {
  const { rows, ignored, header: before } = reading;
  const name = block.sheet ?? fileName;
  const header = before && isSame(before, name, block.header) ? before : headerOf(name, block.header);
  const { sheet } = header;
  const isTitle = block.cells.filter((cell) => cell !== '').length < 2;
  if (!sheet) {
    if (!isTitle || block.header.length > 0) ignored.add(name);
    return;
  }
  if (sheet === 'profile' && header.titles.length - unknownIn(header).length < 2) {
    readPair(rows.profile, block, ignored);
    return;
  }
  // Without column names the cells mean nothing.
  if (block.header.length === 0 && !isTitle) ignored.add(`${name}: row ${block.row}`);
  if (header !== before) for (const column of unknownIn(header)) ignored.add(`${name}: ${column}`);
  reading.header = header;
  const value: ImportedRow = {};
  let currency: string | undefined;
  for (const [place, column] of header.columns.entries()) {
    const text = block.cells[place]?.trim() ?? '';
    const [field, cell] = column ?? [];
    if (!field || !cell || text === '') continue;
    value[field] ??= cell(text);
    if (prices.includes(field)) currency ??= currencyIn(text, header.titles[place] ?? '');
  }
  if (Object.keys(value).length === 0) return;
  rows[sheet].push(
    ...completed(sheet, { ...(currency && { currency }), ...value }).map((one) => ({
      row: block.row,
      value: one,
      titles: header.titleOf,
    })),
  );
}

const prices = ['price', 'service_price'];

const unknownIn = ({ titles, columns }: Header): string[] => titles.filter((title, place) => title !== '' && !columns[place]);

/** A profile may be given line by line, as pairs of field name and value. The line taken for the header is one of them. */
function readPair(profile: NumberedRow[], { header, cells, row }: Extract<Block, { kind: 'row' }>, ignored: Set<string>): void {
  const value = { ...profile[0]?.value };
  const titles = new Map(profile[0]?.titles);
  for (const [name = '', text = ''] of [header, cells]) {
    const key = keyOf(name);
    const [field, cell] = (Object.hasOwn(columns.profile, key) && columns.profile[key]) || [];
    if (field && cell && text !== '') {
      value[field] = cell(text);
      titles.set(field, name);
    } else if (name !== '' && name !== header[0]) ignored.add(`profile: ${name}`);
  }
  if (Object.keys(value).length > 0) profile.splice(0, 1, { row: profile[0]?.row ?? row, value, titles });
}

const isClosedWord = /^(?:closed|close|holiday|off|-|बंद)$/iu;

/** Fills in what people leave out: that a day is open, the currency, and that `Mon-Fri` means five days. */
function completed(sheet: SheetName, value: ImportedRow): ImportedRow[] {
  if (sheet === 'products' || sheet === 'services') return [{ currency: 'INR', ...value }];
  if (sheet !== 'hours' && sheet !== 'holidays') return [value];
  const [opens, closes] = sheet === 'hours' ? ['open_time', 'close_time'] : ['opens', 'closes'];
  const isShut =
    [value[opens], value[closes]].some((text) => typeof text === 'string' && isClosedWord.test(text)) ||
    value['is_open'] === false;
  const times = { [opens]: isShut ? '' : (value[opens] ?? ''), [closes]: isShut ? '' : (value[closes] ?? '') };
  if (sheet === 'holidays') return [{ ...value, ...times }];
  const isOpen = !isShut && times[opens] !== '';
  const days = typeof value['day'] === 'string' ? value['day'] : '';
  return daysOf(days).map((day) => ({ day, ...times, is_open: isOpen }));
}

function daysOf(named: string): string[] {
  if (named.length > shortLetters) return [named];
  const [from = '', to] = named.split(/\s*(?:-|–|\bto\b)\s*/u).map((day) => String(weekday(day)));
  const [first, last] = [days.indexOf(from), days.indexOf(to ?? from)];
  if (first < 0 || last < 0) return [named];
  return days.filter((_, place) => (first <= last ? place >= first && place <= last : place >= first || place <= last));
}
