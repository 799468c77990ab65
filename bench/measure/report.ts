import { mkdirSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

export type Figures = Readonly<Record<string, string | number>>;

/** Prints figures as a table and stores them as JSON, with the machine they were measured on. */
export function report(name: string, rows: readonly Figures[]): void {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const cells = [columns, ...rows.map((row) => columns.map((column) => String(row[column] ?? '')))];
  const widths = columns.map((_, index) => Math.max(...cells.map((line) => line[index]?.length ?? 0)));
  const lines = cells.map((line) => `| ${line.map((cell, index) => cell.padEnd(widths[index] ?? 0)).join(' | ')} |`);
  lines.splice(1, 0, `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`);
  process.stdout.write(`\n${lines.join('\n')}\n`);
  const machine = {
    cpu: os.cpus()[0]?.model,
    cores: os.cpus().length,
    node: process.version,
    measuredOn: new Date().toISOString(),
  };
  const folder = path.resolve('.cache', 'bench');
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, `${name}.json`), `${JSON.stringify({ machine, rows }, null, 2)}\n`);
}
