import { setImmediate } from 'node:timers/promises';
import { Controller, Get, Header } from '@nestjs/common';
import { RequiredAccess } from '../../endpoint/endpoint';
import type { RouteTable } from '../routes/route-table';
import { ErrorResponses, errorSchema, faultExamples, NamedSchemas } from './named-schemas';
import { type ApiOperation, openApiPath, operationObject, operationsOf } from './operation-object';

const info = {
  title: 'Parley',
  version: '1',
  summary: 'Voice agents that talk with customers by text and by voice.',
  description:
    'Send your API key in the `x-api-key` header. Every error has one shape, and every response carries `X-Request-ID`. ' +
    'Any POST takes an `Idempotency-Key`: within 24 hours the same key and body return the first response again and are charged once. ' +
    'Null in an optional field is the same as leaving it out. When a record is changed, what is left out stays as ' +
    'it is, and null empties it or restores its default; required fields cannot be emptied, and null in one of them is ignored. ' +
    'In a form, a boolean is `true`, `false`, `1` or `0` in any case; a list is a repeated field, with or without `[]` after its name, or ' +
    'one field of JSON, and numbers and ids may stand in one field with commas between them; an object is JSON; and an empty field of ' +
    'these kinds is the same as leaving it out. Text and JSON may be sent with a file name, as curl does for `-F x=@body.json`.\n\n' +
    'Some answers belong to no operation. A path that there is not is answered by 404 `ROUTE_NOT_FOUND`, and a method that a path does ' +
    'not have by 405 `METHOD_NOT_ALLOWED`, whose header `Allow` lists the methods that it has; `OPTIONS` lists them too. `HEAD` is ' +
    'answered like `GET`, without a body.',
  license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
};

const apiKey = { type: 'apiKey', in: 'header', name: 'x-api-key', description: 'An agent, speech or workspace key.' };

const headers = {
  RequestId: {
    description: 'Identifies this request in every log. Your own, if you sent a valid one.',
    schema: { type: 'string' },
  },
  RateLimit: {
    description:
      'What remains of the limit closest to being reached (`r`), and in how many seconds (`t`) it is fully restored; of a 429, in how many the next request is admitted. Absent where a request is refused before it is counted.',
    schema: { type: 'string' },
  },
  RateLimitPolicy: {
    description: 'The limits of the key and of its organization. Present where `RateLimit` is.',
    schema: { type: 'string' },
  },
  RateLimitLimit: {
    description:
      'How many requests the limit closest to being reached admits in its window. This and the next two headers say in one number each ' +
      'what `RateLimit` and `RateLimit-Policy` say, and are present where those are.',
    schema: { type: 'integer', minimum: 1 },
  },
  RateLimitRemaining: { description: 'How many requests that limit still admits now.', schema: { type: 'integer', minimum: 0 } },
  RateLimitReset: {
    description: 'In how many seconds that limit is fully restored; of a 429, in how many the next request is admitted.',
    schema: { type: 'integer', minimum: 0 },
  },
  IdempotentReplayed: {
    description:
      '`true` when this response was already sent for the same `Idempotency-Key`. Its body is unchanged, and an error still names the ' +
      'first request.',
    schema: { const: 'true' },
  },
  SessionUUID: {
    description: 'The session that a spoken answer belongs to (mode tts).',
    schema: { type: 'string', format: 'uuid' },
  },
  AnswerText: {
    description:
      'The text of a spoken answer (mode tts), percent-encoded: at most its first 8,000 characters, because clients refuse longer headers. The ' +
      'history of the session has the whole text. The sound ends earlier if the text has more than 5,000 characters, or more than ' +
      'the credits left can pay for.',
    schema: { type: 'string' },
  },
  AnswerTextCut: {
    description: '`true` when `X-Answer-Text` is not the whole answer.',
    schema: { enum: ['true', 'false'] },
  },
  UnsaidCharacters: {
    description: 'How many characters of the text are left out, because no voice here says their script; they are not charged.',
    schema: { type: 'integer', minimum: 1 },
  },
  Allow: { description: 'The methods that the path supports.', schema: { type: 'string' } },
  ETag: {
    description: 'Names this answer; sent back in `If-None-Match`, it saves sending the same again.',
    schema: { type: 'string' },
  },
  RetryAfter: { description: 'Seconds to wait before trying again.', schema: { type: 'integer', minimum: 1 } },
};

const parameters = {
  RequestId: {
    name: 'X-Request-ID',
    in: 'header',
    description: 'Your own id for this request: 1 to 128 letters, digits and `._:-`. It is returned, and is in every log.',
    schema: { type: 'string', pattern: '^[A-Za-z0-9._:-]{1,128}$' },
  },
  DeviceImei: {
    name: 'X-Device-IMEI',
    in: 'header',
    description:
      'The device that the request comes from: its IMEI, whose last digit is the check digit. The first one that a member of the mobile ' +
      'app sends, here or to `team-management/bind-imei`, is bound to the member, who must send it with every request from then on: ' +
      'without it, or from another device, the response is `DEVICE_LOCKED` until an admin resets it.',
    schema: { type: 'string', pattern: '^\\d{15}$' },
  },
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'The same key and body from the same API key within 24 hours get the first response again, and nothing is done or charged twice. A response that contained a secret is not sent again: `SHOWN_ONCE`.',
    schema: { type: 'string', minLength: 1, maxLength: 255 },
  },
  IfNoneMatch: {
    name: 'If-None-Match',
    in: 'header',
    description: 'The `ETag` of an answer that you have: if it would be the same, the answer is an empty 304.',
    schema: { type: 'string' },
  },
  LastEventId: {
    name: 'Last-Event-ID',
    in: 'header',
    description:
      'The `id` of the last event received, unchanged: a counter of the organization’s calls and, after a `~`, one of the day’s counts. ' +
      'Each call whose state has changed since is sent once, as it is now, then the live counts, and the day’s counts unless they are the same; any replica can continue. ' +
      'Without it, or with one that is invalid or in the future, the counts are sent and then what is new. Browsers send it automatically.',
    schema: { type: 'string', maxLength: 100 },
  },
};

function tokenOf(route: string): object {
  return { type: 'apiKey', in: 'query', name: 'token', description: `A token from \`POST /api/v1/external/${route}\`.` };
}

/** The OpenAPI 3.1 document of a route table. Built on the first request for it, since most gateways never get one. */
export class ApiDocument {
  private made: Promise<string> | undefined;

  constructor(private readonly table: RouteTable) {}

  /** The serialized document. Building it takes a quarter of a second of CPU, so it yields to live voice after each operation. */
  json(): Promise<string> {
    return (this.made ??= this.make());
  }

  private async make(): Promise<string> {
    const making = documentOf(operationsOf(this.table));
    let step = making.next();
    for (; !step.done; step = making.next()) await setImmediate();
    return JSON.stringify(step.value);
  }
}

/** The serialized document, built without pauses: for programs that serve no requests meanwhile. */
export function openApiJson(table: RouteTable): string {
  const making = documentOf(operationsOf(table));
  let step = making.next();
  while (!step.done) step = making.next();
  return JSON.stringify(step.value);
}

/** Yields after each operation. */
function* documentOf(operations: readonly ApiOperation[]): Generator<undefined, object, undefined> {
  const parts = { schemas: new NamedSchemas(), errors: new ErrorResponses() };
  const paths: Record<string, Record<string, object>> = {};
  for (const operation of operations) {
    const path = openApiPath(operation.path);
    // OpenAPI has no sockets; it can show the GET that opens one.
    const method = operation.method === 'WS' ? 'get' : operation.method.toLowerCase();
    paths[path] = { ...paths[path], [method]: operationObject(operation, parts) };
    yield;
  }
  // No operation lists these: they are the answers to a path that there is not, and to a method that a path does not have.
  parts.errors.responsesFor(['ROUTE_NOT_FOUND', 'METHOD_NOT_ALLOWED']);
  const schemas = referredTo(paths, { ErrorBody: errorSchema, ...parts.schemas.toJSON() });
  return {
    openapi: '3.1.0',
    info,
    servers: [{ url: '/' }],
    tags: tagsOf(operations),
    paths,
    components: {
      securitySchemes: { apiKey, sessionToken: tokenOf('session-token'), widgetToken: tokenOf('widget-token') },
      headers,
      parameters,
      schemas,
      responses: parts.errors.toJSON(),
      examples: faultExamples(),
    },
  };
}

/**
 * The schemas that the paths refer to, also through each other. Others were the shapes of queries, forms and pages, whose fields
 * are written out where they are used; generators would make a class of each.
 */
function referredTo<Schema>(paths: object, all: Readonly<Record<string, Schema>>): Record<string, Schema> {
  const found = new Set(['ErrorBody']);
  const waiting: unknown[] = [paths];
  while (waiting.length > 0) {
    for (const [, name = ''] of JSON.stringify(waiting.pop()).matchAll(/"#\/components\/schemas\/([^"]+)"/g)) {
      if (found.has(name)) continue;
      found.add(name);
      waiting.push(all[name]);
    }
  }
  return Object.fromEntries(Object.entries(all).filter(([name]) => found.has(name)));
}

function tagsOf(operations: readonly ApiOperation[]): { name: string }[] {
  return [...new Set(operations.map(({ tag }) => tag))].map((name) => ({ name }));
}

/** The API description, made from the route table. */
@Controller()
@RequiredAccess({ keys: 'public', needs: 'nothing' })
export class OpenApiController {
  constructor(private readonly document: ApiDocument) {}

  @Get('openapi.json')
  @Header('content-type', 'application/json; charset=utf-8')
  openapi(): Promise<string> {
    return this.document.json();
  }
}
