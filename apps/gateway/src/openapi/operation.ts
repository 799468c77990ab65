import type { FaultCode } from '@parley/contracts';
import { z } from 'zod';
import { dressed } from '../routes/envelopes';
import type { HandWritten } from '../routes/hand-written';
import type { ChargedAccess, Envelope, Route } from '../routes/route';
import { faultsOf } from '../routes/route-faults';
import type { RouteTable } from '../routes/route-table';
import { outputExamples } from './examples';

/** One form of an answer: dressed JSON, server-sent events, bytes (no schemas). */
export interface AnswerForm {
  readonly contentType: string;
  readonly schemas: readonly z.ZodType[];
  readonly envelope?: Envelope;
}

/** One endpoint as the API document shows it, whether a row or a handler written by hand answers it. */
export interface Operation {
  readonly method: 'GET' | 'POST' | 'DELETE' | 'WS';
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
  readonly tag: string;
  readonly access: ChargedAccess;
  readonly input: z.ZodType;
  /** What the body may be; empty for input by query and path. */
  readonly bodyTypes: readonly string[];
  readonly answers: readonly AnswerForm[];
  readonly faults: readonly FaultCode[];
  readonly isAnswered: boolean;
}

const bodyTypes = { query: [], json: ['application/json'], form: ['multipart/form-data'] };

/** Every endpoint of the table as an operation. */
export function operationsOf({ rows, handWritten, isAnswered }: RouteTable): Operation[] {
  return [
    ...rows.map((row) => operationOfRow(row, isAnswered(row))),
    ...handWritten.map((each) => operationOfHand(each, isAnswered(each))),
  ];
}

/** What an answer looks like, by the examples of its schemas. */
export function answerExamples({ schemas, envelope }: AnswerForm): unknown[] {
  const examples = schemas.flatMap((schema) => outputExamples(schema));
  return envelope ? examples.map((example) => dressed[envelope](example)) : examples;
}

function operationOfRow(row: Route, isAnswered: boolean): Operation {
  const { contract, envelope } = row;
  return {
    ...named(row, isAnswered),
    input: contract.request,
    bodyTypes: bodyTypes[row.input],
    answers: [{ contentType: 'application/json', schemas: [contract.reply], envelope }],
  };
}

function operationOfHand(endpoint: HandWritten, isAnswered: boolean): Operation {
  const { contract, body, accepts, answers } = endpoint;
  const input = body ?? ('request' in contract ? contract.request : z.object({}));
  return { ...named(endpoint, isAnswered), input, bodyTypes: accepts, answers };
}

function named(endpoint: Route | HandWritten, isAnswered: boolean) {
  const { method, path, operationId, summary, tag } = endpoint;
  const faults: FaultCode[] = [...faultsOf(endpoint), ...(isAnswered ? [] : (['NOT_IMPLEMENTED'] as const))];
  return { method, path, operationId, summary, tag, access: endpoint, faults, isAnswered };
}
