import { complaintsAbout, type importBusiness, ownWords, valueAt } from '@parley/contracts';
import { normalizedQuestion } from '@parley/language';
import type { z } from 'zod';
import { rightMissingFor, type SaveOutcome, type SaveRights } from '../knowledge-bases/knowledge-change';

export type ReportedRow = z.input<typeof importBusiness.reply>['report'][number];
export type ImportedSection = ReportedRow['section'];

interface ReadRow<Value> {
  readonly row: number;
  readonly value: Value;
}

/** The report on a row, without a message so far. */
export function reported(section: ImportedSection, row: number, name: string, outcome: ReportedRow['outcome']): ReportedRow {
  return { section, row, name, outcome, message: null };
}

/** What saving a row did, or would do if its sender held the permission for it. */
export function savedOrRefused(
  { section, row, name }: Pick<ReportedRow, 'section' | 'row' | 'name'>,
  outcome: SaveOutcome,
  rights: SaveRights,
): ReportedRow {
  const missing = rightMissingFor(outcome, rights);
  if (missing === undefined) return reported(section, row, name, outcome);
  const what = outcome === 'CREATED' ? 'It would be added' : 'It would change what is there';
  return { ...reported(section, row, name, 'REFUSED'), message: `${what}, which needs the permission ${missing}` };
}

/** How the sender calls a field of a row: by its column in a spreadsheet, otherwise by its name. */
export type Called = (section: ImportedSection, row: number, field: string) => string;
export const byField: Called = (_section, _row, field) => field;

export interface ImportReading {
  /** Collects the names of fields that were not read. */
  readonly ignored: Set<string>;
  readonly called: Called;
  /** What the sender may do to entries. */
  readonly rights: SaveRights;
}

interface Complaint {
  readonly field: string;
  readonly predicate: string;
  /** The value that was sent. */
  readonly sent: unknown;
}

function complaintsOf(schema: z.ZodType, sent: unknown, issues: readonly z.core.$ZodIssue[]): Complaint[] {
  return complaintsAbout(schema, sent, issues).map((one) => ({ ...one, sent: valueAt(sent, one.field.split('.')) }));
}

const shownLettersMax = 60;

/** Complaints as one line. Each shows the value that was sent, which is the quickest way to find it in a sheet. */
export function inOneLine(
  complaints: readonly Complaint[],
  { section, row }: Pick<ReportedRow, 'section' | 'row'>,
  called: Called,
): string {
  const lines = complaints.map(({ field, predicate: said, sent }) => {
    // In a spreadsheet nobody can write null.
    const predicate = said.replace(/ or null$/u, '');
    const [first = '', ...path] = field.split('.');
    const isShown = predicate.startsWith('must be') && ['string', 'number', 'boolean'].includes(typeof sent);
    const shown = typeof sent === 'string' ? `“${sent.slice(0, shownLettersMax)}”` : String(sent);
    return `${[called(section, row, first), ...path].join('.')} ${predicate}${isShown ? `, not ${shown}` : ''}`;
  });
  return [...new Set(lines)].join('; ');
}

interface Judging<Value> {
  readonly section: ImportedSection;
  readonly rows: readonly Record<string, unknown>[];
  readonly schema: z.ZodType<Value>;
  readonly nameField: string;
  readonly called: Called;
  readonly ignored?: Set<string>;
}

/**
 * Checks rows; returns the valid ones, and the errors of the others. The second row with the same name is refused. Unknown fields
 * are added to `ignored`, so that a sender who writes `phone` for `support_phone` does not believe it was saved.
 */
export function judged<Value>({ section, rows, schema, nameField, called, ignored = new Set() }: Judging<Value>): {
  read: ReadRow<Value>[];
  refused: ReportedRow[];
} {
  const read: ReadRow<Value>[] = [];
  const refused: ReportedRow[] = [];
  const names = new Set<string>();
  for (const [place, sent] of rows.entries()) {
    const row = place + 1;
    const named = sent[nameField];
    const name = (typeof named === 'string' ? named : JSON.stringify(named ?? '')).slice(0, 200);
    const refuse = (message: string) => refused.push({ section, row, name, outcome: 'REFUSED', message });
    const parsed = schema.safeParse(sent, { error: ownWords });
    const isRepeated = names.has(normalizedQuestion(name));
    if (!parsed.success) refuse(inOneLine(complaintsOf(schema, sent, parsed.error.issues), { section, row }, called));
    else if (isRepeated) refuse(`${called(section, row, nameField)} stands in this section twice`);
    else read.push({ row, value: parsed.data });
    if (parsed.success) for (const field of droppedFields(sent, parsed.data)) ignored.add(`${section}: ${field}`);
    names.add(normalizedQuestion(name));
  }
  return { read, refused };
}

/**
 * A row without the fields and list entries that its schema refuses: a wrong telephone number must not lose the opening hours.
 */
export function withoutRefused(sent: Record<string, unknown>, schema: z.ZodType) {
  const parsed = schema.safeParse(sent, { error: ownWords });
  if (parsed.success) return { kept: sent, refused: [] };
  const kept = new Map(Object.entries(sent));
  const refused = new Map<string, Complaint[]>();
  const entries = new Map<string, Set<number>>();
  for (const issue of parsed.error.issues) {
    const [field, place] = issue.path;
    // A missing field cannot be left out.
    if (typeof field !== 'string' || !kept.has(field)) continue;
    const isEntry = typeof place === 'number';
    if (isEntry) entries.set(field, (entries.get(field) ?? new Set()).add(place));
    const name = isEntry ? `${field}.${place}` : field;
    refused.set(name, [...(refused.get(name) ?? []), ...complaintsOf(schema, sent, [issue])]);
  }
  for (const field of refused.keys()) kept.delete(field);
  for (const [field, places] of entries) {
    const list = sent[field];
    // If a list is refused as a whole, its entries are not handled one by one.
    if (Array.isArray(list) && !refused.has(field))
      kept.set(
        field,
        list.filter((_, place) => !places.has(place)),
      );
  }
  return { kept: Object.fromEntries(kept), refused: [...refused].map(([field, complaints]) => ({ field, complaints })) };
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** The names of fields, at any depth, that parsing dropped. The entries of a list share their names. */
function droppedFields(sent: unknown, read: unknown): string[] {
  if (Array.isArray(sent) && Array.isArray(read)) return sent.flatMap((entry, place) => droppedFields(entry, read[place]));
  if (!isObject(sent) || !isObject(read)) return [];
  const kept = new Map(Object.entries(read));
  return Object.entries(sent).flatMap(([field, value]) =>
    kept.has(field) ? droppedFields(value, kept.get(field)).map((inner) => `${field}.${inner}`) : [field],
  );
}
