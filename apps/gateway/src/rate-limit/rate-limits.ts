import { Injectable } from '@nestjs/common';
import type { Principal } from '@parley/contracts';
import { type Plan, publicQuota, type Quota, standardPlan } from './plans';
import { type Bucket, Quotas } from './quotas';
import { type RateClass, rateClasses } from './rate-class';
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

/** Which plans there are, and who has which. */
export interface Plans {
  readonly plans: ReadonlyMap<string, Plan>;
  readonly assignments: ReadonlyMap<number, string>;
}

/** How fast a key, an organization, or somebody without a key may go. Costs no message and no promise. */
@Injectable()
export class RateLimits {
  private readonly standard: PlanLimits;
  private readonly byOrganization = new Map<number, PlanLimits>();
  private readonly public = limitOf(publicQuota);
  private readonly publicHeader = policyText('address', publicQuota);

  constructor(
    readonly quotas: Quotas,
    { plans, assignments }: Plans,
  ) {
    const limits = new Map([...plans].map(([name, plan]) => [name, limitsOf(plan)]));
    this.standard = limits.get('standard') ?? limitsOf(standardPlan);
    for (const [orgId, name] of assignments) this.byOrganization.set(orgId, limits.get(name) ?? this.standard);
  }

  /** Takes one of this class from the key and from its organization, or from neither. */
  take({ keyId, orgId }: Principal, rateClass: RateClass): Limited {
    const { key, organization, header } = (this.byOrganization.get(orgId) ?? this.standard)[rateClass];
    const [ofKey, ofOrganization] = this.quotas.take([
      { name: `key ${keyId} ${rateClass}`, policy: key.policy },
      { name: `organization ${orgId} ${rateClass}`, policy: organization.policy },
    ]);
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
}

function limited(name: string, { isGranted, remaining, resetMs, retryMs }: Taken, policy: string): Limited {
  const state = `"${name}";r=${isGranted ? remaining : 0};t=${Math.ceil((isGranted ? resetMs : retryMs) / 1_000)}`;
  return { isGranted, retrySeconds: Math.ceil(retryMs / 1_000), policy, state };
}

function limitsOf({ key, organization }: Plan): PlanLimits {
  const entries = rateClasses.map((name) => {
    const header = `${policyText('key', key[name])}, ${policyText('organization', organization[name])}`;
    return [name, { key: limitOf(key[name]), organization: limitOf(organization[name]), header }] as const;
  });
  const [read, write, chat, speech, upload, connect] = entries.map(([, limits]) => limits);
  if (!read || !write || !chat || !speech || !upload || !connect) throw new TypeError('a plan limits every class');
  return { read, write, chat, speech, upload, 'ws-connect': connect };
}

function limitOf(quota: Quota): Limit {
  return { quota, policy: { limit: quota.limit, intervalMs: (quota.windowSeconds * 1_000) / quota.limit } };
}

function policyText(name: string, { limit, windowSeconds }: Quota): string {
  return `"${name}";q=${limit};w=${windowSeconds}`;
}
