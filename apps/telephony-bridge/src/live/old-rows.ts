import { Injectable } from '@nestjs/common';
import { TenantScope } from '@parley/database';

const sweptAtOnce = 1_000;

/** What is kept for a while only. Nothing of it is asked for any more by then: no call lasts longer than four hours. */
const kept = [
  { table: 'media_tokens', key: 'hash', isOld: 'expires_at < now()' },
  { table: 'seen_requests', key: 'ctid', isOld: "seen_at < now() - interval '2 days'" },
  { table: 'call_legs', key: 'reference', isOld: "created_at < now() - interval '2 days'" },
] as const;

/** Forgets tokens that nobody came with, requests that could be told twice, and people whom calls were given to. */
@Injectable()
export class OldRows {
  constructor(private readonly tenants: TenantScope) {}

  /** A thousand of each at a time. */
  async sweep(): Promise<void> {
    await this.tenants.acrossTenants('rows of every organization grow old', async (manager) => {
      for (const { table, key, isOld } of kept)
        await manager.query(`DELETE FROM ${table} WHERE ${key} IN (SELECT ${key} FROM ${table} WHERE ${isOld} LIMIT $1)`, [
          sweptAtOnce,
        ]);
    });
  }
}
