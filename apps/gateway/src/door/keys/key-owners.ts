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
import type { z } from 'zod';
import type { IntegrationKeyRow } from './integration-key.entity';
import { OpenConnections } from './open-connections';

type Member = Omit<Principal, 'kind' | 'keyId'>;

type Wanted = Pick<z.output<(typeof createKey)['request']>, 'kind' | 'AgentKeyID' | 'memberAdminID'>;
/** Whom a key speaks for, as its row says it. */
type Owner = Pick<IntegrationKeyRow, 'agentKeyId' | 'agentId' | 'memberId'>;

const nobody: Owner = { agentKeyId: null, agentId: null, memberId: null };

/** Finds whom a key is to speak for, and refuses a caller who may not hold such a key. */
@Injectable()
export class KeyOwners {
  constructor(private readonly bus: ServiceBus) {}

  async ownerOf({ kind, AgentKeyID, memberAdminID }: Wanted, caller: Principal): Promise<Owner> {
    if (kind === 'ext') return nobody;
    if (kind === 'wsk') return this.memberOwner(memberAdminID ?? caller.memberId, caller);
    const { AgentID, AgentKeyID: agentKeyId } = await this.bus.ask(readAgentRuntime, { AgentKeyID: AgentKeyID ?? '' });
    const owner = { ...nobody, agentKeyId, agentId: AgentID };
    await this.requireHold(owner, caller);
    return owner;
  }

  /** Refuses a caller who may not hold, replace or end a key of this owner. */
  async requireHold({ agentId, memberId }: Owner, caller: Principal): Promise<void> {
    if (agentId !== null && caller.agentIds && !caller.agentIds.includes(agentId)) {
      throw new Fault('SCOPE_MISSING', { message: 'This member has no access to that agent.' });
    }
    if (memberId === null || memberId === caller.memberId) return;
    const member = await this.bus.ask(readMemberPrincipal, { orgId: caller.orgId, memberId });
    if (!mayActFor(caller, member)) throw new Fault('SCOPE_MISSING', { message: 'That member may more than you do.' });
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
 * Whether a caller may hold a key of this member. Such a key acts as the member does, so nobody gets one for somebody who
 * may more than they do: that would be a way up.
 */
function mayActFor(caller: Principal, member: Member): boolean {
  if (caller.kind === 'system' || (caller.memberId !== undefined && caller.memberId === member.memberId)) return true;
  return mayAllOf(caller, member);
}

type Rights = Pick<Principal, 'roleTypeId' | 'permissions' | 'agentIds'>;

/** Whether somebody may do everything that another may. */
function mayAllOf(holder: Rights, other: Rights): boolean {
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

/** Ends what a member has open here once the member may less than when it was opened. */
@Injectable()
export class MemberRights {
  constructor(
    private readonly connections: OpenConnections,
    private readonly tenants: TenantScope,
    private readonly bus: ServiceBus,
    private readonly log: Logger,
  ) {}

  /** Looks at the open connections of a member whose rights may have changed. Tokens carry the rights of their moment: they go. */
  async lookAgain(memberId: string, orgId: number): Promise<void> {
    await this.forgetTokens(memberId, orgId);
    if (!this.connections.credentials.some(({ principal }) => principal.memberId === memberId)) return;
    const now = await this.rightsOf(memberId, orgId);
    const hasLost = ({ principal }: { principal: Principal }) =>
      principal.memberId === memberId && !(now && mayAllOf(now, principal));
    this.connections.end(hasLost, 'the member may not do this any more');
  }

  private forgetTokens(memberId: string, orgId: number): Promise<void> {
    return this.tenants.run(orgId, async (manager) => {
      const unused = `DELETE FROM entry_tokens WHERE org_id = $1 AND used_on IS NULL AND entry->'principal'->>'memberId' = $2`;
      await manager.query(unused, [orgId, memberId]);
    });
  }

  /** Nothing for a member who is gone, and for one whose rights nobody tells: what is open may be opened again. */
  private async rightsOf(memberId: string, orgId: number): Promise<Omit<Principal, 'kind' | 'keyId'> | undefined> {
    const principal: Principal = { kind: 'system', keyId: 'gateway', orgId };
    try {
      return await this.bus.ask(readMemberPrincipal, { orgId, memberId }, { principal });
    } catch (error) {
      const isGone = error instanceof Fault && error.code === 'NOT_FOUND';
      if (!isGone) this.log.warn('The rights of a member could not be read again', { error });
      return undefined;
    }
  }
}
