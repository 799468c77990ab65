import { createHash, randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { TenantScope } from '@parley/database';

/** Which call the media of a connection belongs to. */
export interface MediaTicket {
  readonly orgId: number;
  readonly callId: number;
  /** Present if the media is that of a transfer target. */
  readonly leg?: string;
}

/** Tokens that admit the media of a call, once and for a short time. Only their hashes are stored. */
@Injectable()
export class MediaTokens {
  constructor(private readonly tenants: TenantScope) {}

  /** A new token for a call, valid for this many seconds. */
  async issue({ orgId, callId, leg }: MediaTicket, seconds: number): Promise<string> {
    // A UUID has 122 random bits, and AudioSocket transmits nothing else.
    const token = randomUUID();
    const text = `INSERT INTO media_tokens (hash, org_id, call_id, expires_at, leg)
      VALUES ($1, $2, $3, now() + $4 * interval '1 second', $5)`;
    const values = [hashOf(token), orgId, callId, seconds, leg ?? null];
    await this.tenants.once(orgId, { name: 'issue-media-token', text, values });
    return token;
  }

  /** What a token is for; undefined if it is unknown, expired or used. Its bearer still has to be authenticated. */
  find(token: string): Promise<MediaTicket | undefined> {
    return this.read(token, { name: 'find-media-token', text: `SELECT ${ticketColumns} FROM media_tokens WHERE hash = $1` });
  }

  /** The same, but uses up the token. */
  redeem(token: string): Promise<MediaTicket | undefined> {
    return this.read(token, {
      name: 'redeem-media-token',
      text: `DELETE FROM media_tokens WHERE hash = $1 RETURNING ${ticketColumns}`,
    });
  }

  private async read(token: string, query: { name: string; text: string }): Promise<MediaTicket | undefined> {
    const rows = await this.tenants.acrossTenantsOnce<{ org_id: number; call_id: number; leg: string | null; is_valid: boolean }>(
      'a media token is all that a carrier brings',
      { ...query, values: [hashOf(token)] },
    );
    const [row] = rows;
    if (!row?.is_valid) return undefined;
    return { orgId: row.org_id, callId: row.call_id, ...(row.leg && { leg: row.leg }) };
  }
}

const ticketColumns = 'org_id, call_id, leg, expires_at > now() AS is_valid';

function hashOf(token: string): string {
  return createHash('sha256').update(token).digest('base64url');
}
