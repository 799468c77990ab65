import type { Multipart } from '@fastify/multipart';
import { Controller, Inject, Req, Res, type Type } from '@nestjs/common';
import { Fault } from '@parley/contracts';
import { runInCall, ServiceBus } from '@parley/messaging';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { requirePermit } from '../../door/access/permits';
import { inEnvelope, type Endpoint, type HandWritten, type Input, type Route } from '../../endpoint/endpoint';
import { formFault, formInput, formOptions, tooLong } from '../../endpoint/forms';
import { fieldsOf, gatewayCall, readInput } from '../../endpoint/gateway-call';
import { Answers, handWritten } from '../hand-written';
import {
  auditRoutes,
  contactRoutes,
  creditRoutes,
  integrationRoutes,
  salesTeamRoutes,
  teamRoutes,
  tokenRoutes,
} from './team.routes';
import { agentConfigRoutes, agentRoutes, lookupRoutes } from './agents.routes';
import { conversationRoutes, dashboardRoutes, logRoutes, salesPerformanceRoutes } from './figures.routes';
import { businessProfileRoutes, catalogRoutes, documentRoutes, faqRoutes, knowledgeRoutes } from './knowledge.routes';
import { callRoutes, campaignRoutes, numberRoutes } from './telephony.routes';

/** Every endpoint that is one request and one reply. Streaming endpoints are in hand-written. */
export const everyRoute: readonly Route[] = [
  ...teamRoutes,
  ...salesTeamRoutes,
  ...contactRoutes,
  ...lookupRoutes,
  ...agentRoutes,
  ...agentConfigRoutes,
  ...knowledgeRoutes,
  ...documentRoutes,
  ...faqRoutes,
  ...businessProfileRoutes,
  ...catalogRoutes,
  ...conversationRoutes,
  ...logRoutes,
  ...integrationRoutes,
  ...tokenRoutes,
  ...creditRoutes,
  ...auditRoutes,
  ...campaignRoutes,
  ...numberRoutes,
  ...callRoutes,
  ...dashboardRoutes,
  ...salesPerformanceRoutes,
];

/** Every endpoint of the public API. */
export interface RouteTable {
  readonly rows: readonly Route[];
  readonly handWritten: readonly HandWritten[];
}

export const publicRoutes: RouteTable = { rows: everyRoute, handWritten };

/** Where a request's fields come from, by the word in a row's `input`. Path parameters are always included. */
const inputs: Record<Input, (request: FastifyRequest, schema: z.ZodType) => unknown> = {
  query: ({ query, params }) => ({ ...fieldsOf(query), ...fieldsOf(params) }),
  json: jsonInput,
  form: async (request, schema) =>
    request.isMultipart()
      ? permitted(request, { ...(await formFields(request, schema)), ...fieldsOf(request.params) })
      : jsonInput(request),
};

/** A controller made from the table, as its handlers see it. */
interface RouteController {
  readonly bus: ServiceBus;
}

/** How a handler answers one request. */
type RouteHandler = (controller: RouteController, request: FastifyRequest, reply: FastifyReply) => Promise<object>;

const notUpgraded: RouteHandler = () => Promise.reject(new Fault('UPGRADE_REQUIRED'));

/**
 * Turns a route table into a Nest controller with one method per row, which carries the row as metadata. Hand-written endpoints
 * have their own controllers, except that sockets get a method here for requests without an upgrade.
 */
export function controllerOf({ rows, handWritten }: RouteTable): Type<object> {
  class RouteTableController {
    constructor(readonly bus: ServiceBus) {}
  }
  Inject(ServiceBus)(RouteTableController, undefined, 0);
  Controller()(RouteTableController);
  for (const row of rows) addHandler(RouteTableController, row, answerOf(row));
  for (const endpoint of handWritten) {
    // Upgrades never get here: `live/sockets` handles them before HTTP does.
    if (endpoint.method === 'WS') addHandler(RouteTableController, endpoint, notUpgraded);
  }
  return RouteTableController;
}

function addHandler(controller: Type<RouteController>, endpoint: Endpoint, answer: RouteHandler): void {
  const name = `${endpoint.method} ${endpoint.path}`;
  const prototype: unknown = controller.prototype;
  if (typeof prototype !== 'object' || prototype === null) throw new TypeError('a controller is a class');
  if (Object.hasOwn(prototype, name)) throw new TypeError(`two endpoints say ${name}`);
  const descriptor: PropertyDescriptor = {
    configurable: true,
    value(this: RouteController, request: FastifyRequest, reply: FastifyReply) {
      return answer(this, request, reply);
    },
  };
  Object.defineProperty(prototype, name, descriptor);
  Answers(endpoint)(prototype, name, descriptor);
  Req()(prototype, name, 0);
  // Passed through, so that Nest still sends what the handler returns and interceptors see it.
  Res({ passthrough: true })(prototype, name, 1);
}

/** How a row answers a request. Everything that depends only on the row is computed once, here. */
function answerOf(row: Route): RouteHandler {
  const { contract } = row;
  const inputOf = inputs[row.input];
  const enclose = inEnvelope[row.envelope];
  return async ({ bus }, request, reply) => {
    const input = onceBy(row, request, await inputOf(request, contract.request));
    // Validated but passed on unparsed: the service parses again, and a schema that transforms would transform twice.
    const { given } = readInput(contract.request, input);
    const call = gatewayCall(request, reply, contract.timeoutMs);
    return enclose(await runInCall(call, () => bus.ask(contract, given)));
  };
}

/** Passes the Idempotency-Key on to a service that then acts only once, even if this gateway dies in between. */
function onceBy({ onceBy: field }: Route, { chargeId }: FastifyRequest, input: z.input<Route['contract']['request']>): unknown {
  return field && chargeId ? { [field]: chargeId, ...fieldsOf(input) } : input;
}

function jsonInput(request: FastifyRequest): unknown {
  if (request.isMultipart()) throw new Fault('UNSUPPORTED_MEDIA_TYPE');
  // Go's clients send null where they have no body.
  const [body, { params }] = [request.body ?? {}, request];
  return hasAny(params) && typeof body === 'object' ? { ...body, ...params } : body;
}

/** The guard could not check a form before the form was read. */
function permitted(request: FastifyRequest, fields: object): object {
  requirePermit(request, fields);
  return fields;
}

/** The text fields of a form without a file. The plugin limits their number and length. */
async function formFields(request: FastifyRequest, schema: z.ZodType): Promise<Record<string, unknown>> {
  const fields: [string, unknown][] = [];
  try {
    for await (const part of request.parts(formOptions(schema))) fields.push([part.fieldname, textOf(part)]);
  } catch (error) {
    throw formFault(error);
  }
  const read = formInput(schema, fields);
  await request.formRead?.(read);
  return read;
}

function textOf(part: Multipart): unknown {
  if (part.type === 'file') throw new Fault('VALIDATION_FAILED', { message: `${part.fieldname} must be text, not a file` });
  if (part.valueTruncated) throw new Fault('PAYLOAD_TOO_LARGE', { message: tooLong(part.fieldname) });
  return part.value;
}

function hasAny(params: unknown): params is object {
  if (typeof params !== 'object' || params === null) return false;
  for (const name in params) if (name) return true;
  return false;
}
