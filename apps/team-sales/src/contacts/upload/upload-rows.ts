import { Column, Entity, type EntityManager, In, PrimaryGeneratedColumn } from 'typeorm';
import { ContactMapping, type Representative } from '../../team/representatives';
import { Contact, type ContactFields, csvColumns, searchOf } from '../contact.entity';

/** An invalid row of an upload, with the line of the file on which it begins. */
export interface RowError {
  readonly line: number;
  readonly field: string | null;
  readonly message: string;
}

/** The upload of a file of contacts. Its counts are updated in the transactions that save its rows. */
@Entity({ name: 'contact_uploads' })
export class ContactUpload {
  @PrimaryGeneratedColumn('identity', { generatedIdentity: 'ALWAYS' })
  id: number;

  @Column('int')
  orgId: number;

  /** Chosen by the client so that it can query the progress or repeat an interrupted upload. */
  @Column('uuid')
  keyId: string;

  @Column('int')
  representativeId: number;

  @Column('text')
  fileKey: string;

  /** Identifies the file's content; null in rows from before this was stored. */
  @Column('bytea', { nullable: true })
  fileHash: Buffer | null;

  @Column('text')
  status: 'PROCESSING' | 'DONE' | 'FAILED';

  @Column('int', { default: 0 })
  rowCount: number;

  @Column('int', { default: 0 })
  createdCount: number;

  @Column('int', { default: 0 })
  updatedCount: number;

  @Column('int', { default: 0 })
  unchangedCount: number;

  @Column('int', { default: 0 })
  assignedCount: number;

  @Column('int', { default: 0 })
  errorCount: number;

  @Column('jsonb', { default: [] })
  errors: RowError[];

  @Column('jsonb', { default: [] })
  ignoredColumns: string[];

  @Column('text', { nullable: true })
  reason: string | null;

  /** When the process working on it last reported. */
  @Column('timestamptz', { default: () => 'now()' })
  aliveAt: Date;
}

/** As many as the contract allows. */
const errorsMax = 1_000;

/** What a batch adds to the counts of its upload. */
interface Progress {
  readonly created: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly assigned: number;
  readonly errors: readonly RowError[];
}

/** Updates the counts in the transaction that saves the rows. */
export async function addProgress(manager: EntityManager, upload: ContactUpload, progress: Progress): Promise<void> {
  const { created, updated, unchanged, assigned, errors } = progress;
  await manager.query(
    `UPDATE contact_uploads SET created_count = created_count + $2, updated_count = updated_count + $3,
       unchanged_count = unchanged_count + $4, assigned_count = assigned_count + $5, error_count = error_count + $6, alive_at = now(),
       errors = CASE WHEN $7::jsonb = '[]' THEN errors ELSE errors || $7::jsonb END
     WHERE id = $1`,
    [
      upload.id,
      created,
      updated,
      unchanged,
      assigned,
      errors.length,
      JSON.stringify(errors.slice(0, await roomForErrors(manager, upload, errors.length))),
    ],
  );
}

/** Queries the number of stored errors only if there are new ones. */
async function roomForErrors(manager: EntityManager, { id }: ContactUpload, count: number): Promise<number> {
  if (count === 0) return 0;
  const rows: { kept: number }[] = await manager.query(
    'SELECT jsonb_array_length(errors) AS kept FROM contact_uploads WHERE id = $1',
    [id],
  );
  return Math.max(0, errorsMax - (rows[0]?.kept ?? 0));
}

/** Sets the number of rows, so that progress can be shown. */
export async function beginRows(
  manager: EntityManager,
  { id }: ContactUpload,
  seen: Pick<ContactUpload, 'rowCount' | 'ignoredColumns'>,
): Promise<void> {
  await manager.update(ContactUpload, { id }, { ...seen, aliveAt: new Date() });
}

/** Ends an upload: successfully, or with the reason for its failure. */
export async function endUpload(manager: EntityManager, { id }: ContactUpload, reason: string | null): Promise<ContactUpload> {
  await manager.update(ContactUpload, { id }, { status: reason === null ? 'DONE' : 'FAILED', reason, aliveAt: new Date() });
  return manager.findOneByOrFail(ContactUpload, { id });
}

/** The combined content of a file's rows about one number, and how many of the later rows changed something. */
export interface SaidOfContact {
  readonly contact: ContactFields;
  /** The line of its first row. */
  readonly lines: number[];
  readonly changes: number;
  readonly repeats: number;
}

/** Takes one more row about a number in: its cells go before those of earlier rows. */
export function saidAgain(
  before: SaidOfContact | undefined,
  { line, contact: row }: { readonly line: number; readonly contact: ContactFields },
): SaidOfContact {
  if (!before) return { contact: row, lines: [line], changes: 0, repeats: 0 };
  const contact = merged(before.contact, row);
  const isChange = fields.some((field) => contact[field] !== before.contact[field]);
  const { lines, changes, repeats } = before;
  // The same list, not a copy: all rows of a file may be about one number.
  lines.push(line);
  return { contact, lines, changes: changes + Number(isChange), repeats: repeats + Number(!isChange) };
}

/** The outcome for the contacts of a batch, by row. */
interface SavedContacts {
  readonly ids: number[];
  readonly created: number;
  readonly updated: number;
  readonly unchanged: number;
  /** What the uploader may not save. */
  readonly refused: readonly RowError[];
}

/** For whom contacts are uploaded, and what the uploader may do to contacts. */
export interface Uploader {
  readonly representative: Pick<Representative, 'orgId' | 'id'>;
  readonly mayAdd: boolean;
  readonly mayUpdate: boolean;
}

const fields = csvColumns.map(({ field }) => field);
const textColumns = [...fields, 'search'];

/** Statement parameters that each hold a whole column of the batch. */
const textArrays = (first: number) => textColumns.map((_, index) => `$${index + first}::text[]`).join(', ');

/**
 * Saves a batch of distinct numbers: new contacts are created, existing ones updated with every non-blank cell. Numbers are locked in
 * order, so that concurrent uploads wait for each other and never deadlock. Rows that the uploader may not save are refused.
 */
export async function saveContacts(
  manager: EntityManager,
  uploader: Uploader,
  batch: readonly SaidOfContact[],
): Promise<SavedContacts> {
  const { orgId } = uploader.representative;
  const rows = batch.map(({ contact }) => contact).toSorted((one, other) => (one.number < other.number ? -1 : 1));
  const createdIds = uploader.mayAdd ? await insertNew(manager, orgId, rows) : new Map<string, number>();
  const known = rows.filter(({ number }) => !createdIds.has(number));
  const stored = await mayChange(manager, uploader, await lockStored(manager, orgId, known));
  const changed = stored.flatMap(({ contact, row }) => changeOf(contact, row));
  await updateChanged(manager, orgId, changed);
  const touched = new Set([...createdIds.keys(), ...changed.map(({ after }) => after.number)]);
  const saved = new Set([...touched, ...stored.map(({ contact }) => contact.number)]);
  const repeated = batch
    .filter(({ contact }) => saved.has(contact.number))
    .map(({ contact, changes, repeats }) =>
      touched.has(contact.number) ? { updated: changes, unchanged: repeats } : { updated: 0, unchanged: changes + repeats },
    );
  const sum = (of: 'updated' | 'unchanged') => repeated.reduce((total, each) => total + each[of], 0);
  return {
    ids: [...createdIds.values(), ...stored.map(({ contact }) => contact.id)],
    created: createdIds.size,
    updated: changed.length + sum('updated'),
    unchanged: stored.length - changed.length + sum('unchanged'),
    refused: batch.filter(({ contact }) => !saved.has(contact.number)).flatMap(({ lines }) => refusedTo(uploader, lines)),
  };
}

function refusedTo({ mayAdd, mayUpdate }: Uploader, lines: readonly number[]): RowError[] {
  return lines.map((line) => ({ line, field: null, message: reasonOf({ mayAdd, mayUpdate }) }));
}

/** With one of the two permissions only rows that need the other are refused. */
function reasonOf({ mayAdd, mayUpdate }: Pick<Uploader, 'mayAdd' | 'mayUpdate'>): string {
  if (!mayAdd) return 'would add a contact, which needs the permission contacts.CanAdd';
  if (!mayUpdate) return 'would change a contact, which needs the permission contacts.CanUpdate';
  return 'is about a contact that was deleted at this moment: upload it again';
}

/** Blank cells keep the known value. */
function merged(known: ContactFields, row: ContactFields): ContactFields {
  return {
    name: row.name || known.name,
    number: known.number,
    email: row.email || known.email,
    city: row.city || known.city,
    state: row.state || known.state,
    country: row.country || known.country,
    zone: row.zone || known.zone,
  };
}

function columnsOf(rows: readonly ContactFields[]): string[][] {
  return [...fields.map((field) => rows.map((row) => row[field])), rows.map(searchOf)];
}

/** Returns the ids of the created contacts by number. A contact without a name gets its number as name. */
async function insertNew(manager: EntityManager, orgId: number, rows: ContactFields[]): Promise<Map<string, number>> {
  const named = rows.map((row) => ({ ...row, name: row.name || row.number }));
  const made: { id: number; number: string }[] = await manager.query(
    `INSERT INTO contacts (org_id, ${textColumns.join(', ')})
     SELECT $1, * FROM unnest(${textArrays(2)})
     ON CONFLICT ON CONSTRAINT contacts_one_per_number DO NOTHING RETURNING id, number`,
    [orgId, ...columnsOf(named)],
  );
  return new Map(made.map(({ id, number }) => [number, id]));
}

async function lockStored(manager: EntityManager, orgId: number, rows: ContactFields[]): Promise<StoredContact[]> {
  const byNumber = new Map(rows.map((row) => [row.number, row]));
  const contacts = await manager
    .createQueryBuilder(Contact, 'c')
    .where('c.org_id = :orgId AND c.number = ANY(:numbers)', { orgId, numbers: [...byNumber.keys()] })
    .orderBy('c.number')
    .setLock('pessimistic_write')
    .getMany();
  return contacts.flatMap((contact) => {
    const row = byNumber.get(contact.number);
    return row ? [{ contact, row }] : [];
  });
}

/** The stored contacts that the uploader may save: without the permission to update, only those that stay as they are. */
async function mayChange(manager: EntityManager, { representative, mayUpdate }: Uploader, stored: StoredContact[]) {
  if (mayUpdate || stored.length === 0) return stored;
  const { orgId, id: representativeId } = representative;
  const contactId = In(stored.map(({ contact }) => contact.id));
  const mappings = await manager.findBy(ContactMapping, { orgId, representativeId, contactId });
  const mapped = new Set(mappings.map((mapping) => mapping.contactId));
  return stored.filter(({ contact, row }) => mapped.has(contact.id) && changeOf(contact, row).length === 0);
}

interface StoredContact {
  readonly contact: Contact;
  readonly row: ContactFields;
}

interface ContactChange {
  readonly id: number;
  readonly after: ContactFields;
}

function changeOf(contact: Contact, row: ContactFields): ContactChange[] {
  const after = merged(contact, row);
  return fields.some((field) => after[field] !== contact[field]) ? [{ id: contact.id, after }] : [];
}

async function updateChanged(manager: EntityManager, orgId: number, changes: readonly ContactChange[]): Promise<void> {
  if (changes.length === 0) return;
  const sets = textColumns.map((column) => `${column} = changed.${column}`).join(', ');
  await manager.query(
    `UPDATE contacts SET ${sets}, updated_on = now()
     FROM unnest($2::bigint[], ${textArrays(3)}) AS changed (id, ${textColumns.join(', ')})
     WHERE contacts.org_id = $1 AND contacts.id = changed.id`,
    [orgId, changes.map(({ id }) => id), ...columnsOf(changes.map(({ after }) => after))],
  );
}
