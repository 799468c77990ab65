import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { TenantScope } from '@parley/database';
import { Logger, SealedSecrets } from '@parley/service-kit';
import { type EntityManager, IsNull, Like, MoreThan, Not } from 'typeorm';
import { CarrierAccount } from './carrier-account.entity';
import { sealPlaceOf } from './open-carriers';

const sealedAtOnce = 200;

/** After a change of PARLEY_SECRET_KEY the credentials for carriers are sealed anew, so that the old key can be taken away. */
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

  /** Answers how many were sealed with the present key, and how many no key opens. */
  async sealAll(): Promise<{ sealed: number; unopened: number }> {
    const total = { sealed: 0, unopened: 0 };
    for (let after: number | undefined = 0; after !== undefined;) {
      const { last, sealed, unopened } = await this.sealSome(after);
      after = last;
      total.sealed += sealed;
      total.unopened += unopened;
    }
    return total;
  }

  private sealSome(after: number): Promise<{ last: number | undefined; sealed: number; unopened: number }> {
    return this.tenants.acrossTenants('the key of the whole installation has changed', async (manager) => {
      const stale = await manager.find(CarrierAccount, {
        where: { sealed: Not(Like(`${this.seals.currentPrefix}%`)), id: MoreThan(after), deletedOn: IsNull() },
        order: { id: 'ASC' },
        take: sealedAtOnce,
        lock: { mode: 'pessimistic_write' },
      });
      let sealed = 0;
      for (const account of stale) sealed += (await this.renew(manager, account)) ? 1 : 0;
      return { last: stale.at(-1)?.id, sealed, unopened: stale.length - sealed };
    });
  }

  private async renew(manager: EntityManager, account: CarrierAccount): Promise<boolean> {
    try {
      const place = sealPlaceOf(account);
      const sealed = this.seals.seal(this.seals.open(account.sealed, place), place);
      await manager.update(CarrierAccount, { id: account.id }, { sealed });
      return true;
    } catch (error) {
      this.log.error('The credentials of a carrier account cannot be opened with any key', { err: error, accountId: account.id });
      return false;
    }
  }
}
