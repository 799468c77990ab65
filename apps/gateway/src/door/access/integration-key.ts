import { createHmac, hkdfSync } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Fault, type KeyKind, type Principal, readMemberPrincipal } from '@parley/contracts';
import { TenantScope } from '@parley/database';
import { ServiceBus } from '@parley/messaging';
import { Column, Entity, In, PrimaryGeneratedColumn } from 'typeorm';

/** An API key as stored: everything but the secret. */
@Entity({ name: 'integration_keys' })
export class IntegrationKeyRow {
  @PrimaryGeneratedColumn('identity', { generatedIdentity: 'ALWAYS' })
  id: number;

  @Column('int')
  orgId: number;

  @Column('uuid', { default: () => 'gen_random_uuid()' })
  keyId: string;

  @Column('text')
  name: string;

  @Column('text')
  kind: KeyKind;

  @Column('bytea')
  hash: Buffer;

  @Column('text')
  lastFour: string;

  @Column('uuid', { nullable: true })
  agentKeyId: string | null;

  @Column('int', { nullable: true })
  agentId: number | null;

  @Column('uuid', { nullable: true })
  memberId: string | null;

  @Column('uuid', { nullable: true })
  madeBy: string | null;

  @Column('text', { array: true })
  allowedIps: string[];

  @Column('timestamptz', { nullable: true })
  expiresAt: Date | null;

  @Column('timestamptz', { nullable: true })
  rotatedOn: Date | null;

  @Column('timestamptz', { nullable: true })
  revokedOn: Date | null;

  @Column('timestamptz', { nullable: true })
  lastUsedOn: Date | null;

  @Column('timestamptz', { default: () => 'now()' })
  createdOn: Date;
}

/** Whether a key expires or is restricted to certain addresses. */
function isBounded({ expiresAt, allowedIps }: Pick<IntegrationKeyRow, 'expiresAt' | 'allowedIps'>): boolean {
  return expiresAt !== null || allowedIps.length > 0;
}

const purpose = 'parley api keys v1';

/** Hashes keys with the installation's secret, so that guesses cannot be tested against a stolen table. */
export class KeyHashes {
  private readonly secrets: readonly Buffer[];

  /** The first secret is in use; keys hashed with the former ones remain valid. */
  constructor(current: string, former: readonly string[] = []) {
    this.secrets = [current, ...former].map((secret) => Buffer.from(hkdfSync('sha256', secret, '', purpose, 32)));
  }

  /** The hash to store for a key from now on. */
  current(key: string): Buffer {
    return this.all(key)[0] ?? Buffer.alloc(0);
  }

  /** Every hash that the key may be stored under, the current one first. */
  all(key: string): Buffer[] {
    return this.secrets.map((secret) => createHmac('sha256', secret).update(key).digest());
  }
}

/** Reads a key from Postgres, and its owner from the service responsible. */
@Injectable()
export class KeyReader {
  constructor(
    private readonly tenants: TenantScope,
    private readonly hashes: KeyHashes,
    private readonly bus: ServiceBus,
  ) {}

  /** The key, if it was not ended; its expiry and addresses are checked on each request. */
  async read(key: string): Promise<{ row: IntegrationKeyRow; principal: Principal } | undefined> {
    const [current, ...former] = this.hashes.all(key);
    const row = await this.tenants.acrossTenants(
      'the organization of a key is known only once the key is found',
      async (manager) => {
        const found = await manager.findOneBy(IntegrationKeyRow, { hash: In([current, ...former]) });
        // Hashed with a former secret: re-hash it with the current one, so that the former can be retired.
        if (found && current && !found.hash.equals(current))
          await manager.update(IntegrationKeyRow, { id: found.id }, { hash: current });
        return found;
      },
    );
    if (!row || row.revokedOn) return undefined;
    const principal = await this.principalOf(row);
    return principal && { row, principal };
  }

  private async principalOf(row: IntegrationKeyRow): Promise<Principal | undefined> {
    const { kind, keyId, orgId, agentId, memberId } = row;
    const holder = { kind, keyId, orgId, ...(isBounded(row) && { isBounded: true as const }) };
    if (agentId !== null) return { ...holder, agentId };
    if (memberId === null) return holder;
    try {
      const principal: Principal = { ...holder, kind: 'system' };
      return { ...(await this.bus.ask(readMemberPrincipal, { orgId, memberId }, { principal })), ...holder };
    } catch (error) {
      // The member left, so the key is no longer valid.
      if (error instanceof Fault && error.code === 'NOT_FOUND') return undefined;
      throw error;
    }
  }
}
