import { type DynamicModule, type ExecutionContext, Injectable, Module } from '@nestjs/common';
import { normalizeIp, ThrottlerGuard, ThrottlerModule } from '@nestjs/throttler';
import { Fault, type Principal } from '@parley/contracts';
import { integer } from '@parley/service-kit';
import { endpointIn } from '../../endpoint/gateway-call';
import { type Plan, publicQuota, type Quota, type RateClass, standardPlan } from './plans';
import { FailedKeys } from './failed-keys';
import { QuotaEventsController } from './quota-events.controller';
import { type Bucket, Quotas, QuotaStorage, type Taken } from './quotas';

/** The limits' decision on a request, and the headers of its answer. */
export interface Limited {
  readonly isGranted: boolean;
  readonly retrySeconds: number;
  /** The value of the header `RateLimit-Policy`. */
  readonly policy: string;
  /** The value of the header `RateLimit`, for the limit closest to exhaustion. */
  readonly state: string;
  /** The same limit for the headers of one number each, which most clients know: `RateLimit-Limit`, `-Remaining` and `-Reset`. */
  readonly limit: number;
  readonly remaining: number;
  readonly resetSeconds: number;
  /** Whose limit that is. */
  readonly holder: LimitHolder;
}

type LimitHolder = 'key' | 'organization' | 'address';

/** The refusal of a request beyond a limit. */
export function tooMany({ holder, retrySeconds }: Pick<Limited, 'holder' | 'retrySeconds'>): Fault {
  const message = `Too many requests ${holder === 'address' ? 'from' : 'of'} this ${holder}.`;
  return new Fault('RATE_LIMITED', { message, retryAfterSeconds: retrySeconds });
}

interface Limit {
  readonly quota: Quota;
  readonly policy: Bucket['policy'];
}

interface ClassLimits {
  readonly key: Limit;
  readonly organization: Limit;
  readonly header: string;
}

type PlanLimits = Record<RateClass, ClassLimits>;

/** The limits that apply to one holder of a key. */
type HolderLimits = Record<RateClass, { readonly header: string; readonly buckets: readonly Bucket[] }>;

/** The existing plans, and which organization has which. */
export interface Plans {
  readonly plans: ReadonlyMap<string, Plan>;
  readonly assignments: ReadonlyMap<number, string>;
}

/** Rate limits of a key, an organization, or an address without a key. Needs no message and no promise. */
@Injectable()
export class RateLimits {
  private standard = limitsOf(standardPlan);
  private readonly byOrganization = new Map<number, PlanLimits>();
  private byHolder = new WeakMap<Principal, HolderLimits>();
  private inForce: Plans = { plans: new Map(), assignments: new Map() };
  private readonly public = limitOf(publicQuota);
  private readonly publicHeader = policyText('address', publicQuota);

  constructor(
    readonly quotas: Quotas,
    plans: Plans,
  ) {
    this.replace(plans);
  }

  /** The plans in force. */
  get plans(): Plans {
    return this.inForce;
  }

  /** Applies other plans. What was taken under the old ones still counts. */
  replace(inForce: Plans): void {
    const { plans, assignments } = inForce;
    const limits = new Map([...plans].map(([name, plan]) => [name, limitsOf(plan)]));
    this.inForce = inForce;
    this.standard = limits.get('standard') ?? limitsOf(standardPlan);
    this.byHolder = new WeakMap();
    this.byOrganization.clear();
    for (const [orgId, name] of assignments) this.byOrganization.set(orgId, limits.get(name) ?? this.standard);
  }

  /** Takes one of this class from both the key and its organization, or from neither. */
  take(principal: Principal, rateClass: RateClass): Limited {
    const { header, buckets } = this.holderLimits(principal)[rateClass];
    const [ofKey, ofOrganization] = this.quotas.take(buckets);
    const [key, organization] = buckets;
    if (!ofKey || !ofOrganization || !key || !organization) throw new TypeError('two limits have two answers');
    const isKeyNearer = ofKey.retryMs > ofOrganization.retryMs || ofKey.remaining <= ofOrganization.remaining;
    return isKeyNearer
      ? limited('key', ofKey, { policy: header, limit: key.policy.limit })
      : limited('organization', ofOrganization, { policy: header, limit: organization.policy.limit });
  }

  /** The same for clients without a key. */
  takePublic(address: string): Limited {
    const [taken] = this.quotas.take([{ name: `address ${address}`, policy: this.public.policy }]);
    if (!taken) throw new TypeError('one limit has one answer');
    return limited('address', taken, { policy: this.publicHeader, limit: publicQuota.limit });
  }

  /** Bucket names are built once per holder: building and hashing them costs more than counting under them. */
  private holderLimits(principal: Principal): HolderLimits {
    const known = this.byHolder.get(principal);
    if (known) return known;
    const limits = holderLimitsOf(principal, this.byOrganization.get(principal.orgId) ?? this.standard);
    this.byHolder.set(principal, limits);
    return limits;
  }
}

function limited(holder: LimitHolder, taken: Taken, { policy, limit }: Pick<Limited, 'policy' | 'limit'>): Limited {
  const { isGranted, resetMs, retryMs } = taken;
  const remaining = isGranted ? taken.remaining : 0;
  const resetSeconds = Math.ceil((isGranted ? resetMs : retryMs) / 1_000);
  const state = `"${holder}";r=${remaining};t=${resetSeconds}`;
  return { isGranted, retrySeconds: Math.ceil(retryMs / 1_000), policy, state, limit, remaining, resetSeconds, holder };
}

function limitsOf({ key, organization }: Plan): PlanLimits {
  return byClass((name) => {
    const header = `${policyText('key', key[name])}, ${policyText('organization', organization[name])}`;
    return { key: limitOf(key[name]), organization: limitOf(organization[name]), header };
  });
}

function holderLimitsOf({ keyId, orgId }: Principal, limits: PlanLimits): HolderLimits {
  return byClass((rateClass) => {
    const { header, key, organization } = limits[rateClass];
    const ofKey = { name: `key ${keyId} ${rateClass}`, policy: key.policy };
    const ofOrganization = { name: `organization ${orgId} ${rateClass}`, policy: organization.policy };
    return { header, buckets: [ofKey, ofOrganization] };
  });
}

function byClass<Value>(valueOf: (rateClass: RateClass) => Value): Record<RateClass, Value> {
  return {
    read: valueOf('read'),
    write: valueOf('write'),
    chat: valueOf('chat'),
    speech: valueOf('speech'),
    upload: valueOf('upload'),
    'ws-connect': valueOf('ws-connect'),
  };
}

function limitOf(quota: Quota): Limit {
  return { quota, policy: { limit: quota.limit, intervalMs: (quota.windowSeconds * 1_000) / quota.limit } };
}

function policyText(name: string, { limit, windowSeconds }: Quota): string {
  return `"${name}";q=${limit};w=${windowSeconds}`;
}

/** What stays open: a WebSocket, a stream that ends when its reader leaves, and a request that may take minutes. */
export type OpenKind = 'socket' | 'stream' | 'request';

const words: Readonly<Record<OpenKind, string>> = { socket: 'sockets', stream: 'live streams', request: 'long requests' };

const places = (given: number, description: string) =>
  integer({ min: 1, max: 100_000 })
    .default(given)
    .meta({ description, example: String(given) });

/** What an operator can set about open sockets, streams and long requests. */
export const concurrencyVariables = {
  SOCKETS_PER_KEY: places(200, 'WebSockets of one key on one gateway; for a widget without token, of one visitor’s address.'),
  SOCKETS_PER_ORGANIZATION: places(1_000, 'WebSockets of one organization on one gateway.'),
  SOCKETS_PER_ADDRESS: places(1_000, 'WebSockets from one address (or IPv6 /64) on one gateway.'),
  LIVE_STREAMS_PER_KEY: places(
    10,
    'The maximum number of simultaneous streams of live counts of one key on one gateway; one more gets 429.',
  ),
  LIVE_STREAMS_PER_ORGANIZATION: places(200, 'The same for one organization.'),
  LIVE_STREAMS_PER_ADDRESS: places(100, 'The same from one address (or IPv6 /64).'),
  LONG_REQUESTS_PER_KEY: places(
    200,
    'The maximum number of simultaneous long requests of one key on one gateway (a turn, sound, a file or an export, streamed or not); one more gets 429.',
  ),
  LONG_REQUESTS_PER_ORGANIZATION: places(500, 'The same for one organization.'),
  LONG_REQUESTS_PER_ADDRESS: places(500, 'The same from one address (or IPv6 /64).'),
};

/** The limits of one gateway. */
export type ConcurrencySettings = Readonly<Record<keyof typeof concurrencyVariables, number>>;

interface Limits {
  readonly key: number;
  readonly organization: number;
  readonly address: number;
}

/** When a place becomes free is unknown, so clients may retry soon. */
const retryAfterSeconds = 5;

/**
 * How many sockets, streams and long requests may be open at a time on this gateway, by key, organization and address. Rate
 * limits say how often one may begin; without this, those that never end would accumulate.
 */
export class ConcurrencyLimits {
  private readonly taken = new Map<string, number>();
  private readonly limits: Readonly<Record<OpenKind, Limits>>;

  constructor(settings: ConcurrencySettings) {
    const limitsOf = (name: 'SOCKETS' | 'LIVE_STREAMS' | 'LONG_REQUESTS'): Limits => ({
      key: settings[`${name}_PER_KEY`],
      organization: settings[`${name}_PER_ORGANIZATION`],
      address: settings[`${name}_PER_ADDRESS`],
    });
    this.limits = { socket: limitsOf('SOCKETS'), stream: limitsOf('LIVE_STREAMS'), request: limitsOf('LONG_REQUESTS') };
  }

  /**
   * Takes one place of the key, organization and address until the returned function is called; repeated calls do no harm. Throws
   * a Fault if one of them has none left.
   */
  take(held: OpenKind, { keyId, orgId }: Principal, address: string): () => void {
    const { key, organization, address: ofAddress } = this.limits[held];
    const places = [
      { name: `${held} key ${keyId}`, limit: key, of: 'A key' },
      { name: `${held} organization ${orgId}`, limit: organization, of: 'An organization' },
      { name: `${held} address ${normalizeIp(address)}`, limit: ofAddress, of: 'An address' },
    ];
    for (const { name, limit, of } of places) {
      if ((this.taken.get(name) ?? 0) < limit) continue;
      throw new Fault('RATE_LIMITED', {
        message: `${of} may hold ${limit} ${words[held]} open here at a time.`,
        retryAfterSeconds,
      });
    }
    for (const { name } of places) this.count(name, 1);
    return () => {
      for (const { name } of places.splice(0)) this.count(name, -1);
    };
  }

  private count(name: string, step: 1 | -1): void {
    const count = (this.taken.get(name) ?? 0) + step;
    if (count === 0) this.taken.delete(name);
    else this.taken.set(name, count);
  }
}

interface LimitSettings extends ConcurrencySettings {
  readonly RATE_LIMIT_PLANS: ReadonlyMap<string, Plan>;
  readonly ORGANIZATION_PLANS: ReadonlyMap<number, string>;
  readonly FAILED_KEYS_PER_MINUTE: number;
}

/** The limits of keys, organizations and addresses. */
@Module({})
export class RateLimitModule {
  static with(settings: LimitSettings): DynamicModule {
    const { RATE_LIMIT_PLANS: plans, ORGANIZATION_PLANS: assignments, FAILED_KEYS_PER_MINUTE } = settings;
    const quotas = new Quotas();
    const throttlers = [{ limit: publicQuota.limit, ttl: publicQuota.windowSeconds * 1_000 }];
    const storage = new QuotaStorage(quotas);
    return {
      module: RateLimitModule,
      global: true,
      imports: [ThrottlerModule.forRoot({ throttlers, storage, setHeaders: false })],
      controllers: [QuotaEventsController],
      providers: [
        { provide: Quotas, useValue: quotas },
        { provide: RateLimits, useValue: new RateLimits(quotas, { plans, assignments }) },
        { provide: ConcurrencyLimits, useValue: new ConcurrencyLimits(settings) },
        { provide: FailedKeys, useValue: new FailedKeys(quotas, FAILED_KEYS_PER_MINUTE) },
      ],
      exports: [FailedKeys, ConcurrencyLimits, RateLimits],
    };
  }
}

/** The package's own guard, for what the gateway serves besides its endpoints, which were counted at their admission. */
@Injectable()
export class AddressGuard extends ThrottlerGuard {
  override canActivate(context: ExecutionContext): Promise<boolean> {
    return context.getType() === 'ws' || endpointIn(context) ? Promise.resolve(true) : super.canActivate(context);
  }

  protected override throwThrottlingException(
    _context: ExecutionContext,
    { timeToBlockExpire }: { timeToBlockExpire: number },
  ): Promise<void> {
    return Promise.reject(tooMany({ holder: 'address', retrySeconds: timeToBlockExpire }));
  }
}
