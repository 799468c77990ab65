import type { IntegrationKey } from '@parley/contracts';
import type { z } from 'zod';
import type { IntegrationKeyRow } from './integration-key.entity';
import { keyPrefixes } from './key-text';

type Wire = z.input<typeof IntegrationKey>;

/** What a key's row says about it at a moment. A key that ran out is EXPIRED, however it came to an end date. */
export function statusOf({ revokedOn, expiresAt, rotatedOn }: IntegrationKeyRow, nowMs = Date.now()): Wire['status'] {
  if (revokedOn) return 'REVOKED';
  if (expiresAt && expiresAt.getTime() <= nowMs) return 'EXPIRED';
  return rotatedOn ? 'ROTATED' : 'ACTIVE';
}

/** A row as clients see it. */
export function listed(row: IntegrationKeyRow): Wire {
  return {
    IntegrationKeyID: row.keyId,
    IntegrationID: row.id,
    name: row.name,
    kind: row.kind,
    prefix: keyPrefixes[row.kind],
    lastFour: row.lastFour,
    AgentKeyID: row.agentKeyId,
    AgentID: row.agentId,
    memberAdminID: row.memberId,
    allowedIps: row.allowedIps,
    status: statusOf(row),
    expiresAt: row.expiresAt?.toISOString() ?? null,
    lastUsedOn: row.lastUsedOn?.toISOString() ?? null,
    CreatedOn: row.createdOn.toISOString(),
  };
}
