import { DatabaseError } from 'pg';
import { QueryFailedError } from 'typeorm';

const uniqueViolation = '23505';
const passingCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ENOTFOUND',
  'EAI_AGAIN',
  '57P01',
  '57P02',
  '57P03',
  '53300',
]);

/** Whether a write failed because such a row exists already, optionally under one named constraint. */
export function isUniqueViolation(error: unknown, constraint?: string): boolean {
  const cause = driverError(error);
  return cause instanceof DatabaseError && cause.code === uniqueViolation && (!constraint || cause.constraint === constraint);
}

/** Whether Postgres was merely away: starting, stopping, full or unreachable. Trying again later may help. */
export function isPassingFailure(error: unknown): boolean {
  const cause = driverError(error);
  return cause instanceof Error && 'code' in cause && typeof cause.code === 'string' && passingCodes.has(cause.code);
}

function driverError(error: unknown): unknown {
  return error instanceof QueryFailedError ? error.driverError : error;
}
