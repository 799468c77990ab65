import { z } from 'zod';
import { described } from './described';

/** How every table of choices is asked for. */
export const LookupQuery = described(
  'LookupQuery',
  'The language of the labels.',
  z.object({ language: z.enum(['en', 'hi', 'mr']).default('en') }),
  { language: 'hi' },
);

const postgresIntegerMax = 2_147_483_647;

/** A `…KeyID`. Any version of UUID is let through, so that a well-formed stranger is 404 and not 400. */
export const Uuid = z.guid();

/** A `…ID`: small enough for its Postgres column, so that a hostile number is 400 and not a database error. */
export const RecordId = z.int().min(1).max(postgresIntegerMax);

/** A `…ID` where 0 means "a new record". */
export const RecordIdOrZero = z.int().min(0).max(postgresIntegerMax);

/** A `…ID` out of a path, a query or a form, where everything arrives as text. */
export const TextualId = z.coerce.number().int().min(1).max(postgresIntegerMax);

/** A voice or model and those that may stand in for it: as many as an agent can name. */
export const preferencesMax = 4;

/** A switch of the public API: 0 or 1. */
export const Switch = z.literal([0, 1]);

export const agentKeyExample = '5b0c7f0e-6d55-4a86-9f3c-1f8f6f0c2a11';
export const kbKeyExample = '0d9b1a52-3a0e-4c8e-8f5a-7a2f7f3f4b21';
export const memberKeyExample = '8f14e45f-ceea-467f-a8d2-3f6a1b9c4d31';
export const sessionExample = '3f2a8c1e-9b7d-4e52-8a64-0c5d7e9f1a41';
