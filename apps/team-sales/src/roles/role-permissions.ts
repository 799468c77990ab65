import { type PermissionArea, permissionAreas, type PermissionName, permissionNames, type Permissions } from '@parley/contracts';

/** The role that all rights start from. */
export const ownerRole = 1;

/** The role that may do nearly everything, for others too. */
export const adminRole = 2;

const everything: readonly PermissionName[] = permissionNames;
const view: readonly PermissionName[] = ['CanView'];
const edit: readonly PermissionName[] = ['CanView', 'CanAdd', 'CanUpdate'];
const editedByMembers: readonly PermissionArea[] = ['agents', 'knowledge', 'contacts', 'campaigns'];
const viewedByMembers: readonly PermissionArea[] = ['logs', 'dashboards'];
const hiddenFromViewers: readonly PermissionArea[] = ['integrations', 'billing'];

/** What a role may do in an area when nothing else was said about the member. */
function defaultIn(area: PermissionArea, roleTypeId: number): readonly PermissionName[] {
  switch (roleTypeId) {
    case ownerRole:
      return everything;
    case adminRole:
      return area === 'billing' ? view : everything;
    case 3:
      if (editedByMembers.includes(area)) return edit;
      return viewedByMembers.includes(area) ? view : [];
    case 4:
      return hiddenFromViewers.includes(area) ? [] : view;
    default:
      return [];
  }
}

/** What a member may do: the role's default, replaced in every area that the member has an entry for. */
export function effectivePermissions(roleTypeId: number, explicit: Permissions): Permissions {
  const entries = permissionAreas.map((area) => [area, [...(explicit[area] ?? defaultIn(area, roleTypeId))]] as const);
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
