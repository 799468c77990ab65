import { z } from 'zod';
import type { Envelope } from '../routes/route';
import { inputExamples, namedExamples } from './examples';
import { requestBodyOf } from './request-body';
import type { ErrorResponses } from './error-responses';
import { answerExamples, type AnswerForm, type Operation } from './operation';
import type { JsonSchema, SchemaBook } from './schema-book';

const pathVariable = /:(\w+)/g;

interface Books {
  readonly schemas: SchemaBook;
  readonly errors: ErrorResponses;
}

/** A path as OpenAPI writes it. */
export function openApiPath(path: string): string {
  return path.replaceAll(pathVariable, '{$1}');
}

/** One operation of the document. */
export function operationObject(operation: Operation, { schemas, errors }: Books): object {
  const { operationId, summary, tag, access, bodyTypes, faults, isAnswered } = operation;
  const parameters = parametersOf(operation, schemas);
  return {
    operationId,
    summary,
    tags: [tag],
    description: descriptionOf(operation),
    ...(parameters.length > 0 && { parameters }),
    ...(bodyTypes.length > 0 && { requestBody: requestBodyOf(operation, schemas) }),
    responses: { ...successOf(operation, schemas), ...errors.responsesFor(faults) },
    security: access.keys === 'public' ? [] : [{ apiKey: [] }],
    'x-keys': access.keys,
    'x-needs': access.needs,
    ...(access.charges && { 'x-charges': access.charges }),
    ...(!isAnswered && { 'x-status': 'planned' }),
  };
}

function descriptionOf({ access, isAnswered, method }: Operation): string {
  const kinds = access.keys === 'public' ? [] : access.keys;
  const keys = kinds.length > 0 ? `Keys: ${kinds.map((kind) => `\`${kind}\``).join(', ')}.` : '';
  const charges = access.charges ? `Charges ${access.charges.map((kind) => `\`${kind}\``).join(', ')} credits.` : '';
  const status = isAnswered ? '' : 'Part of the contract; not answered yet (501).';
  const socket = method === 'WS' ? 'A WebSocket: its frames and close codes are in `/asyncapi.json`.' : '';
  return [socket, keys, needsOf(access.needs), charges, status].filter(Boolean).join(' ');
}

function needsOf(needs: Operation['access']['needs']): string {
  if (typeof needs === 'object') return `Workspace keys need \`${needs.create}\` to create and \`${needs.update}\` to update.`;
  if (needs === 'membership') return 'Any member may.';
  return needs.includes('.') ? `Workspace keys need \`${needs}\`.` : '';
}

function parametersOf({ input, path, bodyTypes }: Operation, schemas: SchemaBook): object[] {
  const { properties = {}, required = [] } = schemas.shapeOf(input, 'input');
  const inPath = [...path.matchAll(pathVariable)].map(([, name]) => name);
  const [example] = inputExamples(input, true);
  const shown = Object.entries(properties).filter(([name]) => bodyTypes.length === 0 || inPath.includes(name));
  return shown.map(([name, schema]) => ({
    name,
    in: inPath.includes(name) ? 'path' : 'query',
    required: inPath.includes(name) || required.includes(name),
    schema,
    ...exampleOf(example, name),
  }));
}

function exampleOf(example: unknown, name: string): { example?: unknown } {
  const value: unknown = typeof example === 'object' && example !== null ? Reflect.get(example, name) : undefined;
  return value === undefined ? {} : { example: value };
}

function successOf({ method, answers }: Operation, schemas: SchemaBook): object {
  if (method === 'WS') return { 101: { description: 'The socket is open.' } };
  const content = answers.map((answer) => [answer.contentType, mediaOf(answer, schemas)]);
  const headers = { 'X-Request-ID': { $ref: '#/components/headers/RequestId' } };
  return { 200: { description: 'Done.', headers, content: Object.fromEntries(content) } };
}

function mediaOf(answer: AnswerForm, schemas: SchemaBook): object {
  const [first, second] = answer.schemas;
  if (!first) return {};
  const schema = second ? z.union([...answer.schemas]) : first;
  // Events come one after another as text; a schema describes the data of each, so no example is the whole body.
  if (answer.contentType === 'text/event-stream') return { 'x-event-data': schemas.schemaOf(schema, 'output') };
  const shown = answer.envelope ? envelopes[answer.envelope](schema, schemas) : schemas.schemaOf(schema, 'output');
  return { schema: shown, ...namedExamples(answerExamples(answer)) };
}

const statusCode: JsonSchema = { type: 'integer', const: 200 };

const envelopes: Record<Envelope, (schema: z.ZodType, schemas: SchemaBook) => JsonSchema> = {
  data: (schema, schemas) => objectOf({ statusCode, message: { type: 'string' }, data: schemas.schemaOf(schema, 'output') }),
  list: (schema, schemas) => {
    const { rows = {}, ...paging } = schemas.shapeOf(schema, 'output').properties ?? {};
    return objectOf({ statusCode, data: rows, ...paging });
  },
  flat: (schema, schemas) => ({ allOf: [objectOf({ statusCode }), schemas.schemaOf(schema, 'output')] }),
};

function objectOf(properties: NonNullable<JsonSchema['properties']>): JsonSchema {
  return { type: 'object', required: Object.keys(properties), properties };
}
