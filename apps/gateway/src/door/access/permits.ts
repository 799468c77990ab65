import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { normalizeIp } from '@nestjs/throttler';
import { deviceHeader, Fault, isPermitted, type KeyKind, type Need, type Principal } from '@parley/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  type Access,
  type ChargedAccess,
  type Endpoint,
  type HandWritten,
  RequiredAccess,
  type SaveNeed,
} from '../../endpoint/endpoint';
import { chatInput, endpointOf, Principals } from '../../endpoint/gateway-call';
import { type RateClass, rateClassOf } from '../limits/plans';
import { answerFault } from '../faults';
import { Devices } from './devices';
import { OpenConnections } from '../limits/open-connections';
import { type OpenKind, ConcurrencyLimits, type Limited, RateLimits, tooMany } from '../limits/rate-limits';

const createsWhen: readonly unknown[] = [undefined, null, '', 0, 'ADD'];

type Verdict = { readonly granted: true } | { readonly granted: false; readonly reason: string };

const granted: Verdict = { granted: true };
const adminRole = 2;
const kindNames: Record<KeyKind, string> = { agt: 'an agent key', ext: 'a speech key', wsk: 'a workspace key' };

/** Whether a key's holder may make this call. Depends only on its arguments; the reason may be shown to the caller. */
export function permits(principal: Principal, access: ChargedAccess, body: unknown): Verdict {
  if (access.keys === 'public' || principal.kind === 'system') return granted;
  const kinds: readonly KeyKind[] = access.keys;
  if (!kinds.includes(principal.kind)) return refused(takes(kinds, principal));
  if (principal.kind === 'wsk') return workspaceVerdict(principal, access, body);
  const agentId = fieldOf(body, 'AgentID');
  if (principal.kind === 'agt' && agentId !== undefined && Number(agentId) !== principal.agentId) {
    return refused('This agent key belongs to another agent: use a key of that agent, or a workspace key whose member sees it.');
  }
  return granted;
}

/** Whether a key's holder may make any call at all to this endpoint; decided before the body is read. */
function mayEnter(principal: Principal, access: ChargedAccess): Verdict {
  if (access.keys === 'public' || principal.kind === 'system') return granted;
  const kinds: readonly KeyKind[] = access.keys;
  if (!kinds.includes(principal.kind)) return refused(takes(kinds, principal));
  if (principal.kind !== 'wsk') return granted;
  if (principal.isBounded && 'unbounded' in access && access.unbounded) return refused(reachesBeyond(access.unbounded));
  return mayDoAny(principal, access);
}

/** Whether a member holds one of the permissions that a call of this endpoint may turn out to need. */
function mayDoAny(principal: Principal, access: Access): Verdict {
  const { needs } = access;
  const possible = typeof needs === 'object' ? [needs.create, needs.update] : neededPermissions(access, undefined);
  if (possible.length === 0 || possible.some((need) => isPermitted(principal, need))) return granted;
  return refused(lacks(possible));
}

/** The reason why a key with an expiry or an address list may not create what lasts and works from everywhere. */
export function reachesBeyond(what: string): string {
  return `${what} would reach beyond this key, which ends or works from some addresses alone. Use a key without such bounds.`;
}

const onlyTokens =
  'This route takes no API key: it is a socket that is opened with a token. An agent key gets one by POST /api/v1/external/session-token.';

function takes(kinds: readonly KeyKind[], { kind }: Principal): string {
  if (kinds.length === 0) return onlyTokens;
  const given = kind === 'system' ? '' : `, and this is ${kindNames[kind]}`;
  const wanted = kinds.map((each) => kindNames[each]).join(' or ');
  return `This route takes ${wanted}${given}. Members with the permission integrations.CanAdd create keys with \`integrations/keys\`.`;
}

/** Names the missing permission, and who can grant it. An Admin cannot grant what Admins do not have. */
function lacks(needs: readonly Need[]): string {
  const isAdmins = needs.some((need) => isPermitted({ roleTypeId: adminRole }, need));
  const granter = isAdmins ? 'An Owner or Admin' : 'An Owner';
  return (
    `This needs the permission ${needs.join(' or ')}, which the member of this key does not have. ` +
    `${granter} can grant it with \`team-management/add-update-Invitation\`.`
  );
}

function workspaceVerdict(principal: Principal, access: ChargedAccess, body: unknown): Verdict {
  const missing = neededPermissions(access, body).find((need) => !isPermitted(principal, need));
  if (missing) return refused(lacks([missing]));
  if (isByRows(access.needs)) return mayDoAny(principal, access);
  if (access.charges?.includes('TTT_API') && typeof fieldOf(body, 'AgentKeyID') !== 'string') {
    return refused('A workspace key must name the agent: send its AgentKeyID.');
  }
  const agentId = fieldOf(body, 'AgentID');
  if (principal.agentIds && agentId !== undefined && !principal.agentIds.includes(Number(agentId))) {
    return refused(notTheirAgent);
  }
  return granted;
}

/** Of a member who is restricted to other agents. */
export const notTheirAgent =
  'The member of this key has no access to that agent. An Owner or Admin can grant it with `team-management/add-update-Invitation`.';

function refused(reason: string): Verdict {
  return { granted: false, reason };
}

function fieldOf(body: unknown, name: string): unknown {
  return typeof body === 'object' && body !== null && Object.hasOwn(body, name) ? Reflect.get(body, name) : undefined;
}

function isByRows(needs: Access['needs']): boolean {
  return typeof needs === 'object' && needs.by === 'rows';
}

/** All permissions that a workspace key must hold for this body. Empty if being a member is enough, or the rows decide. */
export function neededPermissions({ needs }: Access, body: unknown): Need[] {
  if (typeof needs === 'object') return saveNeeds(needs, body);
  return isNeed(needs) ? [needs] : [];
}

function isNeed(needs: string): needs is Need {
  return needs.includes('.');
}

function saveNeeds({ create, update, by }: SaveNeed, body: unknown): Need[] {
  if (by === 'rows') return [];
  const values = by.flatMap((path) => valuesAt(body, path.split('.')));
  const creates = values.length === 0 || values.some((value) => createsWhen.includes(value));
  const updates = values.some((value) => !createsWhen.includes(value));
  return [...(creates ? [create] : []), ...(updates ? [update] : [])];
}

/** A body of an unexpected shape yields nothing here; its contract refuses it afterwards. */
function valuesAt(value: unknown, [step, ...rest]: string[]): unknown[] {
  if (step === undefined) return [value];
  const name = step.replace(/\[\]$/, '');
  const inner: unknown = typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
  if (name === step) return valuesAt(inner, rest);
  return Array.isArray(inner) ? inner.flatMap((element: unknown) => valuesAt(element, rest)) : [];
}

/**
 * Checks that the key's holder may make this call, once the body has been read. A form is read by its handler, which then calls
 * `requirePermit` itself. A route that is neither an endpoint nor marked public admits no one.
 */
@Injectable()
export class PermitGuard implements CanActivate {
  constructor(private readonly reflector: Reflector) {}

  canActivate(context: ExecutionContext): boolean {
    // A socket's permit was checked when it opened; its frames have none of their own.
    if (context.getType() === 'ws') return true;
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const endpoint = endpointOf(request);
    if (!endpoint) return this.requirePublic(context);
    if (endpoint.keys === 'public' || request.isMultipart()) return true;
    requirePermit(request, endpoint.charges?.includes('TTT_API') ? chatInput(request) : (request.body ?? request.query));
    return true;
  }

  private requirePublic(context: ExecutionContext): boolean {
    const access = this.reflector.getAllAndOverride(RequiredAccess, [context.getHandler(), context.getClass()]);
    if (access?.keys === 'public') return true;
    throw new Fault('SCOPE_MISSING', { cause: new Error(`${context.getHandler().name} says no access`) });
  }
}

/** Refuses a call that the holder of the request's key may not make with these fields. */
export function requirePermit(request: FastifyRequest, fields: unknown): void {
  const endpoint = endpointOf(request);
  const { principal } = request;
  if (!endpoint || !principal) throw new Fault('SCOPE_MISSING');
  const verdict = permits(principal, endpoint, fields);
  if (!verdict.granted) throw new Fault('SCOPE_MISSING', { message: verdict.reason });
}

const keyLengthMax = 200;

/**
 * Admits requests to endpoints before any of their body is read: who holds the key, whether the endpoint accepts that kind of
 * key, and whether its limits leave room. `PermitGuard` checks the permissions that depend on the body.
 */
@Injectable()
export class Admission {
  private readonly classes = new WeakMap<Endpoint, RateClass>();

  constructor(
    private readonly principals: Principals,
    private readonly limits: RateLimits,
    private readonly connections: OpenConnections,
    private readonly places: ConcurrencyLimits,
    private readonly devices: Devices,
  ) {}

  /** Puts the key's holder on the request, or throws a Fault. Returns a promise only when another service is asked. */
  admit(request: FastifyRequest, reply: FastifyReply): void | Promise<void> {
    const endpoint = endpointOf(request);
    if (!endpoint) return;
    if (endpoint.keys === 'public') {
      applyLimit(this.limits.takePublic(normalizeIp(request.ip)), reply);
      // Clients without a key may send an empty header.
      if (!endpoint.mayBeKnown || !request.headers['x-api-key']) return;
    }
    const principal = this.principals.principalOf(apiKeyOf(request), request);
    if (principal instanceof Promise) return principal.then((found) => this.enter(found, { endpoint, request, reply }));
    return this.enter(principal, { endpoint, request, reply });
  }

  private enter(principal: Principal | undefined, { endpoint, request, reply }: Entering): void | Promise<void> {
    if (!principal) throw new Fault('API_KEY_INVALID');
    request.principal = principal;
    const isOfDevice = namesOrNeedsDevice(principal, request);
    if (isOfDevice) this.devices.check(principal, endpoint, request);
    applyLimit(this.limits.take(principal, this.classOf(endpoint)), reply);
    const verdict = mayEnter(principal, endpoint);
    if (!verdict.granted) throw new Fault('SCOPE_MISSING', { message: verdict.reason });
    // Rows of the tables answer at once. Hand-written endpoints may stream for minutes.
    if ('answers' in endpoint) this.hold(principal, endpoint, { request, reply });
    return isOfDevice ? this.devices.bind(principal, endpoint, request) : undefined;
  }

  /**
   * Long requests take a place, and end when their caller's right to them ends: with an error if no answer has begun, so that
   * nothing breaks off unexplained.
   */
  private hold(principal: Principal, endpoint: HandWritten, { request, reply }: Pick<Entering, 'request' | 'reply'>): void {
    const leavePlace = this.places.take(heldBy(endpoint), principal, request.ip);
    const ending = new AbortController();
    request.ended = ending.signal;
    const close = (_code: number, reason: string): void => {
      ending.abort();
      answerFault(reply, new Fault('API_KEY_INVALID', { message: `The right to this answer has ended: ${reason}.` }));
    };
    const forget = this.connections.add({ principal }, { close });
    const leave = (): void => {
      forget();
      leavePlace();
    };
    // The client may have left while the key was looked up.
    if (reply.raw.closed || reply.raw.destroyed) leave();
    else reply.raw.once('close', leave);
  }

  private classOf(endpoint: Endpoint): RateClass {
    const known = this.classes.get(endpoint);
    if (known) return known;
    const rateClass = rateClassOf(endpoint);
    this.classes.set(endpoint, rateClass);
    return rateClass;
  }
}

function namesOrNeedsDevice({ device, awaitsDevice }: Principal, { headers }: FastifyRequest): boolean {
  return device !== undefined || awaitsDevice === true || headers[deviceHeader] !== undefined;
}

interface Entering {
  readonly endpoint: Endpoint;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/** An event stream lasts until its reader leaves; every other request ends by itself. */
function heldBy({ method, answers }: HandWritten): OpenKind {
  return method === 'GET' && answers.some(({ contentType }) => contentType === 'text/event-stream') ? 'stream' : 'request';
}

function apiKeyOf(request: FastifyRequest): string {
  const key = request.headers['x-api-key'];
  if (typeof key !== 'string' || key === '') throw new Fault('API_KEY_MISSING');
  if (key.length > keyLengthMax) throw new Fault('API_KEY_INVALID');
  return key;
}

/** Reports the caller's limit in the reply's headers, and refuses the request if nothing is left. */
function applyLimit(limited: Limited, reply: FastifyReply): void {
  reply.header('ratelimit-policy', limited.policy);
  reply.header('ratelimit', limited.state);
  reply.header('ratelimit-limit', limited.limit);
  reply.header('ratelimit-remaining', limited.remaining);
  reply.header('ratelimit-reset', limited.resetSeconds);
  if (!limited.isGranted) throw tooMany(limited);
}
