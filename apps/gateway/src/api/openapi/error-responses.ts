import { STATUS_CODES } from 'node:http';
import { Fault, faultCatalogue, type FaultCode, faultCodes } from '@parley/contracts';
import { faultBody } from '../../door/faults';
import { explained, type JsonSchema } from './schema-book';

/** The error responses of the document: one for each set of codes that share a status. */
export class ErrorResponses {
  private readonly components = new Map<string, object>();

  /** By status, references to the responses that carry these codes. */
  responsesFor(codes: readonly FaultCode[]): Record<string, { $ref: string }> {
    const byStatus = Object.groupBy(codes, (code) => faultCatalogue[code].status);
    return Object.fromEntries(
      Object.entries(byStatus).map(([status, group = []]) => [status, { $ref: this.refTo(Number(status), group) }]),
    );
  }

  toJSON(): Record<string, object> {
    return Object.fromEntries([...this.components].sort(([a], [b]) => a.localeCompare(b)));
  }

  private refTo(status: number, codes: readonly FaultCode[]): string {
    const name = [status, ...codes].join('.');
    if (!this.components.has(name)) this.components.set(name, responseFor(status, codes));
    return `#/components/responses/${name}`;
  }
}

function responseFor(status: number, codes: readonly FaultCode[]): object {
  const lines = codes.map((code) => `\`${code}\`: ${faultCatalogue[code].message} ${faultCatalogue[code].remedy}`);
  const retryAfter = status === 429 || status === 503 ? { 'Retry-After': { $ref: '#/components/headers/RetryAfter' } } : {};
  return {
    description: `${STATUS_CODES[status] ?? 'Error'}.\n\n${lines.join('\n\n')}`,
    headers: { 'X-Request-ID': { $ref: '#/components/headers/RequestId' }, ...retryAfter },
    content: {
      'application/json': {
        schema: { $ref: '#/components/schemas/Error' },
        examples: Object.fromEntries(codes.map((code) => [code, { $ref: `#/components/examples/${code}` }])),
      },
    },
  };
}

/** One example body for each code of the catalogue. */
export function faultExamples(): Record<string, { value: object }> {
  const requestId = '019a5b1e-7c2d-7f00-8a64-0c5d7e9f1a41';
  return Object.fromEntries(faultCodes.map((code) => [code, { value: faultBody(exampleFault(code), requestId) }]));
}

function exampleFault(code: FaultCode): Fault {
  const message = 'question is required';
  return code === 'VALIDATION_FAILED' ? new Fault(code, { message, details: [{ field: 'question', message }] }) : new Fault(code);
}

/** The one shape of every error. */
export const errorSchema: JsonSchema = explained(
  {
    type: 'object',
    description: 'Every error, over HTTP and WebSocket alike. `code` is stable; `message` may be reworded.',
    required: ['statusCode', 'error', 'code', 'message', 'details', 'requestId'],
    properties: {
      statusCode: { type: 'integer' },
      error: { type: 'string', description: 'The name of the status.' },
      code: { type: 'string', enum: [...faultCodes] },
      message: { type: 'string' },
      details: {
        type: 'array',
        description: 'The fields that are wrong, if it is about fields.',
        items: {
          type: 'object',
          required: ['field', 'message'],
          properties: { field: { type: 'string' }, message: { type: 'string' } },
        },
      },
      requestId: { type: 'string', description: 'The same as the X-Request-ID header; name it when you ask for help.' },
    },
  },
  'Error',
);
