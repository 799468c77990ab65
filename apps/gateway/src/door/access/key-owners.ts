import { BlockList, isIPv6 } from 'node:net';
import { Injectable } from '@nestjs/common';
import {
  type createKey,
  Fault,
  permissionAreas,
  permissionsIn,
  type Principal,
  readAgentRuntime,
  readMemberPrincipal,
} from '@parley/contracts';
import { TenantScope } from '@parley/database';
import { ServiceBus } from '@parley/messaging';
import { Logger } from '@parley/service-kit';
import type { EntityManager } from 'typeorm';
import { z } from 'zod';
import { IntegrationKeyRow } from './integration-key';
import { notTheirAgent } from './permits';
import { type Credential, OpenConnections } from '../limits/open-connections';

type KeyOwner = Omit<Principal, 'kind' | 'keyId'>;

type KeyOwnerChoice = Pick<z.output<(typeof createKey)['request']>, 'kind' | 'AgentKeyID' | 'memberAdminID'>;
/** The owner of a key, as its row stores it. */
type Owner = Pick<IntegrationKeyRow, 'agentKeyId' | 'agentId' | 'memberId'>;

const nobody: Owner = { agentKeyId: null, agentId: null, memberId: null };

/** Finds the owner for a new key, and refuses a caller who may not hold that kind of key. */
@Injectable()
export class KeyOwners {
  constructor(private readonly bus: ServiceBus) {}

  async ownerOf({ kind, AgentKeyID, memberAdminID }: KeyOwnerChoice, caller: Principal): Promise<Owner> {
    if (kind === 'ext') {
      await this.requireHold(nobody, caller);
      return nobody;
    }
    if (kind === 'wsk') return this.memberOwner(memberAdminID ?? caller.memberId, caller);
    const { AgentID, AgentKeyID: agentKeyId } = await this.bus.ask(readAgentRuntime, { AgentKeyID: AgentKeyID ?? '' });
    const owner = { ...nobody, agentKeyId, agentId: AgentID };
    await this.requireHold(owner, caller);
    return owner;
  }

  /** Refuses a caller who may not hold, replace or end a key of this owner. */
  async requireHold({ agentId, memberId }: Owner, caller: Principal): Promise<void> {
    if (agentId !== null && caller.agentIds && !caller.agentIds.includes(agentId)) {
      throw new Fault('SCOPE_MISSING', { message: notTheirAgent });
    }
    if (agentId === null && memberId === null && caller.agentIds) {
      throw new Fault('SCOPE_MISSING', {
        message: 'A speech key covers the whole organization; this member may see only some agents.',
      });
    }
    if (memberId === null || memberId === caller.memberId) return;
    const member = await this.bus.ask(readMemberPrincipal, { orgId: caller.orgId, memberId });
    if (!mayActFor(caller, member)) throw new Fault('SCOPE_MISSING', { message: 'That member has more rights than you.' });
  }

  /** Whether a member may still hold the keys that they made for another member. */
  async mayHoldKeysOf({ orgId, madeBy, memberId }: { orgId: number; madeBy: string; memberId: string }): Promise<boolean> {
    const principal: Principal = { kind: 'system', keyId: 'gateway', orgId };
    const read = (id: string) => this.bus.ask(readMemberPrincipal, { orgId, memberId: id }, { principal });
    try {
      const [maker, member] = await Promise.all([read(madeBy), read(memberId)]);
      return includesRights(maker, member);
    } catch (error) {
      if (error instanceof Fault && error.code === 'NOT_FOUND') return false;
      throw error;
    }
  }

  private async memberOwner(memberId: string | null | undefined, caller: Principal): Promise<Owner> {
    if (!memberId) {
      const details = [{ field: 'memberAdminID', message: 'is required' }];
      throw new Fault('VALIDATION_FAILED', { message: 'memberAdminID is required', details });
    }
    const owner = { ...nobody, memberId };
    await this.requireHold(owner, caller);
    return owner;
  }
}

/**
 * Whether a caller may hold a key of this member. Such a key acts as the member, so a caller with fewer rights must not get it:
 * that would be privilege escalation.
 */
function mayActFor(caller: Principal, member: KeyOwner): boolean {
  if (caller.kind === 'system' || (caller.memberId !== undefined && caller.memberId === member.memberId)) return true;
  return includesRights(caller, member);
}

type Rights = Pick<Principal, 'roleTypeId' | 'permissions' | 'agentIds'>;

/** Whether one set of rights includes another. */
function includesRights(holder: Rights, other: Rights): boolean {
  if ((other.roleTypeId ?? 0) < (holder.roleTypeId ?? 0)) return false;
  return permissionAreas.every((area) => hasAllOf(holder, other, area)) && reachesAgentsOf(holder, other);
}

function hasAllOf(caller: Rights, member: Rights, area: (typeof permissionAreas)[number]): boolean {
  const held = permissionsIn(area, caller);
  return permissionsIn(area, member).every((name) => held.includes(name));
}

/** Whether a caller who sees only some agents sees all that the member sees. */
function reachesAgentsOf(caller: Rights, member: Rights): boolean {
  const { agentIds } = caller;
  return !agentIds || (member.agentIds?.every((id) => agentIds.includes(id)) ?? false);
}

/** Ends a member's open connections here once the member has fewer rights than when they were opened. */
@Injectable()
export class MemberRights {
  constructor(
    private readonly connections: OpenConnections,
    private readonly tenants: TenantScope,
    private readonly bus: ServiceBus,
    private readonly log: Logger,
  ) {}

  /** Looks at the open connections of a member whose rights may have changed. Tokens carry the rights of their moment: they go. */
  async recheck(memberId: string, orgId: number): Promise<void> {
    await this.forgetTokens(memberId, orgId);
    const held = this.connections.credentials.filter(({ principal }) => principal.memberId === memberId);
    if (held.length > 0) this.endBeyond(held, await this.changedRightsOf(memberId, orgId));
  }

  /**
   * Looks at the open connections of every member, for changes whose event was lost. While team-sales cannot be asked they stay
   * open: nothing says that they should not. Members are read one after another, since nobody waits for this.
   */
  async recheckAll(): Promise<void> {
    const failures: unknown[] = [];
    const byMember = Map.groupBy(this.connections.credentials, ({ principal: { orgId, memberId } }) => `${orgId} ${memberId}`);
    for (const held of byMember.values()) {
      const { orgId, memberId } = held[0]?.principal ?? {};
      if (orgId === undefined || memberId === undefined) continue;
      await this.rightsOf(memberId, orgId).then(
        (now) => this.endBeyond(held, now),
        (error: unknown) => failures.push(error),
      );
    }
    if (failures.length > 0) throw failures[0];
  }

  /** Judges only the connections that were open when the rights were asked for: a later one may have newer rights. */
  private endBeyond(held: readonly Credential[], now: Rights | undefined): void {
    const judged = new Set(held);
    const hasLost = (credential: Credential) => judged.has(credential) && !(now && includesRights(now, credential.principal));
    this.connections.end(hasLost, 'the member may not do this any more');
  }

  private forgetTokens(memberId: string, orgId: number): Promise<void> {
    return this.tenants.run(orgId, async (manager) => {
      const unused = `DELETE FROM entry_tokens WHERE org_id = $1 AND used_on IS NULL AND entry->'principal'->>'memberId' = $2`;
      await manager.query(unused, [orgId, memberId]);
    });
  }

  /** After a change, rights that cannot be read count as none: clients can reconnect. */
  private async changedRightsOf(memberId: string, orgId: number): Promise<Rights | undefined> {
    try {
      return await this.rightsOf(memberId, orgId);
    } catch (error) {
      this.log.warn('The rights of a member could not be read again', { error });
      return undefined;
    }
  }

  /** Undefined for a member who left. */
  private async rightsOf(memberId: string, orgId: number): Promise<Rights | undefined> {
    const principal: Principal = { kind: 'system', keyId: 'gateway', orgId };
    try {
      return await this.bus.ask(readMemberPrincipal, { orgId, memberId }, { principal });
    } catch (error) {
      if (error instanceof Fault && error.code === 'NOT_FOUND') return undefined;
      throw error;
    }
  }
}

/** When a key expires, and the addresses it may be used from. */
type KeyBounds = Pick<IntegrationKeyRow, 'expiresAt' | 'allowedIps'>;

/** Refuses a key that would outlive the caller's own, or be valid from an address where that one is not. */
export async function requireWithinOwn(manager: EntityManager, caller: Principal, wanted: KeyBounds): Promise<void> {
  const own = await ownKeyOf(manager, caller);
  if (own?.expiresAt && !(wanted.expiresAt && wanted.expiresAt <= own.expiresAt)) {
    throw beyond('expiresAt', `must be at or before ${own.expiresAt.toISOString()}, when the key that makes it ends`);
  }
  if (own && own.allowedIps.length > 0 && !isWithin(wanted.allowedIps, own.allowedIps)) {
    throw beyond('allowedIps', `must name addresses within ${own.allowedIps.join(', ')}, as the key that makes it does`);
  }
}

/** Refuses creating something unrestricted with a key that expires or is restricted to certain addresses. */
export async function requireUnbounded(manager: EntityManager, caller: Principal, what: string): Promise<void> {
  const own = await ownKeyOf(manager, caller);
  if (own?.expiresAt)
    throw new Fault('SCOPE_MISSING', {
      message: `${what} would outlive the key that creates it, which expires at ${own.expiresAt.toISOString()}.`,
    });
  if (own && own.allowedIps.length > 0)
    throw new Fault('SCOPE_MISSING', {
      message: `${what} would open from everywhere; the key that creates it works only from ${own.allowedIps.join(', ')}.`,
    });
}

/** Services and widget visitors have no row. */
function ownKeyOf(manager: EntityManager, { orgId, keyId }: Principal): Promise<IntegrationKeyRow | null> {
  return z.uuid().safeParse(keyId).success ? manager.findOneBy(IntegrationKeyRow, { orgId, keyId }) : Promise.resolve(null);
}

function beyond(field: string, message: string): Fault {
  return new Fault('SCOPE_MISSING', { message: `${field} ${message}`, details: [{ field, message }] });
}

function isWithin(wanted: readonly string[], own: readonly string[]): boolean {
  return wanted.length > 0 && wanted.every((range) => own.some((each) => covers(each, range)));
}

/** Whether one address range contains another. */
function covers(range: string, inner: string): boolean {
  const [address] = split(inner);
  return (
    bitsOf(range) <= bitsOf(inner) &&
    isIPv6(split(range)[0]) === isIPv6(address) &&
    allowList([range]).check(address, familyOf(address))
  );
}

function bitsOf(range: string): number {
  const [address, bits] = split(range);
  return bits ?? (isIPv6(address) ? 128 : 32);
}

/** The addresses and ranges of a key, to look an address up in. */
export function allowList(ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [address, bits] = split(range);
    if (bits === undefined) list.addAddress(address, familyOf(address));
    else list.addSubnet(address, bits, familyOf(address));
  }
  return list;
}

export function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIPv6(address) ? 'ipv6' : 'ipv4';
}

function split(range: string): [address: string, bits: number | undefined] {
  const [address = '', bits] = range.split('/');
  return [address, bits === undefined ? undefined : Number(bits)];
}
