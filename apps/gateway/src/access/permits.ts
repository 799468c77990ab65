import { type KeyKind, type Need, permissionAreas, permissionNames, permissionsIn, type Principal } from '@parley/contracts';
import { neededPermissions } from '../routes/needs';
import type { ChargedAccess } from '../routes/route';

export type Verdict = { readonly granted: true } | { readonly granted: false; readonly reason: string };

const granted: Verdict = { granted: true };
const kindNames: Record<KeyKind, string> = { agt: 'an agent key', ext: 'a speech key', wsk: 'a workspace key' };

/** Whether a key's holder may make this call. Looks at nothing but its arguments; the reason may be shown to the caller. */
export function permits(principal: Principal, access: ChargedAccess, body: unknown): Verdict {
  if (access.keys === 'public' || principal.kind === 'system') return granted;
  const kinds: readonly KeyKind[] = access.keys;
  if (!kinds.includes(principal.kind)) return refused(`This route takes ${kinds.map((kind) => kindNames[kind]).join(' or ')}.`);
  if (principal.kind === 'wsk') return workspaceVerdict(principal, access, body);
  const agentId = fieldOf(body, 'AgentID');
  if (principal.kind === 'agt' && agentId !== undefined && Number(agentId) !== principal.agentId) {
    return refused('This agent key belongs to another agent.');
  }
  return granted;
}

function workspaceVerdict(principal: Principal, access: ChargedAccess, body: unknown): Verdict {
  const missing = neededPermissions(access, body).find((need) => !holds(principal, need));
  if (missing) return refused(`This needs the permission ${missing}.`);
  if (access.charges?.includes('TTT_API') && typeof fieldOf(body, 'AgentKeyID') !== 'string') {
    return refused('A workspace key must name the agent: send its AgentKeyID, with a form in the query.');
  }
  const agentId = fieldOf(body, 'AgentID');
  if (principal.agentIds && agentId !== undefined && !principal.agentIds.includes(Number(agentId))) {
    return refused('This member has no access to that agent.');
  }
  return granted;
}

function holds(principal: Principal, need: Need): boolean {
  const area = permissionAreas.find((known) => need.startsWith(`${known}.`));
  const name = permissionNames.find((known) => need.endsWith(`.${known}`));
  return area !== undefined && name !== undefined && permissionsIn(area, principal).includes(name);
}

function refused(reason: string): Verdict {
  return { granted: false, reason };
}

function fieldOf(body: unknown, name: string): unknown {
  return typeof body === 'object' && body !== null && Object.hasOwn(body, name) ? Reflect.get(body, name) : undefined;
}
