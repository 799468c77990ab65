import { permissionAreas, permissionNames, type PermissionArea, type PermissionName, type Principal } from '@parley/contracts';

type Permitted = Partial<Record<PermissionArea, readonly PermissionName[]>>;

const everything: Permitted = Object.fromEntries(permissionAreas.map((area) => [area, permissionNames]));
const viewable = permissionAreas.filter((area) => area !== 'integrations' && area !== 'billing');
const edit: readonly PermissionName[] = ['CanView', 'CanAdd', 'CanUpdate'];
const view: readonly PermissionName[] = ['CanView'];

/** What a role may do in an area where its member has no entry of their own. */
const byRole: Record<number, Permitted> = {
  1: everything,
  2: { ...everything, billing: view },
  3: { agents: edit, knowledge: edit, contacts: edit, campaigns: edit, logs: view, dashboards: view },
  4: Object.fromEntries(viewable.map((area) => [area, view])),
};

/** What the holder of a workspace key may do in one area: their own entry if there is one, else their role's. */
export function permissionsIn(area: PermissionArea, principal: Principal): readonly PermissionName[] {
  return principal.permissions?.[area] ?? byRole[principal.roleTypeId ?? 0]?.[area] ?? [];
}
