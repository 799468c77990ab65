import type { Answer } from './command';

const cellMax = 100;

/** An answer as JSON, or as text for a person: a record line by line, records as a table. */
export function rendered(answer: Answer, isJson: boolean): string {
  if (isJson) return `${JSON.stringify(answer, null, 2)}\n`;
  if (!isList(answer)) {
    const fields = Object.entries(answer);
    const width = Math.max(0, ...fields.map(([name]) => name.length));
    return fields.map(([name, value]) => `${name.padEnd(width)}  ${textOf(value)}\n`).join('');
  }
  if (answer.length === 0) return 'none\n';
  const names = Object.keys(answer[0] ?? {});
  const table = [names, ...answer.map((row) => names.map((name) => cell(row[name])))];
  const widths = names.map((_, column) => Math.max(...table.map((row) => (row[column] ?? '').length)));
  return table
    .map(
      (row) =>
        `${row
          .map((text, column) => text.padEnd(widths[column] ?? 0))
          .join('  ')
          .trimEnd()}\n`,
    )
    .join('');
}

function isList(answer: Answer): answer is readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(answer);
}

function cell(value: unknown): string {
  const text = textOf(value);
  return text.length > cellMax ? `${text.slice(0, cellMax)}…` : text;
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return '–';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
