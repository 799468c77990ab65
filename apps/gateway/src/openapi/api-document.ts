import type { RouteTable } from '../routes/route-table';
import { ErrorResponses, errorSchema, faultExamples } from './error-responses';
import { type Operation, operationsOf } from './operation';
import { openApiPath, operationObject } from './operation-object';
import { SchemaBook } from './schema-book';

const info = {
  title: 'Parley',
  version: '1',
  summary: 'Voice agents that talk with customers by text and by voice.',
  description:
    'Send your API key in the `x-api-key` header. Every error has one shape, and every response carries `X-Request-ID`. ' +
    'Any POST takes an `Idempotency-Key`: the same key and body within 24 hours replay the first answer and charge once.',
  license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
};

const apiKey = { type: 'apiKey', in: 'header', name: 'x-api-key', description: 'An agent, speech or workspace key.' };

const headers = {
  RequestId: { description: 'Names this request in every log. Your own, if you sent a sane one.', schema: { type: 'string' } },
  RetryAfter: { description: 'Seconds after which it is worth trying again.', schema: { type: 'integer', minimum: 1 } },
};

/** The OpenAPI 3.1 document of a route table, made once. */
export class ApiDocument {
  /** The document as it is sent. */
  readonly json: string;

  constructor(table: RouteTable) {
    this.json = JSON.stringify(documentOf(operationsOf(table)));
  }
}

function documentOf(operations: readonly Operation[]): object {
  const books = { schemas: new SchemaBook(), errors: new ErrorResponses() };
  const paths: Record<string, Record<string, object>> = {};
  for (const operation of operations) {
    const path = openApiPath(operation.path);
    // OpenAPI knows no sockets; what it can show is the GET that opens one.
    const method = operation.method === 'WS' ? 'get' : operation.method.toLowerCase();
    paths[path] = { ...paths[path], [method]: operationObject(operation, books) };
  }
  const schemas = { Error: errorSchema, ...books.schemas.toJSON() };
  return {
    openapi: '3.1.0',
    info,
    servers: [{ url: '/' }],
    tags: tagsOf(operations),
    paths,
    components: { securitySchemes: { apiKey }, headers, schemas, responses: books.errors.toJSON(), examples: faultExamples() },
  };
}

function tagsOf(operations: readonly Operation[]): { name: string }[] {
  return [...new Set(operations.map(({ tag }) => tag))].map((name) => ({ name }));
}
