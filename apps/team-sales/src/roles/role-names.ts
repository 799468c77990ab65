import { roles } from '@parley/contracts';

/** The roles in the order of their power. */
export const everyRole = Object.entries(roles).map(([id, name]) => ({ roleTypeID: Number(id), name }));

/** What people call a role. */
export function roleName(roleTypeId: number): string {
  return everyRole.find(({ roleTypeID }) => roleTypeID === roleTypeId)?.name ?? 'Unknown';
}
