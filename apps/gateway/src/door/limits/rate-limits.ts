import { type DynamicModule, type ExecutionContext, Injectable, Module } from '@nestjs/common';
import { normalizeIp, ThrottlerGuard, ThrottlerModule } from '@nestjs/throttler';
import { Fault, type Principal } from '@parley/contracts';
import { endpointIn } from '../../endpoint/endpoint';
import { type Plan, publicQuota, type Quota, type RateClass, standardPlan } from './plans';
import { HeldPlaces, type HeldSettings } from './open-connections';
import { QuotaEventsController } from './quota-events.controller';
import { type Bucket, Quotas, QuotaStorage, type Taken } from './quotas';

/** The decision of the limits on a request, and the headers of its answer. */
export interface Limited {
  readonly isGranted: boolean;
  readonly retrySeconds: number;
  /** The value of the header `RateLimit-Policy`. */
  readonly policy: string;
  /** The value of the header `RateLimit`: the limit that is nearest to its end. */
  readonly state: string;
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

/** The limits that one holder of a key has to pass. */
type HolderLimits = Record<RateClass, { readonly header: string; readonly buckets: readonly Bucket[] }>;

/** Which plans there are, and who has which. */
export interface Plans {
  readonly plans: ReadonlyMap<string, Plan>;
  readonly assignments: ReadonlyMap<number, string>;
}

/** Rate limits of a key, an organization, or an address without a key. Costs no message and no promise. */
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

  /** The plans that are in force. */
  get plans(): Plans {
    return this.inForce;
  }

  /** Applies other plans. What was taken under the former ones still counts. */
  replace(inForce: Plans): void {
    const { plans, assignments } = inForce;
    const limits = new Map([...plans].map(([name, plan]) => [name, limitsOf(plan)]));
    this.inForce = inForce;
    this.standard = limits.get('standard') ?? limitsOf(standardPlan);
    this.byHolder = new WeakMap();
    this.byOrganization.clear();
    for (const [orgId, name] of assignments) this.byOrganization.set(orgId, limits.get(name) ?? this.standard);
  }

  /** Takes one of this class from the key and from its organization, or from neither. */
  take(principal: Principal, rateClass: RateClass): Limited {
    const { header, buckets } = this.holderLimits(principal)[rateClass];
    const [ofKey, ofOrganization] = this.quotas.take(buckets);
    if (!ofKey || !ofOrganization) throw new TypeError('two limits have two answers');
    const isKeyNearer = ofKey.retryMs > ofOrganization.retryMs || ofKey.remaining <= ofOrganization.remaining;
    return isKeyNearer ? limited('key', ofKey, header) : limited('organization', ofOrganization, header);
  }

  /** The same for clients without a key. */
  takePublic(address: string): Limited {
    const [taken] = this.quotas.take([{ name: `address ${address}`, policy: this.public.policy }]);
    if (!taken) throw new TypeError('one limit has one answer');
    return limited('address', taken, this.publicHeader);
  }

  /** Names are made once for a holder: making and hashing them costs more than counting under them. */
  private holderLimits(principal: Principal): HolderLimits {
    const known = this.byHolder.get(principal);
    if (known) return known;
    const limits = holderLimitsOf(principal, this.byOrganization.get(principal.orgId) ?? this.standard);
    this.byHolder.set(principal, limits);
    return limits;
  }
}

function limited(name: string, { isGranted, remaining, resetMs, retryMs }: Taken, policy: string): Limited {
  const state = `"${name}";r=${isGranted ? remaining : 0};t=${Math.ceil((isGranted ? resetMs : retryMs) / 1_000)}`;
  return { isGranted, retrySeconds: Math.ceil(retryMs / 1_000), policy, state };
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

/** Look-ups in progress at a time for addresses that tried too many wrong credentials. */
const slowAtOnce = 2;
/** More of them than this do not wait. */
const slowWaitingMax = 1_000;

/**
 * How many wrong credentials one address may try. Only look-ups that fail are counted, and only they are refused: others
 * behind the same address, with a key or a widget that is good, come in. Beyond the limit look-ups of an address wait for
 * each other, so that guessing cannot occupy the database.
 */
@Injectable()
export class FailedKeys {
  private readonly policy: Bucket['policy'];
  private readonly waiting: (() => void)[] = [];
  private slow = 0;

  constructor(
    private readonly quotas: Quotas,
    perMinute: number,
  ) {
    this.policy = { limit: perMinute, intervalMs: 60_000 / perMinute };
  }

  /** What `find` finds for a credential that came from this address. Finding nothing counts. */
  async lookUp<Found>(address: string, find: () => Promise<Found | undefined>): Promise<Found | undefined> {
    const found = this.quotas.hasLeft(this.bucketOf(address)).isGranted ? await find() : await this.inTurn(find);
    if (found === undefined) this.note(address);
    return found;
  }

  /** Counts a wrong credential; returns a Fault once there were too many. */
  note(address: string): void {
    const [taken] = this.quotas.take([this.bucketOf(address)]);
    if (taken?.isGranted !== false) return;
    const retryAfterSeconds = Math.ceil(taken.retryMs / 1_000);
    throw new Fault('RATE_LIMITED', { message: 'Too many wrong keys from this address.', retryAfterSeconds });
  }

  private async inTurn<Found>(find: () => Promise<Found>): Promise<Found> {
    if (this.waiting.length >= slowWaitingMax) throw new Fault('RATE_LIMITED', { retryAfterSeconds: 1 });
    if (this.slow >= slowAtOnce) await new Promise<void>((resolve) => this.waiting.push(resolve));
    else this.slow += 1;
    try {
      return await find();
    } finally {
      // The longest waiting request takes over this place.
      const next = this.waiting.shift();
      if (next) next();
      else this.slow -= 1;
    }
  }

  private bucketOf(address: string): Bucket {
    return { name: `wrong keys ${normalizeIp(address)}`, policy: this.policy };
  }
}

interface LimitSettings extends HeldSettings {
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
        { provide: HeldPlaces, useValue: new HeldPlaces(settings) },
        { provide: FailedKeys, useValue: new FailedKeys(quotas, FAILED_KEYS_PER_MINUTE) },
      ],
      exports: [FailedKeys, HeldPlaces, RateLimits],
    };
  }
}

/** The package's own guard, for what the gateway serves beside its endpoints. Those were counted at their admission. */
@Injectable()
export class AddressGuard extends ThrottlerGuard {
  override canActivate(context: ExecutionContext): Promise<boolean> {
    return context.getType() === 'ws' || endpointIn(context) ? Promise.resolve(true) : super.canActivate(context);
  }

  protected override throwThrottlingException(
    _context: ExecutionContext,
    { timeToBlockExpire }: { timeToBlockExpire: number },
  ): Promise<void> {
    return Promise.reject(new Fault('RATE_LIMITED', { retryAfterSeconds: timeToBlockExpire }));
  }
}
