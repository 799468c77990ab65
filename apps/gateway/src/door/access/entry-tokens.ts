import { createHash, randomBytes } from 'node:crypto';
import { isIP } from 'node:net';
import { Injectable } from '@nestjs/common';
import { Fault, Principal } from '@parley/contracts';
import { TenantScope } from '@parley/database';
import { z } from 'zod';

/** What a token allows: opening one socket, as this principal and into this conversation. */
export const EntryGrant = z.object({
  kind: z.enum(['session', 'widget']),
  principal: Principal,
  /** Which agent, if the principal may speak for more than one. */
  AgentKeyID: z.string().optional(),
  widgetKeyId: z.string().optional(),
  /** The only address it may be used from; if absent, any address that the principal's key allows. */
  address: z.string().optional(),
  sessionUUID: z.string().optional(),
  variables: z.record(z.string(), z.unknown()).optional(),
});
export type EntryGrant = z.output<typeof EntryGrant>;

/**
 * The result of presenting a token: admitted, or the reason for refusal, which sets the socket's close code (4409, 4401, 4403).
 */
export type Redeemed = { readonly entry: EntryGrant } | { readonly refused: 'used' | 'elsewhere' | 'unknown' };

// A key bound to addresses issues no token that works from elsewhere. $3 is null for an invalid address.
const opensFromAddress = `
  CASE WHEN t.entry->>'address' IS NOT NULL THEN coalesce((t.entry->>'address')::inet = $3::inet, false)
  ELSE NOT EXISTS (
    SELECT FROM integration_keys k WHERE k.key_id::text = t.entry->'principal'->>'keyId' AND cardinality(k.allowed_ips) > 0
      AND NOT coalesce($3::inet <<= ANY (k.allowed_ips::inet[]), false)) END`;

const livesMs = 60_000;
const entryBytesMax = 16_384;
const prunedAtOnce = 1_000;
const prefixes = { session: 'sst_', widget: 'wgt_' };

/**
 * Tokens that open one socket, once, within a minute. Their hashes are in Postgres, so that every gateway knows which were used.
 */
@Injectable()
export class EntryTokens {
  constructor(private readonly tenants: TenantScope) {}

  async issue(entry: EntryGrant): Promise<{ token: string; expiresAt: string }> {
    const { address } = entry;
    const text = JSON.stringify({ ...entry, ...(address !== undefined && { address: addressOf(address) ?? address }) });
    if (Buffer.byteLength(text) > entryBytesMax) throw tooLong();
    const token = prefixes[entry.kind] + randomBytes(32).toString('base64url');
    const expiresAt = new Date(Date.now() + livesMs);
    await this.tenants.run(entry.principal.orgId, async (manager) => {
      const values = [hashOf(token), entry.principal.orgId, text, expiresAt];
      await manager.query('INSERT INTO entry_tokens (hash, org_id, entry, expires_at) VALUES ($1, $2, $3, $4)', values);
    });
    return { token, expiresAt: expiresAt.toISOString() };
  }

  /** Uses up a token. However many gateways are shown it at once, only one admits it; from a wrong address it stays valid. */
  redeem(token: string, kind: EntryGrant['kind'], from: string): Promise<Redeemed> {
    const values = [hashOf(token), kind, addressOf(from)];
    return this.tenants.acrossTenants('a token says nothing of its organization', async (manager) => {
      // When a key ends or a widget is closed, the tokens made with it end as well.
      const [taken]: [{ entry: unknown }[], number] = await manager.query(
        `UPDATE entry_tokens t SET used_on = now()
         WHERE hash = $1 AND used_on IS NULL AND expires_at > now() AND entry->>'kind' = $2 AND NOT EXISTS (
           SELECT FROM integration_keys k WHERE k.key_id::text = t.entry->'principal'->>'keyId'
             AND (k.revoked_on IS NOT NULL OR k.expires_at <= now()))
           AND (entry->>'widgetKeyId' IS NULL OR EXISTS (
             SELECT FROM widgets w WHERE w.key_id::text = t.entry->>'widgetKeyId' AND w.is_active))
           AND ${opensFromAddress}
         RETURNING entry`,
        values,
      );
      if (taken[0]) return { entry: EntryGrant.parse(taken[0].entry) };
      const [found]: { isUsed: boolean; isElsewhere: boolean }[] = await manager.query(
        `SELECT used_on IS NOT NULL AS "isUsed",
           entry->>'kind' = $2 AND expires_at > now() AND NOT ${opensFromAddress} AS "isElsewhere"
         FROM entry_tokens t WHERE hash = $1`,
        values,
      );
      if (found?.isUsed) return { refused: 'used' };
      return { refused: found?.isElsewhere ? 'elsewhere' : 'unknown' };
    });
  }

  /** Deletes tokens that expired over an hour ago. */
  async prune(): Promise<void> {
    await this.tenants.acrossTenants('tokens of all organizations grow old', (manager) =>
      manager.query(
        `DELETE FROM entry_tokens WHERE hash = ANY (ARRAY(
           SELECT hash FROM entry_tokens WHERE expires_at < now() - interval '1 hour' LIMIT $1))`,
        [prunedAtOnce],
      ),
    );
  }
}

function hashOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

/** An address as Postgres compares it: an IPv4 address mapped into IPv6 counts as IPv4. */
function addressOf(address: string): string | null {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '');
  return isIP(plain) === 0 ? null : plain;
}

function tooLong(): Fault {
  const details = [{ field: 'variables', message: `must be at most ${entryBytesMax} bytes as JSON` }];
  return new Fault('VALIDATION_FAILED', { message: 'variables are too long', details });
}

interface AddressSettings {
  readonly PUBLIC_URL?: string | undefined;
  readonly PORT: number;
}

/** The base address of the sockets for browsers: `wss://voice.example`. */
export const socketAddress = Symbol('where browsers find the sockets');

/** That address, as configured. */
export function socketAddressOf({ PUBLIC_URL, PORT }: AddressSettings): string {
  return (PUBLIC_URL ?? `http://127.0.0.1:${PORT}`).replace(/^http/, 'ws').replace(/\/+$/, '');
}
