import { Fault } from '@parley/contracts';
import { DeletedOrganization } from '@parley/messaging';
import { type ClientBase, DatabaseError, type QueryResultRow } from 'pg';
import { type EntityManager, type ObjectLiteral, QueryFailedError, type SelectQueryBuilder } from 'typeorm';
import { z } from 'zod';

/** A statement with its values. */
export interface Statement {
  /** The name under which a connection prepares the statement once. */
  readonly name: string;
  readonly text: string;
  readonly values: unknown[];
}

/** Runs a prepared statement in the manager's transaction; through TypeORM it would be planned every time. */
export async function prepared<Row extends QueryResultRow>(manager: EntityManager, statement: Statement): Promise<Row[]> {
  if (!manager.queryRunner) throw new TypeError(`${statement.name} needs a transaction to be part of`);
  const client: ClientBase = await manager.queryRunner.connect();
  const { rows } = await client.query<Row>({ ...statement });
  return rows;
}

/** The page that a list query asks for. */
interface PageQuery {
  readonly pageNo: number;
  readonly pageSize: number;
  readonly sortOrder: 'ASC' | 'DESC';
}

export interface Page<Row> {
  readonly rows: Row[];
  readonly totalCount: number;
  readonly pageNo: number;
  readonly pageSize: number;
}

interface Sorting {
  readonly by: string;
  /** For nullable columns. For others it would only keep Postgres from using an index. */
  readonly nulls?: 'NULLS FIRST' | 'NULLS LAST';
}

/**
 * One page, with the total number of rows. Rows that are equal in the sorted column are ordered by id, so that none is repeated
 * or left out.
 */
export async function pageOf<Row extends ObjectLiteral>(
  query: SelectQueryBuilder<Row>,
  { pageNo, pageSize, sortOrder }: PageQuery,
  { by, nulls }: Sorting,
): Promise<Page<Row>> {
  const [rows, totalCount] = await query
    .orderBy(by, sortOrder, nulls)
    .addOrderBy(`${query.alias}.id`, sortOrder)
    .offset((pageNo - 1) * pageSize)
    .limit(pageSize)
    .getManyAndCount();
  return { rows, totalCount, pageNo, pageSize };
}

/** TypeORM prepares a statement, and reads what it returned, in one turn of the event loop: about 10 ms for so many rows. */
const rowsAtOnce = 200;

/** Reads or saves many rows part by part, so that other work gets its turn. */
export async function inParts<Item, Row>(items: readonly Item[], work: (part: Item[]) => Promise<Row[]>): Promise<Row[]> {
  const done: Row[] = [];
  for (let from = 0; from < items.length; from += rowsAtOnce) done.push(...(await work(items.slice(from, from + rowsAtOnce))));
  return done;
}

/** A LIKE or ILIKE pattern that finds the typed text anywhere, with wildcards escaped. */
export function containing(typed: string): string {
  return `%${typed.replace(/[\\%_]/g, '\\$&')}%`;
}

const numberTyped = /^[+\d\s().\p{Pd}/]*\d[+\d\s().\p{Pd}/]*$/u;

/** The same for telephone numbers in E.164, ignoring spaces and punctuation between the typed digits. */
export function numberContaining(typed: string): string {
  return containing(numberTyped.test(typed) ? typed.replace(/[^+\d]/gu, '') : typed);
}

/** The details of an error, whichever package and realm it comes from. */
const ErrorDetails = z.object({ code: z.string().optional(), message: z.string() });

const uniqueViolation = '23505';
const foreignKeyViolation = '23503';
const insufficientPrivilege = '42501';
const lockNotAvailable = '55P03';
const serializationFailure = '40001';
const readOnlyTransaction = '25006';
const temporaryCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ENOTFOUND',
  'EAI_AGAIN',
  '57P01',
  '57P02',
  '57P03',
  // A transaction or session was ended because it was idle for too long, for instance in a stopped process: nothing was
  // committed.
  '25P03',
  '25P04',
  '57P05',
  '53300',
  // PgBouncer, which has no connection to Postgres, and tells its clients so by this code ("server login has been failing").
  '08P01',
  // Its disk is full: reads work, and writes will again once there is space.
  '53100',
  // A statement took longer than it may: Postgres is overloaded, or something is locked.
  '57014',
]);
/** A server that refuses to write in a transaction that was not opened to only read. */
const takesNoWrites = 'this Postgres takes no writes: it is a standby';
/** Messages of the driver and its pool that come without a code, and ours. */
const temporaryMessages = new Set([
  'timeout exceeded when trying to connect',
  'timeout expired',
  'Connection terminated',
  'Connection terminated unexpectedly',
  'Connection terminated due to connection timeout',
  'Query read timeout',
  'Client has encountered a connection error and is not queryable',
  'Client was closed and is not queryable',
  // The address does not lead to the primary yet, or a former primary became a standby.
  takesNoWrites,
]);

/** Whether a write failed because such a row already exists, optionally by one named constraint. */
export function isUniqueViolation(error: unknown, constraint?: string): boolean {
  const cause = driverError(error);
  return cause instanceof DatabaseError && cause.code === uniqueViolation && (!constraint || cause.constraint === constraint);
}

/** Whether a row could not be deleted because another one refers to it. */
export function isReferredTo(error: unknown): boolean {
  return ErrorDetails.safeParse(driverError(error)).data?.code === foreignKeyViolation;
}

/** The policy that refuses rows of a deleted organization. */
export const refusalOfDeleted = 'organization_not_deleted';

/** Whether Postgres refused a row because its organization was deleted. */
function isRowOfDeleted(error: unknown): boolean {
  const { code, message = '' } = ErrorDetails.safeParse(driverError(error)).data ?? {};
  return code === insufficientPrivilege && message.includes(`"${refusalOfDeleted}"`);
}

/** Whether a statement timed out waiting for a lock. */
export function isLockTimeout(error: unknown): boolean {
  return ErrorDetails.safeParse(driverError(error)).data?.code === lockNotAvailable;
}

/** Whether a standby cancelled a query because it conflicted with replaying the log. */
export function isReplayConflict(error: unknown): boolean {
  return ErrorDetails.safeParse(driverError(error)).data?.code === serializationFailure;
}

/**
 * What a failure means in a transaction that may write: a refusal to write is that of a standby. A write where only reading is
 * allowed stays our fault.
 */
export function meaningOf(error: unknown): unknown {
  const isRefusal = ErrorDetails.safeParse(driverError(error)).data?.code === readOnlyTransaction;
  return isRefusal ? new Error(takesNoWrites, { cause: error }) : error;
}

/** Whether it is such a refusal: this connection would repeat it, and the next one may lead elsewhere. */
export function isOfStandby(error: unknown): error is Error {
  return error instanceof Error && error.message === takesNoWrites;
}

/** Whether Postgres was merely unavailable: starting, stopping, full or unreachable. Trying again later may help. */
export function isTemporaryFailure(error: unknown): boolean {
  if (error instanceof Fault) return isTemporaryFailure(error.cause);
  const { code, message } = ErrorDetails.safeParse(driverError(error)).data ?? {};
  return code === undefined ? temporaryMessages.has(message ?? '') : temporaryCodes.has(code);
}

/**
 * Runs work on Postgres. If Postgres is unavailable or has no free connection, the caller gets SERVICE_UNAVAILABLE; if it wrote for
 * an organization that was deleted, NOT_FOUND.
 */
export async function orUnavailable<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (isRowOfDeleted(error)) throw DeletedOrganization.fault(error);
    if (error instanceof Fault || !isTemporaryFailure(error)) throw error;
    throw new Fault('SERVICE_UNAVAILABLE', { retryAfterSeconds: 1, dependency: 'postgres', cause: error });
  }
}

function driverError(error: unknown): unknown {
  return error instanceof QueryFailedError ? error.driverError : error;
}
