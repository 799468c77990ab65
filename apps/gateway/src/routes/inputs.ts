import type { Multipart } from '@fastify/multipart';
import { Fault } from '@parley/contracts';
import type { FastifyRequest } from 'fastify';
import type { Input } from './route';

/** Where a request's fields come from, by the word in a row's `input`. Path parameters always count. */
export const inputs: Record<Input, (request: FastifyRequest) => unknown> = {
  query: ({ query, params }) => ({ ...Object(query), ...Object(params) }),
  json: jsonInput,
  form: async (request) =>
    request.isMultipart() ? { ...(await formFields(request)), ...Object(request.params) } : jsonInput(request),
};

function jsonInput(request: FastifyRequest): unknown {
  if (request.isMultipart()) throw new Fault('UNSUPPORTED_MEDIA_TYPE');
  const { body = {}, params } = request;
  return hasAny(params) && typeof body === 'object' ? { ...body, ...params } : body;
}

/** The text fields of a form that has no file. Plugin limits bound how many and how long. */
async function formFields(request: FastifyRequest): Promise<Record<string, unknown>> {
  const fields: [string, unknown][] = [];
  try {
    for await (const part of request.parts()) fields.push([part.fieldname, textOf(part)]);
  } catch (error) {
    if (error instanceof Fault || (error instanceof Error && 'statusCode' in error)) throw error;
    // The parser's own complaints are about the client's bytes: a boundary that never comes, a broken part header.
    throw new Fault('VALIDATION_FAILED', { message: 'The form is not complete.', cause: error });
  }
  return Object.fromEntries(fields);
}

function textOf(part: Multipart): unknown {
  if (part.type === 'file') throw new Fault('VALIDATION_FAILED', { message: `${part.fieldname} must be text, not a file` });
  if (part.valueTruncated) throw new Fault('PAYLOAD_TOO_LARGE', { message: `${part.fieldname} is too long.` });
  return part.value;
}

function hasAny(params: unknown): params is object {
  for (const name in Object(params)) if (name) return true;
  return false;
}
