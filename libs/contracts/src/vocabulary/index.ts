import { z } from 'zod';
import { complaintsAbout, ownWords } from '../complaints';
import { Fault } from '../faults';
import { examplesOf, Timestamp } from './text';

export * from './secret';
export * from './text';

const pageNoMax = 1_000_000;
const pageSizeMax = 200;
const pageSizeDefault = 20;

/** The paging fields of a list in a JSON body. The first column is the default sort order. */
export function paging<const Columns extends readonly [string, ...string[]]>(columns: Columns) {
  return {
    pageNo: z.int().min(1).max(pageNoMax).default(1),
    pageSize: z.int().min(1).max(pageSizeMax).default(pageSizeDefault),
    ...sorting(columns),
  };
}

/** The paging fields of a list in a query string. */
export function queryPaging<const Columns extends readonly [string, ...string[]]>(columns: Columns) {
  return {
    pageNo: z.coerce.number().int().min(1).max(pageNoMax).default(1),
    pageSize: z.coerce.number().int().min(1).max(pageSizeMax).default(pageSizeDefault),
    ...sorting(columns),
  };
}

function sorting<const Columns extends readonly [string, ...string[]]>(columns: Columns) {
  return {
    sortColumn: z.enum(columns, `must be one of ${columns.join(', ')}`).prefault(columns[0]),
    sortOrder: z.enum(['ASC', 'DESC'], 'must be one of ASC, DESC').default('DESC'),
  };
}

/** One page of rows, with the total number of rows. */
export function listOf<Row extends z.ZodType>(id: string, row: Row) {
  return z.object(pageWith(row)).meta(pageMeta(id, row));
}

/**
 * The same for rows that are archived when they are old. Archived rows are not shown; if the list reaches that far back, the
 * reply says so.
 */
export function unarchivedListOf<Row extends z.ZodType>(id: string, row: Row) {
  const archivedBefore = Timestamp.nullable().default(null);
  return z.object({ ...pageWith(row), archivedBefore }).meta(pageMeta(id, row));
}

function pageWith<Row extends z.ZodType>(row: Row) {
  return {
    rows: z.array(row).max(pageSizeMax),
    totalCount: z.int().min(0),
    pageNo: z.int().min(1),
    pageSize: z.int().min(1).max(pageSizeMax),
  };
}

function pageMeta(id: string, row: z.ZodType) {
  const rows = examplesOf(row);
  const examples = [{ rows, totalCount: rows.length, pageNo: 1, pageSize: pageSizeDefault }];
  return { id, description: 'One page of a list.', examples };
}

/** A short list that is sent completely. */
export function wholeListOf<Row extends z.ZodType>(id: string, row: Row, max = 1000) {
  return z
    .array(row)
    .max(max)
    .meta({ id, description: 'The whole list.', examples: [examplesOf(row)] });
}

/**
 * A record after a save, for all saves alike: absent fields stay, null clears them or restores the default, and required fields
 * must be present. `before` is the stored record; undefined for a new one.
 */
export function afterSave<Shape extends z.ZodObject>(
  record: Shape,
  before: object | null | undefined,
  sent: object,
): z.output<Shape> {
  const names = Object.keys(record.shape);
  const given = Object.entries(sent).filter(([name, value]) => value !== undefined && names.includes(name));
  const kept = Object.entries(before ?? {}).filter(([name]) => names.includes(name) && !given.some(([other]) => other === name));
  const isNullable = (name: string) => record.shape[name] instanceof z.ZodNullable;
  const filled = given.filter(([name, value]) => value !== null || isNullable(name));
  const whole = Object.fromEntries([...kept, ...filled]);
  const parsed = record.safeParse(whole, { error: ownWords });
  if (parsed.success) return parsed.data;
  const complaints = complaintsAbout(record, whole, parsed.error.issues);
  throw new Fault('VALIDATION_FAILED', { details: complaints.map(({ field, predicate: message }) => ({ field, message })) });
}

/** Refines a save: requires these fields for a new record, unless `key` names an existing one. */
export function requiredWhenNew(key: string, fields: readonly string[]) {
  return (body: object, context: z.core.$RefinementCtx): void => {
    if (Reflect.get(body, key)) return;
    const missing = fields.filter((field) => Reflect.get(body, field) === undefined);
    for (const field of missing) context.addIssue({ code: 'custom', path: [field], message: 'is required', input: body });
  };
}
