import { Controller } from '@nestjs/common';
import { createKey, type IntegrationKey, listKeys, revokeKey, rotateKey } from '@parley/contracts';
import { type Call, Handles, type HandlerOf, organizationOf } from '@parley/messaging';
import type { z } from 'zod';
import { callerOf } from './principals';
import type { IntegrationKeyRow } from './integration-key.entity';
import { keyPrefixes } from './key-text';
import { type Issued, KeysService } from './keys.service';

type Wire = z.input<typeof IntegrationKey>;

type BodyOf<Contract extends Parameters<typeof Handles>[0]> = Parameters<HandlerOf<Contract>>[0];

/** Answers for API keys on the bus, to the gateway's own routes as to everybody else. */
@Controller()
export class KeysController {
  constructor(private readonly keys: KeysService) {}

  @Handles(createKey)
  async create(body: BodyOf<typeof createKey>, call: Call) {
    return shown(await this.keys.create(body, callerOf(call)));
  }

  @Handles(listKeys)
  async list(body: BodyOf<typeof listKeys>, call: Call) {
    const page = await this.keys.list(body, organizationOf(call));
    return { ...page, rows: page.rows.map(listed) };
  }

  @Handles(rotateKey)
  async rotate({ IntegrationKeyID, graceSeconds }: BodyOf<typeof rotateKey>, call: Call) {
    return shown(await this.keys.rotate(IntegrationKeyID, graceSeconds, callerOf(call)));
  }

  @Handles(revokeKey)
  async revoke({ IntegrationKeyID }: BodyOf<typeof revokeKey>, call: Call) {
    return listed(await this.keys.revoke(IntegrationKeyID, callerOf(call)));
  }
}

/** The one answer that carries the secret. */
function shown({ row, key }: Issued) {
  return { ...listed(row), key };
}

/** What a key's row says about it at a moment. A key that ran out is EXPIRED, however it came to an end date. */
function statusOf({ revokedOn, expiresAt, rotatedOn }: IntegrationKeyRow, nowMs = Date.now()): Wire['status'] {
  if (revokedOn) return 'REVOKED';
  if (expiresAt && expiresAt.getTime() <= nowMs) return 'EXPIRED';
  return rotatedOn ? 'ROTATED' : 'ACTIVE';
}

/** A row as clients see it. */
function listed(row: IntegrationKeyRow): Wire {
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
