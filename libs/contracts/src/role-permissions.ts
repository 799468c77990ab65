import {
  type PermissionArea,
  permissionAreas,
  type PermissionName,
  permissionNames,
  type Permissions,
  type Principal,
} from './principal';

type Permitted = Partial<Record<PermissionArea, readonly PermissionName[]>>;

/** The role that all rights start from. */
export const ownerRole = 1;

/** The role that may do nearly everything, for others too. */
export const adminRole = 2;

const everything: Permitted = Object.fromEntries(permissionAreas.map((area) => [area, permissionNames]));
const viewable = permissionAreas.filter((area) => area !== 'integrations' && area !== 'billing');
const edit: readonly PermissionName[] = ['CanView', 'CanAdd', 'CanUpdate'];
const view: readonly PermissionName[] = ['CanView'];

/** What a role may do in an area where its member has no entry of their own. */
const byRole: Record<number, Permitted> = {
  [ownerRole]: everything,
  [adminRole]: { ...everything, billing: view },
  3: { agents: edit, knowledge: edit, contacts: edit, campaigns: edit, logs: view, dashboards: view },
  4: Object.fromEntries(viewable.map((area) => [area, view])),
};

/** What the holder of a workspace key may do in one area: their own entry if there is one, else their role's. */
export function permissionsIn(
  area: PermissionArea,
  { permissions, roleTypeId = 0 }: Pick<Principal, 'permissions' | 'roleTypeId'>,
): readonly PermissionName[] {
  return permissions?.[area] ?? byRole[roleTypeId]?.[area] ?? [];
}

/** What a member may do, area by area; areas in which they may nothing are left out. */
export function effectivePermissions(roleTypeId: number, explicit: Permissions): Permissions {
  const entries = permissionAreas.map((area) => [area, [...permissionsIn(area, { permissions: explicit, roleTypeId })]] as const);
  return Object.fromEntries(entries.filter(([, names]) => names.length > 0));
}

/** The first right of `wanted` that is missing in `held`, as `area.Name`. */
export function firstMissing(wanted: Permissions, held: Permissions): string | undefined {
  for (const area of permissionAreas) {
    const name = wanted[area]?.find((each) => !held[area]?.includes(each));
    if (name) return `${area}.${name}`;
  }
  return undefined;
}
