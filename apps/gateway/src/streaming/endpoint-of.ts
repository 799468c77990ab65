import { applyDecorators, Get, HttpCode, Post, UseInterceptors } from '@nestjs/common';
import type { ContractName } from '@parley/contracts';
import { RequiredAccess } from '../access/required-access';
import { AuditInterceptor } from '../audit/audit.interceptor';
import { changesSomething } from '../routes/changes';
import { Endpoint } from '../routes/endpoint';
import { type HandWritten, handWritten } from '../routes/hand-written';

const verbs = { GET: Get, POST: Post, WS: Get };

/** The row of an endpoint in `hand-written.ts`. */
export function endpointOf(operationId: ContractName | 'chat'): HandWritten {
  const endpoint = handWritten.find((each) => each.operationId === operationId);
  if (!endpoint) throw new TypeError(`no endpoint by hand is called ${operationId}`);
  return endpoint;
}

/** Makes a method answer the endpoint that `hand-written.ts` describes under this name, with its path and its access. */
export function Answers(operationId: ContractName | 'chat'): MethodDecorator {
  const endpoint = endpointOf(operationId);
  const audited = changesSomething(endpoint) ? [UseInterceptors(AuditInterceptor)] : [];
  const verb = verbs[endpoint.method](endpoint.path);
  return applyDecorators(verb, HttpCode(200), RequiredAccess(endpoint), Endpoint(endpoint), ...audited);
}
