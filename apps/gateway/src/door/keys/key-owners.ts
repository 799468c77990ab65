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
import { ServiceBus } from '@parley/messaging';
import type { z } from 'zod';
import type { IntegrationKeyRow } from './integration-key.entity';

type Member = Omit<Principal, 'kind' | 'keyId'>;

type Wanted = Pick<z.output<(typeof createKey)['request']>, 'kind' | 'AgentKeyID' | 'memberAdminID'>;
/** Whom a key speaks for, as its row says it. */
export type Owner = Pick<IntegrationKeyRow, 'agentKeyId' | 'agentId' | 'memberId'>;

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
export function mayAllOf(holder: Rights, other: Rights): boolean {
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
