import { Fault } from '@parley/contracts';
import { type ClientBase, DatabaseError, type QueryResultRow } from 'pg';
import { type EntityManager, type ObjectLiteral, QueryFailedError, type SelectQueryBuilder } from 'typeorm';
import { z } from 'zod';

/** A statement with its values. */
export interface Statement {
  /** A connection plans the statement once under this name. */
  readonly name: string;
  readonly text: string;
  readonly values: unknown[];
}

/** Runs a prepared statement in the manager's transaction; TypeORM would have it planned every time. */
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
  /** For a column that may be empty. Elsewhere it would only keep Postgres from using an index. */
  readonly nulls?: 'NULLS FIRST' | 'NULLS LAST';
}

/** One page with the count of all rows. Rows that are equal in the sorted column follow their id: none repeats or is left out. */
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

/** A LIKE or ILIKE pattern that finds the typed text anywhere; its wildcards are escaped. */
export function containing(typed: string): string {
  return `%${typed.replace(/[\\%_]/g, '\\$&')}%`;
}

const numberTyped = /^[+\d\s().\p{Pd}/]*\d[+\d\s().\p{Pd}/]*$/u;

/** The same for telephone numbers in E.164: blanks and marks between the typed digits do not count. */
export function numberContaining(typed: string): string {
  return containing(numberTyped.test(typed) ? typed.replace(/[^+\d]/gu, '') : typed);
}

/** What an error says of itself, whichever package and realm it comes from. */
const Said = z.object({ code: z.string().optional(), message: z.string() });

const uniqueViolation = '23505';
const lockNotAvailable = '55P03';
const serializationFailure = '40001';
const passingCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ENOTFOUND',
  'EAI_AGAIN',
  '57P01',
  '57P02',
  '57P03',
  // It ended a transaction, or a session, in which nothing was said for too long, as by a process that was stopped: nothing is committed.
  '25P03',
  '25P04',
  '57P05',
  '53300',
  // Its disk is full: reads work, writes will again once there is room.
  '53100',
]);
/** What the driver and its pool say without a code. */
const passingMessages = new Set([
  'timeout exceeded when trying to connect',
  'timeout expired',
  'Connection terminated',
  'Connection terminated unexpectedly',
  'Connection terminated due to connection timeout',
  'Query read timeout',
  'Client has encountered a connection error and is not queryable',
  'Client was closed and is not queryable',
]);

/** Whether a write failed because such a row exists already, optionally under one named constraint. */
export function isUniqueViolation(error: unknown, constraint?: string): boolean {
  const cause = driverError(error);
  return cause instanceof DatabaseError && cause.code === uniqueViolation && (!constraint || cause.constraint === constraint);
}

/** Whether a statement gave up waiting for a lock. */
export function isLockTimeout(error: unknown): boolean {
  return Said.safeParse(driverError(error)).data?.code === lockNotAvailable;
}

/** Whether a copy ended a reading because it stood in the way of what had to be repeated there. */
export function isReplayConflict(error: unknown): boolean {
  return Said.safeParse(driverError(error)).data?.code === serializationFailure;
}

/** Whether Postgres was merely away: starting, stopping, full or unreachable. Trying again later may help. */
export function isPassingFailure(error: unknown): boolean {
  if (error instanceof Fault) return isPassingFailure(error.cause);
  const { code, message } = Said.safeParse(driverError(error)).data ?? {};
  return code === undefined ? passingMessages.has(message ?? '') : passingCodes.has(code);
}

/** Runs work on Postgres. If it is away or has no free connection, the caller gets SERVICE_UNAVAILABLE. */
export async function orUnavailable<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof Fault || !isPassingFailure(error)) throw error;
    throw new Fault('SERVICE_UNAVAILABLE', { retryAfterSeconds: 1, dependency: 'postgres', cause: error });
  }
}

function driverError(error: unknown): unknown {
  return error instanceof QueryFailedError ? error.driverError : error;
}
