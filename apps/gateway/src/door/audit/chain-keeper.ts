import { randomBytes } from 'node:crypto';
import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { TenantScope } from '@parley/database';
import { Logger, NotOpened, SealedSecrets } from '@parley/service-kit';
import type { EntityManager } from 'typeorm';
import { z } from 'zod';
import { ChainSeal } from './chain';

const place = 'audit/chain-key';
const keyBytes = 32;
const headsAtOnce = 500;

const Heads = z.array(z.object({ orgId: z.int(), hash: z.string(), entries: z.int() }));

/**
 * Keeps the key of the audit chains. The database holds it sealed by PARLEY_SECRET_KEY, so that a new PARLEY_SECRET_KEY
 * seals one text anew and every line stays as it is.
 */
@Injectable()
export class ChainKeeper implements OnApplicationBootstrap {
  private opened: Promise<ChainSeal> | undefined;

  constructor(
    private readonly tenants: TenantScope,
    private readonly seals: SealedSecrets,
    private readonly log: Logger,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    const count = await this.sealWhatWasBefore(await this.seal());
    // Said once in the life of an installation. Said again, somebody took seals away.
    if (count > 0) this.log.warn('Chains of the audit log that had no seal were sealed as they are', { count });
  }

  /** What lines are sealed with. */
  seal(): Promise<ChainSeal> {
    this.opened ??= this.open().catch((error: unknown) => {
      this.opened = undefined;
      throw error;
    });
    return this.opened;
  }

  /** Opens the key anew, which seals it with the present PARLEY_SECRET_KEY. */
  async sealAgain(): Promise<{ sealed: number; unopened: number }> {
    this.opened = undefined;
    return this.seal().then(
      () => ({ sealed: 1, unopened: 0 }),
      (error: unknown) => {
        if (!(error instanceof NotOpened)) throw error;
        return { sealed: 0, unopened: 1 };
      },
    );
  }

  private open(): Promise<ChainSeal> {
    return this.tenants.acrossTenants('one key seals the chains of all organizations', async (manager) => {
      const fresh = this.seals.seal(randomBytes(keyBytes).toString('base64'), place);
      await manager.query('INSERT INTO audit_chain_key (is_only, sealed) VALUES (true, $1) ON CONFLICT DO NOTHING', [fresh]);
      const [row]: { sealed: string }[] = await manager.query('SELECT sealed FROM audit_chain_key FOR UPDATE');
      const key = this.seals.open(row?.sealed ?? '', place);
      if (row && !this.seals.isCurrent(row.sealed))
        await manager.query('UPDATE audit_chain_key SET sealed = $1', [this.seals.seal(key, place)]);
      return new ChainSeal(Buffer.from(key, 'base64'));
    });
  }

  /** Chains from before there were seals hold as far as they went when they were first met. */
  private async sealWhatWasBefore(seal: ChainSeal): Promise<number> {
    let count = 0;
    for (let found = headsAtOnce; found === headsAtOnce; count += found) {
      found = await this.tenants.acrossTenants('chains of all organizations had no seal', (manager) => sealHeads(manager, seal));
    }
    return count;
  }
}

async function sealHeads(manager: EntityManager, seal: ChainSeal): Promise<number> {
  const unsealed = 'SELECT org_id AS "orgId", hash, entries FROM audit_heads WHERE seal IS NULL LIMIT $1 FOR UPDATE';
  const heads = Heads.parse(await manager.query(unsealed, [headsAtOnce]));
  for (const { orgId, ...end } of heads) {
    const values = [orgId, seal.end(orgId, end), seal.unsealed(orgId, end)];
    await manager.query(
      `UPDATE audit_heads SET seal = $2, unsealed_entries = entries, unsealed_hash = hash, unsealed_seal = $3 WHERE org_id = $1`,
      values,
    );
  }
  return heads.length;
}
