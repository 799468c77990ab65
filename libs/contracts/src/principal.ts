import { z } from 'zod';

export const keyKinds = ['agt', 'ext', 'wsk'] as const;
export type KeyKind = (typeof keyKinds)[number];

export const roles = { 1: 'Owner', 2: 'Admin', 3: 'Member', 4: 'Viewer' } as const;

export const permissionAreas = [
  'team',
  'agents',
  'knowledge',
  'contacts',
  'campaigns',
  'logs',
  'dashboards',
  'integrations',
  'billing',
  'mobileCalling',
  'mobileSales',
] as const;
export type PermissionArea = (typeof permissionAreas)[number];

export const permissionNames = ['CanView', 'CanAdd', 'CanUpdate', 'CanDelete'] as const;
type PermissionName = (typeof permissionNames)[number];
export type Need = `${PermissionArea}.${PermissionName}`;

const rights = z.array(z.enum(permissionNames)).meta({ description: 'The rights in this area.' });
export const Permissions = z.partialRecord(z.enum(permissionAreas), rights);
export type Permissions = z.output<typeof Permissions>;

/** Who is asking: the owner of a key, and what that key may do. Sent in a header of every message. */
export const Principal = z.object({
  kind: z.enum([...keyKinds, 'system']),
  keyId: z.string(),
  orgId: z.int(),
  /** The agent that an `agt_` key speaks for. */
  agentId: z.int().optional(),
  userId: z.int().optional(),
  memberId: z.string().optional(),
  roleTypeId: z.int().min(1).max(4).optional(),
  permissions: Permissions.optional(),
  /** The device that a mobile member is bound to, as a `deviceHash`: requests from any other are refused. */
  device: z.string().optional(),
  /** A mobile member without a device: the first one named in their requests is bound to them. */
  awaitsDevice: z.literal(true).optional(),
  /** The key expires or is restricted to certain addresses: nothing created with it may outlast or exceed that. */
  isBounded: z.literal(true).optional(),
  /** Absent: every agent of the organization. */
  agentIds: z.array(z.int()).optional(),
});
export type Principal = z.output<typeof Principal>;

/** The principal under which the bridge makes requests for a call. */
export function telephoneCallOf(orgId: number): Principal {
  return { kind: 'system', keyId: 'telephony-bridge', orgId };
}

/**
 * Whether a request is part of a telephone call. The bridge starts no call with a deleted agent, but a call in progress continues
 * with it.
 */
export function isTelephoneCall(principal: Principal | undefined): boolean {
  return principal?.kind === 'system' && principal.keyId === 'telephony-bridge';
}

type Permitted = Partial<Record<PermissionArea, readonly PermissionName[]>>;

/** The role that all rights originate from. */
export const ownerRole = 1;

/** The role that may do almost everything, also on behalf of others. */
export const adminRole = 2;

const everything: Permitted = Object.fromEntries(permissionAreas.map((area) => [area, permissionNames]));
const viewable = permissionAreas.filter((area) => area !== 'integrations' && area !== 'billing');
const edit: readonly PermissionName[] = ['CanView', 'CanAdd', 'CanUpdate'];
const view: readonly PermissionName[] = ['CanView'];

/** A role's permissions in an area for which its member has no entry. */
const byRole: Record<number, Permitted> = {
  [ownerRole]: everything,
  [adminRole]: { ...everything, billing: view },
  3: { agents: edit, knowledge: edit, contacts: edit, campaigns: edit, logs: view, dashboards: view },
  4: Object.fromEntries(viewable.map((area) => [area, view])),
};

/** What the holder of a workspace key may do in one area: by the member's own entry if there is one, otherwise by the role. */
export function permissionsIn(
  area: PermissionArea,
  { permissions, roleTypeId = 0 }: Pick<Principal, 'permissions' | 'roleTypeId'>,
): readonly PermissionName[] {
  return permissions?.[area] ?? byRole[roleTypeId]?.[area] ?? [];
}

/** Whether the holder of a workspace key may do this. */
export function isPermitted(principal: Pick<Principal, 'permissions' | 'roleTypeId'>, need: Need): boolean {
  const area = permissionAreas.find((known) => need.startsWith(`${known}.`));
  const name = permissionNames.find((known) => need.endsWith(`.${known}`));
  return area !== undefined && name !== undefined && permissionsIn(area, principal).includes(name);
}

/** A member's effective permissions by area; areas without any are left out. */
export function effectivePermissions(roleTypeId: number, explicit: Permissions): Permissions {
  const entries = permissionAreas.map((area) => [area, [...permissionsIn(area, { permissions: explicit, roleTypeId })]] as const);
  return Object.fromEntries(entries.filter(([, names]) => names.length > 0));
}

/** The first right in `wanted` that is missing from `held`, as `area.Name`. */
export function firstMissing(wanted: Permissions, held: Permissions): string | undefined {
  for (const area of permissionAreas) {
    const name = wanted[area]?.find((each) => !held[area]?.includes(each));
    if (name) return `${area}.${name}`;
  }
  return undefined;
}
