import { Column, Entity, type EntityManager, PrimaryGeneratedColumn } from 'typeorm';

/** A bad row of an upload, by the line of the file on which it begins. */
export interface RowError {
  readonly line: number;
  readonly field: string | null;
  readonly message: string;
}

/** A file of contacts on its way into the organization. Its counts grow in the transactions that save its rows. */
@Entity({ name: 'contact_uploads' })
export class ContactUpload {
  @PrimaryGeneratedColumn('identity', { generatedIdentity: 'ALWAYS' })
  id: number;

  @Column('int')
  orgId: number;

  /** Chosen by the client if it wants to ask for progress, or to repeat an interrupted upload. */
  @Column('uuid')
  keyId: string;

  @Column('int')
  representativeId: number;

  @Column('text')
  fileKey: string;

  /** Identifies its file's content; null in rows from before it was stored. */
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

  @Column('text', { nullable: true })
  reason: string | null;

  /** When the process that works on it last said so. */
  @Column('timestamptz', { default: () => 'now()' })
  aliveAt: Date;
}

/** As many as the contract shows. */
const errorsMax = 1_000;

/** What a batch adds to the counts of its upload. */
interface Progress {
  readonly created: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly assigned: number;
  readonly errors: readonly RowError[];
}

/** Adds to the counts, in the transaction that makes them true. */
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

/** Only bad rows ask how many are kept already. */
async function roomForErrors(manager: EntityManager, { id }: ContactUpload, count: number): Promise<number> {
  if (count === 0) return 0;
  const rows: { kept: number }[] = await manager.query(
    'SELECT jsonb_array_length(errors) AS kept FROM contact_uploads WHERE id = $1',
    [id],
  );
  return Math.max(0, errorsMax - (rows[0]?.kept ?? 0));
}

/** Says how many rows there are, so that progress can be shown. */
export async function beginRows(manager: EntityManager, { id }: ContactUpload, rowCount: number): Promise<void> {
  await manager.update(ContactUpload, { id }, { rowCount, aliveAt: new Date() });
}

/** Ends an upload, well or with the reason why not. */
export async function endUpload(manager: EntityManager, { id }: ContactUpload, reason: string | null): Promise<ContactUpload> {
  await manager.update(ContactUpload, { id }, { status: reason === null ? 'DONE' : 'FAILED', reason, aliveAt: new Date() });
  return manager.findOneByOrFail(ContactUpload, { id });
}
