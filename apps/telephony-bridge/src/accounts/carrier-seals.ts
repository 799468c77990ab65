import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { TenantScope } from '@parley/database';
import { Logger, SealedSecrets } from '@parley/service-kit';
import type { EntityManager } from 'typeorm';

const sealedAtOnce = 200;
/** The tables with sealed values, and the context of each: see each `sealPlaceOf`. */
const sealedTables = [
  { table: 'carrier_accounts', place: 'carrier-account', isKept: 'deleted_on IS NULL' },
  { table: 'campaign_webhooks', place: 'campaign-webhook', isKept: 'true' },
] as const;

interface Stale {
  readonly id: number;
  readonly orgId: number;
  readonly keyId: string;
  readonly sealed: string;
}

/** Re-seals this service's secrets after a change of PARLEY_SECRET_KEY, so that the old key can be removed. */
@Injectable()
export class CarrierSeals implements OnApplicationBootstrap {
  constructor(
    private readonly tenants: TenantScope,
    private readonly seals: SealedSecrets,
    private readonly log: Logger,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    await this.sealAll();
  }

  /** Returns how many were sealed with the current key, and how many no key opens. */
  async sealAll(): Promise<{ sealed: number; unopened: number }> {
    const total = { sealed: 0, unopened: 0 };
    for (const kind of sealedTables) {
      for (let after: number | undefined = 0; after !== undefined;) {
        const { last, sealed, unopened } = await this.sealSome(kind, after);
        after = last;
        total.sealed += sealed;
        total.unopened += unopened;
      }
    }
    return total;
  }

  private sealSome(
    { table, place, isKept }: (typeof sealedTables)[number],
    after: number,
  ): Promise<{ last: number | undefined; sealed: number; unopened: number }> {
    return this.tenants.acrossTenants('the key of the whole installation has changed', async (manager) => {
      const stale: Stale[] = await manager.query(
        `SELECT id, org_id AS "orgId", key_id AS "keyId", sealed FROM ${table}
         WHERE NOT starts_with(sealed, $1) AND id > $2 AND ${isKept} ORDER BY id LIMIT $3 FOR UPDATE`,
        [this.seals.currentPrefix, after, sealedAtOnce],
      );
      let sealed = 0;
      for (const row of stale) sealed += (await this.renew(manager, { table, place }, row)) ? 1 : 0;
      return { last: stale.at(-1)?.id, sealed, unopened: stale.length - sealed };
    });
  }

  private async renew(
    manager: EntityManager,
    { table, place }: Pick<(typeof sealedTables)[number], 'table' | 'place'>,
    { id, orgId, keyId, sealed }: Stale,
  ): Promise<boolean> {
    try {
      const where = `${place}/${orgId}/${keyId}`;
      await manager.query(`UPDATE ${table} SET sealed = $2 WHERE id = $1`, [
        id,
        this.seals.seal(this.seals.open(sealed, where), where),
      ]);
      return true;
    } catch (error) {
      this.log.error('A sealed secret cannot be opened with any key', { err: error, table, id });
      return false;
    }
  }
}
