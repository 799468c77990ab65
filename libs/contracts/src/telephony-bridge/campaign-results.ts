import { z } from 'zod';
import { filledText, text } from '../vocabulary';

const fieldsMax = 30;
const choicesMax = 50;

/**
 * Strict, so that whoever sends `pattern`, `$ref` or fields within fields is told that nothing would come of it. What is left can be
 * checked in the time that it takes to read.
 */
const ResultField = z
  .strictObject({
    type: z.enum(['string', 'number', 'integer', 'boolean']),
    description: text(500).optional(),
    /** The words that a `string` is chosen from. */
    enum: z.array(filledText(100)).min(1).max(choicesMax).optional(),
    /** A `string` that is a day, as `YYYY-MM-DD`. */
    format: z.literal('date').optional(),
  })
  .refine((field) => field.type === 'string' || (field.enum === undefined && field.format === undefined), {
    path: ['type'],
    error: 'must be `string` where there is an `enum` or a `format`',
  });
export type ResultField = z.output<typeof ResultField>;

/**
 * What is to be learned from each call, as JSON Schema: one object with plain fields, which every model and the rules of the
 * key-less engine can fill.
 */
export const ResultSchema = z.strictObject({
  type: z.literal('object').default('object'),
  properties: z
    .record(
      z.string().regex(/^[A-Za-z][A-Za-z0-9_]{0,63}$/, 'must start with a letter and have only letters, digits and _'),
      ResultField,
    )
    .refine(
      (fields) => Object.keys(fields).length >= 1 && Object.keys(fields).length <= fieldsMax,
      `must have 1 to ${fieldsMax} fields`,
    ),
  required: z.array(z.string().max(64)).max(fieldsMax).default([]),
});
export type ResultSchema = z.output<typeof ResultSchema>;

/** What was learned from a call, by the fields of the campaign's `ResultSchema`. */
export const CallResult = z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]));
export type CallResult = z.output<typeof CallResult>;

/** What a contact came to, for those who work the list afterwards. */
export const contactDispositions = [
  'REACHED',
  'VOICEMAIL',
  'TRANSFERRED',
  'NO_ANSWER',
  'BUSY',
  'REJECTED',
  'UNREACHABLE',
  'FAILED',
  'CALL_BACK',
  'DO_NOT_CALL',
  'CANCELLED',
] as const;
