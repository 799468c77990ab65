import { Injectable } from '@nestjs/common';
import { Fault, type Principal, readMemberPrincipal } from '@parley/contracts';
import { TenantScope } from '@parley/database';
import { ServiceBus } from '@parley/messaging';
import { In } from 'typeorm';
import { IntegrationKeyRow } from './integration-key.entity';
import { isBounded } from './key-bounds';
import { KeyHashes } from './key-hashes';
import { KnownKey } from './known-key';

/** Reads a key from Postgres, and whom it speaks for from the service that knows. */
@Injectable()
export class KeyReader {
  constructor(
    private readonly tenants: TenantScope,
    private readonly hashes: KeyHashes,
    private readonly bus: ServiceBus,
  ) {}

  /** The key if it is in use, whatever its end date; that and the address are looked at by each request. */
  async read(key: string): Promise<KnownKey | undefined> {
    const [current, ...former] = this.hashes.all(key);
    const row = await this.tenants.acrossTenants(
      'the organization of a key is known only once the key is found',
      async (manager) => {
        const found = await manager.findOneBy(IntegrationKeyRow, { hash: In([current, ...former]) });
        // Found under a former secret: kept under the one in use from here on, so that the former can be given up one day.
        if (found && current && !found.hash.equals(current))
          await manager.update(IntegrationKeyRow, { id: found.id }, { hash: current });
        return found;
      },
    );
    if (!row || row.revokedOn) return undefined;
    const principal = await this.principalOf(row);
    return principal && new KnownKey(row, principal);
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
      // The member is gone, and its keys with it.
      if (error instanceof Fault && error.code === 'NOT_FOUND') return undefined;
      throw error;
    }
  }
}
