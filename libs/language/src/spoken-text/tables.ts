import type { SpeechLanguage } from '@parley/contracts';
import { languageOf } from '../detected-language';
import { scaleOf } from './spoken-rules';

/** Up to this many rows are read out; of more, only their number, their range and the first ones. */
const readOutMax = 3;
const cellsMin = 2;
const namedCell = /^[^:;|]{1,60}: [^;|]+$/u;

/** Whether a line is a table row between bars, in which dots do not end sentences. */
export function beginsWithBar(line: string): boolean {
  return /^\s*\|/u.test(line);
}

/** Whether a whole line is a table row: between bars, or as knowledge stores rows, `Part: Radiator; Price (INR): 6900`. */
export function isTableRow(line: string): boolean {
  if (beginsWithBar(line)) return true;
  const cells = line.trim().split('; ');
  return cells.length >= cellsMin && cells.every((cell) => namedCell.test(cell));
}

interface Table {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** A table in spoken form, one sentence per entry. `lead`, the text before it, determines the language. */
export function tableSaid(lines: readonly string[], lead: string): string[] {
  const { columns, rows } = tableOf(lines);
  // A single line with colons and semicolons is an ordinary sentence.
  if (rows.length === 0 || lines.length === 1) return lines.map((line) => line.trim());
  const language = languageOfTable(lead, lines.join('\n'));
  if (rows.length > readOutMax) return summary({ columns, rows }, language);
  return rows.map(([name = '', ...cells]) => {
    const fields = cells.flatMap((cell, place) => (cell === '' ? [] : [fieldSaid(columns[place + 1] ?? '', cell)]));
    return `${name}${fields.length > 0 ? ': ' : ''}${fields.join(', ')}${words[language].end}`;
  });
}

function tableOf(lines: readonly string[]): Table {
  if (!lines.every(beginsWithBar)) {
    const rows = lines.map((line) => line.trim().split('; ').map(cellOf));
    return { columns: rows[0]?.map(({ column }) => column) ?? [], rows: rows.map((row) => row.map(({ value }) => value)) };
  }
  const cells = lines.map((line) =>
    line
      .trim()
      .replace(/^\||\|$/gu, '')
      .split('|')
      .map(plain),
  );
  const rule = cells.findIndex((row) => row.every((cell) => /^:?-{1,}:?$/u.test(cell)));
  const isHeaded =
    rule === 1 ||
    (rule === -1 &&
      cells[0]?.every((cell) => !/\d/u.test(cell)) === true &&
      cells
        .slice(1)
        .flat()
        .some((cell) => /\d/u.test(cell)));
  const rows = cells.filter((_, place) => place !== rule && !(isHeaded && place === 0));
  return withoutSerial({ columns: isHeaded ? (cells[0] ?? []) : [], rows });
}

const plain = (cell: string): string => cell.replace(/\*\*|__|`/gu, '').trim();

function cellOf(cell: string): { column: string; value: string } {
  const [, column = '', value = ''] = /^(.+?): (.+)$/u.exec(cell) ?? [];
  return { column, value };
}

/** Drops a first column of serial numbers. */
function withoutSerial({ columns, rows }: Table): Table {
  const isSerial = rows.length > 1 && rows.every(([first, ...others], place) => first === String(place + 1) && others.length > 0);
  return isSerial ? { columns: columns.slice(1), rows: rows.map((row) => row.slice(1)) } : { columns, rows };
}

const unitNamed = /^(.+?)\s*\(([^)]{1,20})\)$/u;
const money = /^(?:₹|INR|Rs\.?|रु\.?|रुपये)$/iu;
const figure = /^(₹|Rs\.?|INR|\$|€|£)?\s?(\d[\d,]*(?:\.\d+)?)\s?(%|\p{L}[\p{L}\p{M} .]{0,15})?$/u;

interface WrittenAmount {
  readonly value: number;
  /** As written, with its currency sign. */
  readonly figure: string;
  readonly isMoney: boolean;
  /** The word after it: `days`, `lakh`. */
  readonly unit: string;
}

/** The number of a cell, with the unit in the cell or in its column's heading. */
function amountIn(column: string, cell: string): WrittenAmount | undefined {
  const [, sign = '', digits, behind = ''] = figure.exec(cell) ?? [];
  if (digits === undefined) return undefined;
  const unit = unitNamed.exec(column)?.[2] ?? '';
  const isMoney = sign !== '' || money.test(unit) || money.test(behind);
  const ownSign = /^[$€£]$/u.test(sign) ? sign : '₹';
  const scale = scaleOf(behind);
  return {
    value: Number(digits.replaceAll(',', '')) * scale,
    figure: `${isMoney ? ownSign : ''}${new Intl.NumberFormat('en-IN').format(Number(digits.replaceAll(',', '')))}`,
    isMoney,
    unit: scale > 1 ? behind : isMoney ? '' : behind || unit,
  };
}

const written = ({ figure, unit }: WrittenAmount): string => `${figure}${unit === '' ? '' : `${unit === '%' ? '' : ' '}${unit}`}`;

function valueSaid(column: string, cell: string): string {
  const amount = amountIn(column, cell);
  return amount ? written(amount) : cell;
}

const labelOf = (column: string): string => unitNamed.exec(column)?.[1] ?? column;

function fieldSaid(column: string, cell: string): string {
  const label = labelOf(column);
  return label === '' ? valueSaid(column, cell) : `${label} ${valueSaid(column, cell)}`;
}

/** The number of rows, their range, the first of them, and an offer to continue. */
function summary({ columns, rows }: Table, language: SpeechLanguage): string[] {
  const { count, range, first, more } = words[language];
  const span = rangeOf({ columns, rows });
  const examples = rows.slice(0, readOutMax).map(([name = '', ...cells]) => {
    const cell = cells[(span?.place ?? 1) - 1] ?? '';
    return cell === '' ? name : `${name}, ${valueSaid(columns[span?.place ?? 1] ?? '', cell)}`;
  });
  const spread = span ? range(labelOf(columns[span.place] ?? ''), span.least, span.most) : '';
  return [count(rows.length, spread), first(examples), more];
}

interface Range {
  readonly place: number;
  readonly least: string;
  readonly most: string;
}

/** The range of a column with a number in every row, preferably an amount of money. */
function rangeOf({ columns, rows }: Table): Range | undefined {
  const widths = rows.map((row) => row.length);
  const places = Array.from({ length: Math.max(0, Math.min(...widths) - 1) }, (_, place) => place + 1);
  const numbered = places.flatMap((place) => {
    const amounts = rows.flatMap((row) => amountIn(columns[place] ?? '', row[place] ?? '') ?? []);
    const isOneUnit = new Set(amounts.map(({ isMoney, unit }) => (isMoney ? 'money' : unit))).size === 1;
    return amounts.length === rows.length && isOneUnit ? [{ place, amounts }] : [];
  });
  const chosen = numbered.find(({ amounts }) => amounts[0]?.isMoney) ?? numbered[0];
  const sorted = chosen?.amounts.toSorted((one, other) => one.value - other.value);
  const [least, most] = [sorted?.[0], sorted?.at(-1)];
  if (!chosen || !least || !most || least.value === most.value) return undefined;
  return { place: chosen.place, least: written(least.isMoney ? least : { ...least, unit: '' }), most: written(most) };
}

interface Words {
  readonly end: string;
  readonly count: (rows: number, spread: string) => string;
  readonly range: (label: string, least: string, most: string) => string;
  readonly first: (examples: readonly string[]) => string;
  readonly more: string;
}

const words: Record<SpeechLanguage, Words> = {
  english: {
    end: '.',
    count: (rows, spread) => `There are ${rows} in all${spread}.`,
    range: (label, least, most) => `, ${label === '' ? '' : `${label} `}from ${least} to ${most}`,
    first: (examples) => `The first are ${examples.join('; ')}.`,
    more: 'Shall I tell you more?',
  },
  hindi: {
    end: '।',
    count: (rows, spread) => `कुल ${rows} हैं${spread}।`,
    range: (label, least, most) => `, ${label === '' ? '' : `${label} `}${least} से ${most} तक`,
    first: (examples) => `पहले ये हैं: ${examples.join('; ')}।`,
    more: 'क्या और बताऊँ?',
  },
  marathi: {
    end: '.',
    count: (rows, spread) => `एकूण ${rows} आहेत${spread}.`,
    range: (label, least, most) => `, ${label === '' ? '' : `${label} `}${least} ते ${most}`,
    first: (examples) => `पहिले हे आहेत: ${examples.join('; ')}.`,
    more: 'आणखी सांगू का?',
  },
};

/** Column names that occur in one language only. */
const marathiNamed = /किंमत|नाव(?![\p{L}\p{M}])|वस्तू|दिवस|वेळ|भाडे|ळ/u;

function languageOfTable(lead: string, table: string): SpeechLanguage {
  if (/\p{L}/u.test(lead)) return languageOf(lead);
  const language = languageOf(table);
  return language === 'hindi' && marathiNamed.test(table) ? 'marathi' : language;
}
