import { Injectable } from '@nestjs/common';
import { normalizeIp } from '@nestjs/throttler';
import { bindImei, deviceHash, deviceHeader, Fault, nameOf, type Principal } from '@parley/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Endpoint, endpointOf } from '../../endpoint/endpoint';
import { OpenConnections } from '../keys/open-connections';
import { rateClassOf, type RateClass } from '../limits/plans';
import { type Limited, RateLimits } from '../limits/rate-limits';
import { mayEnter } from './permits';
import { Principals } from '../keys/principals';

const keyLengthMax = 200;

/**
 * Lets requests to endpoints in before a byte of their body is looked at: who holds the key, whether that kind of key is
 * taken here, and whether its limits leave room. What a permission depends on in the body is asked by `PermitGuard`.
 */
@Injectable()
export class Admission {
  private readonly classes = new WeakMap<Endpoint, RateClass>();

  constructor(
    private readonly principals: Principals,
    private readonly limits: RateLimits,
    private readonly connections: OpenConnections,
  ) {}

  /** Leaves the holder of the key on the request, or throws a Fault. Makes a promise only where somebody has to be asked. */
  admit(request: FastifyRequest, reply: FastifyReply): void | Promise<void> {
    const endpoint = endpointOf(request);
    if (!endpoint) return;
    if (endpoint.keys === 'public') {
      holdTo(this.limits.takePublic(normalizeIp(request.ip)), reply);
      if (!endpoint.mayBeKnown || request.headers['x-api-key'] === undefined) return;
    }
    const principal = this.principals.principalOf(apiKeyOf(request), request);
    if (principal instanceof Promise) return principal.then((found) => this.enter(found, { endpoint, request, reply }));
    this.enter(principal, { endpoint, request, reply });
  }

  private enter(principal: Principal | undefined, { endpoint, request, reply }: Entering): void {
    if (!principal) throw new Fault('API_KEY_INVALID');
    request.principal = principal;
    if (!comesFromDevice(principal, request) && endpoint.operationId !== freedFromDevice) throw lockedOut(request);
    holdTo(this.limits.take(principal, this.classOf(endpoint)), reply);
    const verdict = mayEnter(principal, endpoint);
    if (!verdict.granted) throw new Fault('SCOPE_MISSING', { message: verdict.reason });
    // Rows of the tables answer at once. What is written by hand may stream for minutes.
    if ('answers' in endpoint) this.endWithCredential(principal, reply);
  }

  /** What lasts ends with the right to it. */
  private endWithCredential(principal: Principal, { raw }: FastifyReply): void {
    const forget = this.connections.add({ principal }, { close: () => raw.destroy() });
    raw.once('close', forget);
  }

  private classOf(endpoint: Endpoint): RateClass {
    const known = this.classes.get(endpoint);
    if (known) return known;
    const rateClass = rateClassOf(endpoint);
    this.classes.set(endpoint, rateClass);
    return rateClass;
  }
}

interface Entering {
  readonly endpoint: Endpoint;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/** Where a member says which device is theirs, which is refused there if it is another's. */
const freedFromDevice = nameOf(bindImei);

/** A member of the mobile app who is bound to a device acts from it alone: a key that was copied from it opens nothing elsewhere. */
function comesFromDevice({ device }: Principal, { headers }: FastifyRequest): boolean {
  const given = headers[deviceHeader];
  return device === undefined || (typeof given === 'string' && deviceHash(given) === device);
}

function lockedOut({ headers }: FastifyRequest): Fault {
  const problem = headers[deviceHeader] === undefined ? 'is missing' : 'names another device';
  const details = [{ field: 'X-Device-IMEI', message: `X-Device-IMEI ${problem}` }];
  return new Fault('DEVICE_LOCKED', { message: `This member acts from one device: X-Device-IMEI ${problem}.`, details });
}

function apiKeyOf(request: FastifyRequest): string {
  const key = request.headers['x-api-key'];
  if (typeof key !== 'string' || key === '') throw new Fault('API_KEY_MISSING');
  if (key.length > keyLengthMax) throw new Fault('API_KEY_INVALID');
  return key;
}

/** Says on the reply where its caller stands, and turns it away when there is nothing left. */
function holdTo({ isGranted, retrySeconds, policy, state }: Limited, reply: FastifyReply): void {
  reply.header('ratelimit-policy', policy);
  reply.header('ratelimit', state);
  if (!isGranted) throw new Fault('RATE_LIMITED', { retryAfterSeconds: retrySeconds });
}
