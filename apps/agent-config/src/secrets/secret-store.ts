import { randomUUID } from 'node:crypto';
import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { TenantScope } from '@parley/database';
import { Logger, SealedSecrets } from '@parley/service-kit';
import { Column, Entity, type EntityManager, In, Like, MoreThan, Not, PrimaryColumn } from 'typeorm';

const sealedAtOnce = 200;
const firstId = '00000000-0000-0000-0000-000000000000';

const placeOf = ({ orgId, id }: Pick<Secret, 'orgId' | 'id'>): string => `secret/${orgId}/${id}`;

/** The secrets of organizations, sealed. A secret is never changed: a new value is a new secret. */
@Injectable()
export class SecretStore implements OnApplicationBootstrap {
  constructor(
    private readonly seals: SealedSecrets,
    private readonly tenants: TenantScope,
    private readonly log: Logger,
  ) {}

  /** After a change of the key everything is re-sealed, so that the old key can be removed. */
  async onApplicationBootstrap(): Promise<void> {
    await this.sealAll();
  }

  /** Re-seals what was sealed with a former key; returns how many, and how many no key can open. */
  async sealAll(): Promise<{ sealed: number; unopened: number }> {
    const total = { sealed: 0, unopened: 0 };
    for (let cursor: string | undefined = firstId; cursor;) {
      const { last, sealed, unopened } = await this.sealAnew(cursor);
      cursor = last;
      total.sealed += sealed;
      total.unopened += unopened;
    }
    return total;
  }

  async put(manager: EntityManager, orgId: number, plain: string): Promise<string> {
    const id = randomUUID();
    await manager.insert(Secret, { id, orgId, sealed: this.seals.seal(plain, placeOf({ orgId, id })) });
    return id;
  }

  async forget(manager: EntityManager, orgId: number, id: string): Promise<void> {
    await manager.delete(Secret, { orgId, id });
  }

  /** The secrets with these ids; unknown ids are left out. */
  async open(manager: EntityManager, orgId: number, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const found = ids.length > 0 ? await manager.findBy(Secret, { orgId, id: In(ids) }) : [];
    return new Map(found.map((secret) => [secret.id, this.seals.open(secret.sealed, placeOf(secret))]));
  }

  /** Re-seals one batch, in id order; returns where to continue. A secret that no key can open stays as it is. */
  private sealAnew(after: string): Promise<{ last: string | undefined; sealed: number; unopened: number }> {
    return this.tenants.acrossTenants('the key of the whole installation has changed', async (manager) => {
      const stale = await manager.find(Secret, {
        where: { sealed: Not(Like(`${this.seals.currentPrefix}%`)), id: MoreThan(after) },
        order: { id: 'ASC' },
        take: sealedAtOnce,
        lock: { mode: 'pessimistic_write' },
      });
      let sealed = 0;
      for (const secret of stale) sealed += (await this.renew(manager, secret)) ? 1 : 0;
      return { last: stale.at(-1)?.id, sealed, unopened: stale.length - sealed };
    });
  }

  private async renew(manager: EntityManager, secret: Secret): Promise<boolean> {
    try {
      const plain = this.seals.open(secret.sealed, placeOf(secret));
      await manager.update(Secret, { id: secret.id }, { sealed: this.seals.seal(plain, placeOf(secret)) });
      return true;
    } catch (error) {
      this.log.error('A secret cannot be opened with any key', { err: error, secretId: secret.id });
      return false;
    }
  }
}

/** A sealed text of an organization. All other tables refer to it by id. */
@Entity({ name: 'secrets' })
export class Secret {
  @PrimaryColumn('uuid')
  id: string;

  @Column('int')
  orgId: number;

  @Column('text')
  sealed: string;
}
