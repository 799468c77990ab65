import { Injectable } from '@nestjs/common';
import type { Principal } from '@parley/contracts';
import { type Plan, publicQuota, type Quota, standardPlan } from './plans';
import { type Bucket, Quotas } from './quotas';
import type { RateClass } from './rate-class';
import type { Taken } from './shared-quota';

/** What the limits say to one request, and what its answer tells of them. */
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

/** How fast a key, an organization, or somebody without a key may go. Costs no message and no promise. */
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

  /** Other plans from here on. What was taken under the former ones stays taken. */
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

  /** The same for somebody without a key. */
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
