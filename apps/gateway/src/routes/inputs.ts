import { Fault } from '@parley/contracts';
import type { FastifyRequest } from 'fastify';
import type { Input } from './route';

/** Where a request's fields come from, by the word in a row's `input`. Path parameters always count. */
export const inputs: Record<Input, (request: FastifyRequest) => unknown> = {
  query: ({ query, params }) => ({ ...Object(query), ...Object(params) }),
  json: jsonInput,
  form: async (request) => (request.isMultipart() ? { ...(await formFields(request)), ...Object(request.params) } : jsonInput(request)),
};

function jsonInput(request: FastifyRequest): unknown {
  if (request.isMultipart()) throw new Fault('UNSUPPORTED_MEDIA_TYPE');
  const { body = {}, params } = request;
  return hasAny(params) && typeof body === 'object' ? { ...body, ...params } : body;
}

/** The text fields of a form that has no file. Plugin limits bound how many and how long. */
async function formFields(request: FastifyRequest): Promise<Record<string, unknown>> {
  const fields: [string, unknown][] = [];
  for await (const part of request.parts()) {
    if (part.type === 'file') throw new Fault('VALIDATION_FAILED', { message: `${part.fieldname} must be text, not a file` });
    fields.push([part.fieldname, part.value]);
  }
  return Object.fromEntries(fields);
}

function hasAny(params: unknown): params is object {
  for (const name in Object(params)) if (name) return true;
  return false;
}
