import { z } from 'zod';
import { examplesOf } from './described';

const pageNoMax = 1_000_000;
const pageSizeMax = 200;
const pageSizeDefault = 20;

/** The paging fields of a list in a JSON body. The first column named is the one sorted by when nobody says. */
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

/** One page of rows and how many there are in all. */
export function listOf<Row extends z.ZodType>(id: string, row: Row) {
  const rows = examplesOf(row);
  return z
    .object({
      rows: z.array(row).max(pageSizeMax),
      totalCount: z.int().min(0),
      pageNo: z.int().min(1),
      pageSize: z.int().min(1).max(pageSizeMax),
    })
    .meta({
      id,
      description: 'One page of a list.',
      examples: [{ rows, totalCount: rows.length, pageNo: 1, pageSize: pageSizeDefault }],
    });
}

/** A short list that is sent whole. */
export function wholeListOf<Row extends z.ZodType>(id: string, row: Row, max = 1000) {
  return z
    .array(row)
    .max(max)
    .meta({ id, description: 'The whole list.', examples: [examplesOf(row)] });
}
