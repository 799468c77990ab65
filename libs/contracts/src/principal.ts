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
export type PermissionName = (typeof permissionNames)[number];
export type Need = `${PermissionArea}.${PermissionName}`;

export const Permissions = z.partialRecord(z.enum(permissionAreas), z.array(z.enum(permissionNames)));
export type Permissions = z.output<typeof Permissions>;

/** Who is asking: the owner of a key, with what that key may do. Travels in a header of every message. */
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
  /** The device that a member of the mobile app is bound to, as `deviceHash` tells it: their requests come from it or are refused. */
  device: z.string().optional(),
  /** The key ends, or works from some addresses alone: what it makes must not reach beyond it. */
  isBounded: z.literal(true).optional(),
  /** Absent: every agent of the organization. */
  agentIds: z.array(z.int()).optional(),
});
export type Principal = z.output<typeof Principal>;
