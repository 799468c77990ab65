import { Injectable } from '@nestjs/common';
import { type BodyOf, Fault, notATimeZone, type readContactFile, TimeZoneName, contactVariablesMax } from '@parley/contracts';
import { TenantScope } from '@parley/database';
import { type Call, organizationOf } from '@parley/messaging';
import { FileStore } from '@parley/ports';
import { uploadNotFound } from '@parley/providers/configured-files';
import { withoutSafeguard } from '@parley/service-kit';
import type { z } from 'zod';
import { Organization } from '../../team/membership.entity';
import { toE164 } from '../contact.entity';
import { contactFileBytesMax, contactFileRowsMax, ignoredColumnsOf, textOfFile } from './contact-file';
import { badFile, type CsvRow, csvRows } from './csv-rows';

type ReadContactFileRequest = BodyOf<typeof readContactFile>;
type ReadContactFileItem = z.input<typeof readContactFile.item>;
/** Columns that are not used. */
interface Header {
  readonly ignored: readonly string[];
}
type MappedRow = { readonly good: ReadContactFileItem['rows'][number] } | { readonly bad: ReadContactFileItem['errors'][number] };

/** A batch ends at whichever limit is reached first. */
const rowsOfRun = 200;
const valuesOfRun = 2_000;
const variableCharactersMax = 2_000;
const nameCharactersMax = 200;
/** The syntax of placeholders in prompts. */
const variableName = /^[\p{L}_][\p{L}\p{M}\p{N}_.-]{0,63}$/u;

/** Columns that identify the contact, and fill no placeholder of their own. */
const ownMeanings: readonly string[] = ['ContactNumber', 'CustomerName', 'TimeZone'];

/** What a column of a file is used for. */
interface Column {
  readonly position: number;
  readonly title: string;
  readonly meaning: string;
}

/** Files of people to call, with custom columns. */
@Injectable()
export class MappedFile {
  constructor(
    private readonly tenants: TenantScope,
    private readonly files: FileStore,
  ) {}

  /** Whatever the outcome, the file is deleted: a repetition sends it again. */
  async *read({ file, mapping }: ReadContactFileRequest, call: Call): AsyncGenerator<ReadContactFileItem> {
    const orgId = organizationOf(call);
    if (!file.fileKey.startsWith(`contacts/${orgId}/`)) throw gone();
    try {
      const { defaultRegion } = await this.tenants.read(orgId, (manager) => manager.findOneByOrFail(Organization, { orgId }));
      const bytes = await this.files.open(file.fileKey);
      if (!bytes) throw uploadNotFound();
      yield* readMapped(bytes, mapping, defaultRegion);
    } finally {
      await this.files.delete(file.fileKey);
    }
  }
}

/** The rows of a file in batches. Columns that the mapping does not name have the meaning of their own names. */
export async function* readMapped(
  bytes: AsyncIterable<Uint8Array>,
  mapping: ReadContactFileRequest['mapping'],
  region: string,
): AsyncGenerator<ReadContactFileItem> {
  yield* inRuns(rowsOf(csvRows(textOfFile(bytes, contactFileBytesMax)), mapping, region));
}

async function* inRuns(rows: AsyncIterable<MappedRow | Header>): AsyncGenerator<ReadContactFileItem> {
  let run: MappedRow[] = [];
  let values = 0;
  for await (const row of rows) {
    if ('ignored' in row) {
      yield { rows: [], errors: [], ignoredColumns: [...row.ignored] };
      continue;
    }
    run.push(row);
    if ('good' in row) values += Object.keys(row.good.variables).length;
    if (run.length < rowsOfRun && values < valuesOfRun) continue;
    yield itemOf(run);
    run = [];
    values = 0;
  }
  yield itemOf(run);
}

function itemOf(run: readonly MappedRow[]): ReadContactFileItem {
  return {
    rows: run.flatMap((row) => ('good' in row ? [row.good] : [])),
    errors: run.flatMap((row) => ('bad' in row ? [row.bad] : [])),
  };
}

async function* rowsOf(
  rows: AsyncIterable<CsvRow>,
  mapping: ReadContactFileRequest['mapping'],
  region: string,
): AsyncGenerator<MappedRow | Header> {
  let columns: readonly Column[] | undefined;
  let count = 0;
  for await (const row of rows) {
    if (!columns) {
      columns = columnsOf(row.cells, mapping);
      yield {
        ignored: ignoredColumnsOf(
          row.cells,
          columns.map(({ position }) => position),
        ),
      };
      continue;
    }
    count += 1;
    if (count > contactFileRowsMax)
      throw new Fault('PAYLOAD_TOO_LARGE', { message: `A contact file may have ${contactFileRowsMax} rows.` });
    yield readRow(row, columns, region);
  }
  if (!columns) throw badFile('it is empty');
  if (count === 0) throw badFile('it has no rows below its first, which names the columns');
}

function columnsOf(titles: readonly string[], mapping: ReadContactFileRequest['mapping'] = {}): readonly Column[] {
  const mapped = new Map(Object.entries(mapping));
  const columns = titles.map((written, position) => ({ position, title: written.trim() }));
  const titled = new Set(columns.map(({ title }) => title));
  const missing = [...mapped.keys()].find((title) => !titled.has(title));
  if (missing !== undefined) throw badFile(`the column ${missing} of the mapping is missing in its first row`);
  const strange = [...mapped.values()].find((meaning) => meaning !== '' && !variableName.test(meaning));
  if (strange !== undefined) throw badFile(`${strange} is no name for a placeholder`);
  const given = new Set([...mapped.values()].map(filledBy));
  const read = columns.flatMap(({ position, title }) => {
    const meaning = mapped.get(title) ?? title;
    // A meaning that the mapping gives to one column is not taken from another's name.
    const isTaken = !mapped.has(title) && given.has(filledBy(title));
    return isTaken || !variableName.test(meaning) ? [] : [{ position, title, meaning }];
  });
  if (!read.some(({ meaning }) => meaning === 'ContactNumber')) throw badFile('no column is mapped to ContactNumber');
  refuseDoubled(read);
  return read;
}

function refuseDoubled(columns: readonly Column[]): void {
  const filling = new Map<string, string>();
  for (const { title, meaning } of columns) {
    const other = filling.get(filledBy(meaning));
    if (other !== undefined)
      throw badFile(`the columns ${other} and ${title} are both ${filledBy(meaning)}: leave one of them out`);
    filling.set(filledBy(meaning), title);
  }
}

/** The name of a contact fills the placeholder `name`. */
const filledBy = (meaning: string): string => (meaning === 'CustomerName' ? 'name' : meaning);

function readRow({ line, cells }: CsvRow, columns: readonly Column[], region: string): MappedRow {
  const bad = (field: string | null, message: string): MappedRow => ({ bad: { row: line, field, message } });
  const values = new Map(columns.map(({ meaning, position }) => [meaning, withoutSafeguard(cells[position] ?? '').trim()]));
  const long = columns.find(({ meaning }) => (values.get(meaning) ?? '').length > lengthOf(meaning));
  if (long) return bad(long.title, `is longer than ${lengthOf(long.meaning)} characters`);
  const written = values.get('ContactNumber') ?? '';
  const number = toE164(written, region);
  if (!number) return bad('ContactNumber', written === '' ? 'is required' : 'is not a telephone number');
  const CustomerName = values.get('CustomerName') ?? '';
  const named = values.get('TimeZone') ?? '';
  const TimeZone = named === '' ? '' : TimeZoneName.safeParse(named).data;
  if (TimeZone === undefined) return bad('TimeZone', notATimeZone);
  const given = [...values].filter(([name, value]) => !ownMeanings.includes(name) && value !== '');
  if (given.length > contactVariablesMax)
    return bad(
      null,
      `fills ${given.length} placeholders, of at most ${contactVariablesMax}: leave out columns, or map them to ""`,
    );
  return { good: { row: line, ContactNumber: number, CustomerName, TimeZone, variables: Object.fromEntries(given) } };
}

const lengthOf = (meaning: string): number => (meaning === 'CustomerName' ? nameCharactersMax : variableCharactersMax);

function gone(): Fault {
  return new Fault('NOT_FOUND', { message: 'The uploaded file no longer exists.' });
}
