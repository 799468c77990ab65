import { applyDecorators, Delete, Get, HttpCode, Post, UseInterceptors } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import type { ContractName } from '@parley/contracts';
import { AuditInterceptor } from '../door/audit/attempt';
import { changesSomething, type Endpoint } from '../endpoint/endpoint';
import { handWritten } from './hand-written';

type HandWrittenName = ContractName | 'chat';

// The path of a socket answers a GET that does not ask for one.
const verbs = { GET: Get, POST: Post, DELETE: Delete, WS: Get };

/** Makes a method answer an endpoint: with its path, who may call it, what its body may be, and a line in the audit log. */
export function Answers(endpoint: Endpoint | HandWrittenName): MethodDecorator {
  const answered = typeof endpoint === 'string' ? handWrittenOf(endpoint) : endpoint;
  const audited = changesSomething(answered) ? [UseInterceptors(AuditInterceptor)] : [];
  const verb = verbs[answered.method](answered.path);
  return applyDecorators(verb, HttpCode(200), RouteConfig({ endpoint: answered }), ...audited);
}

function handWrittenOf(operationId: HandWrittenName): Endpoint {
  const endpoint = handWritten.find((each) => each.operationId === operationId);
  if (!endpoint) throw new TypeError(`no endpoint by hand is called ${operationId}`);
  return endpoint;
}
