import { Controller, Delete, Get, HttpCode, Inject, Post, Req, Res, type Type, UseInterceptors } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { Fault } from '@parley/contracts';
import { ServiceBus } from '@parley/messaging';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { RequiredAccess } from '../access/required-access';
import { AuditInterceptor } from '../audit/audit.interceptor';
import { type Answer, answerOf, type Desk } from './answer-of';
import { changesSomething } from './changes';
import { Endpoint } from './endpoint';
import type { HandWritten } from './hand-written';
import type { Route } from './route';
import type { RouteTable } from './route-table';

const verbs = { GET: Get, POST: Post, DELETE: Delete };
const notAnswered: Answer = () => Promise.reject(new Fault('NOT_IMPLEMENTED'));
const notUpgraded: Answer = () => Promise.reject(new Fault('UPGRADE_REQUIRED'));

/**
 * Turns a route table into an ordinary Nest controller with one method an endpoint, which carries its row as metadata.
 * Endpoints that nobody answers yet get a method too, so that a client sees 501 and not 404; what is written by hand and
 * answered has a controller of its own.
 */
export function controllerOf({ rows, handWritten, isAnswered }: RouteTable): Type<object> {
  class RouteTableController {
    constructor(readonly bus: ServiceBus) {}
  }
  Inject(ServiceBus)(RouteTableController, undefined, 0);
  Controller()(RouteTableController);
  for (const row of rows) addHandler(RouteTableController, row, isAnswered(row) ? answerOf(row) : notAnswered);
  for (const endpoint of handWritten) {
    if (!isAnswered(endpoint)) addHandler(RouteTableController, endpoint, notAnswered);
    // What asks for a socket never comes here: `sockets/` takes it out of HTTP.
    else if (endpoint.method === 'WS') addHandler(RouteTableController, endpoint, notUpgraded);
  }
  return RouteTableController;
}

function addHandler(controller: Type<Desk>, endpoint: Route | HandWritten, answer: Answer): void {
  const name = `${endpoint.method} ${endpoint.path}`;
  if (Object.hasOwn(controller.prototype, name)) throw new TypeError(`two endpoints say ${name}`);
  const descriptor: PropertyDescriptor = {
    configurable: true,
    value(this: Desk, request: FastifyRequest, reply: FastifyReply) {
      return answer(this, request, reply);
    },
  };
  Object.defineProperty(controller.prototype, name, descriptor);
  for (const decorate of decoratorsOf(endpoint)) decorate(controller.prototype, name, descriptor);
  Req()(controller.prototype, name, 0);
  // Passed through, so that Nest still sends what the handler returns and interceptors see it.
  Res({ passthrough: true })(controller.prototype, name, 1);
}

function decoratorsOf(endpoint: Route | HandWritten): MethodDecorator[] {
  const { method, path } = endpoint;
  // The path of a socket answers a GET that does not ask for one.
  const verb = verbs[method === 'WS' ? 'GET' : method];
  const decorators: MethodDecorator[] = [verb(path), HttpCode(200), RequiredAccess(endpoint), Endpoint(endpoint)];
  const config = configOf(endpoint);
  if (Object.keys(config).length > 0) decorators.push(RouteConfig(config));
  if (changesSomething(endpoint)) decorators.push(UseInterceptors(AuditInterceptor));
  return decorators;
}

/** What Fastify itself has to know of a route. */
function configOf(endpoint: Route | HandWritten): { bodyLimitBytes?: number; revalidates?: true } {
  const { bodyLimitBytes, revalidates } = 'input' in endpoint ? endpoint : { bodyLimitBytes: undefined, revalidates: undefined };
  return { ...(bodyLimitBytes && { bodyLimitBytes }), ...(revalidates && { revalidates }) };
}
