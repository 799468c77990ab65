import { permissionAreas, permissionsIn, type Principal } from '@parley/contracts';

type Member = Omit<Principal, 'kind' | 'keyId'>;

/**
 * Whether a caller may hold a key of this member. Such a key acts as the member does, so nobody gets one for somebody who
 * may more than they do: that would be a way up.
 */
export function mayActFor(caller: Principal, member: Member): boolean {
  if (caller.kind === 'system' || (caller.memberId !== undefined && caller.memberId === member.memberId)) return true;
  if ((member.roleTypeId ?? 0) < (caller.roleTypeId ?? 0)) return false;
  return permissionAreas.every((area) => hasAllOf(caller, member, area)) && reachesAgentsOf(caller, member);
}

function hasAllOf(caller: Principal, member: Member, area: (typeof permissionAreas)[number]): boolean {
  const held = permissionsIn(area, caller);
  return permissionsIn(area, member).every((name) => held.includes(name));
}

/** Whether a caller who sees only some agents sees all that the member sees. */
function reachesAgentsOf(caller: Principal, member: Member): boolean {
  const { agentIds } = caller;
  return !agentIds || (member.agentIds?.every((id) => agentIds.includes(id)) ?? false);
}
