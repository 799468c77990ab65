import { Controller } from '@nestjs/common';
import {
  type BodyOf,
  effectivePermissions,
  Fault,
  firstMissing,
  listRoles,
  ownerRole,
  type PermissionArea,
  permissionAreas,
  permissionNames,
  type Permissions,
  type ReplyOf,
  roles,
} from '@parley/contracts';
import { Handles } from '@parley/messaging';

/** The roles, most powerful first. */
const everyRole = Object.entries(roles).map(([id, name]) => ({ roleTypeID: Number(id), name }));

const labels: Readonly<Record<'hi' | 'mr', Readonly<Record<number, string>>>> = {
  hi: { 1: 'स्वामी', 2: 'व्यवस्थापक', 3: 'सदस्य', 4: 'दर्शक' },
  mr: { 1: 'मालक', 2: 'प्रशासक', 3: 'सदस्य', 4: 'दर्शक' },
};

/** The rights of a membership. */
interface Rights {
  readonly roleTypeId: number;
  readonly permissions: Permissions;
  readonly agentAccessScope: 'ALL' | 'RESTRICTED';
  readonly agentIds: number[];
}

const nothing: Rights = { roleTypeId: Number.POSITIVE_INFINITY, permissions: {}, agentAccessScope: 'RESTRICTED', agentIds: [] };

/**
 * Members may grant only the rights that they have. Only what `after` adds to `before` counts, so that an Admin may change a
 * member's agents even though an Owner once gave that member more rights than the Admin has.
 */
export function refuseToGrant(giver: Rights, after: Rights, before: Rights = nothing): void {
  const reason = whyNotToGrant(giver, after, before);
  if (reason !== undefined) refuse(reason);
}

/** Why these rights may not be granted; undefined if they may. */
export function whyNotToGrant(giver: Rights, after: Rights, before: Rights = nothing): string | undefined {
  if (after.roleTypeId < giver.roleTypeId && after.roleTypeId < before.roleTypeId)
    return 'You may not give a role above your own.';
  const gained = gainedPermissions(before, after);
  const missing = firstMissing(gained, effectivePermissions(giver.roleTypeId, giver.permissions));
  if (missing) return `You may not give ${missing}, which you do not have.`;
  return givesForeignAgents(giver, after, before) ? 'You may not give access to agents that you cannot see.' : undefined;
}

/** Members may not change those with a higher role, nor those who see agents that they do not. */
export function refuseToTouch(actor: Rights, target: Rights): void {
  if (target.roleTypeId < actor.roleTypeId) refuse('You may not change or remove somebody whose role is above your own.');
  if (givesForeignAgents(actor, target, nothing))
    refuse('You may not change or remove somebody who sees agents that you cannot see.');
}

/** An Owner always has every permission: otherwise nobody might be left who can repair the organization. */
export function requireWholeOwner({ roleTypeId, permissions, agentAccessScope }: Rights): void {
  if (roleTypeId !== ownerRole) return;
  const narrowed = permissionAreas.find((area) => isNarrowed(permissions, area));
  const details = [
    ...(narrowed ? [{ field: `permissions.${narrowed}`, message: 'must not be narrower than all for an Owner' }] : []),
    ...(agentAccessScope === 'RESTRICTED' ? [{ field: 'agentAccessScope', message: 'must be ALL for an Owner' }] : []),
  ];
  if (details.length > 0)
    throw new Fault('VALIDATION_FAILED', { message: 'An Owner has every permission and every agent.', details });
}

function isNarrowed(permissions: Permissions, area: PermissionArea): boolean {
  const given = permissions[area];
  return given !== undefined && permissionNames.some((name) => !given.includes(name));
}

function gainedPermissions(before: Rights, after: Rights): Permissions {
  const had = effectivePermissions(before.roleTypeId, before.permissions);
  const has = effectivePermissions(after.roleTypeId, after.permissions);
  return Object.fromEntries(permissionAreas.map((area) => [area, has[area]?.filter((name) => !had[area]?.includes(name)) ?? []]));
}

function givesForeignAgents(giver: Rights, after: Rights, before: Rights): boolean {
  if (giver.agentAccessScope === 'ALL' || before.agentAccessScope === 'ALL') return false;
  if (after.agentAccessScope === 'ALL') return true;
  const known = new Set([...giver.agentIds, ...before.agentIds]);
  return after.agentIds.some((id) => !known.has(id));
}

function refuse(message: string): never {
  throw new Fault('SCOPE_MISSING', { message });
}

/** The roles for a form, in the reader's language. */
function rolesIn(language: 'en' | 'hi' | 'mr') {
  return everyRole.map(({ roleTypeID, name }) => ({
    roleTypeID,
    name,
    label: language === 'en' ? name : (labels[language][roleTypeID] ?? name),
  }));
}

/** The displayed name of a role. */
export function roleName(roleTypeId: number): string {
  return everyRole.find(({ roleTypeID }) => roleTypeID === roleTypeId)?.name ?? 'Unknown';
}

/** The roles for forms, over the bus. */
@Controller()
export class RolesController {
  @Handles(listRoles)
  list({ language }: BodyOf<typeof listRoles>): ReplyOf<typeof listRoles> {
    return rolesIn(language);
  }
}
