import type { BlockList } from 'node:net';
import { Fault, type Principal } from '@parley/contracts';
import type { IntegrationKeyRow } from './integration-key.entity';
import { allowList, familyOf } from './key-bounds';

/** A key that opens the door: for whom, until when, and from where. */
export class KnownKey {
  readonly rowId: number;
  readonly keyId: string;
  readonly memberId: string | null;
  readonly agentId: number | null;
  private readonly expiresAtMs: number;
  private readonly allowed: BlockList | undefined;

  constructor(
    row: IntegrationKeyRow,
    readonly principal: Principal,
  ) {
    this.rowId = row.id;
    this.keyId = row.keyId;
    this.memberId = row.memberId;
    this.agentId = row.agentId;
    this.expiresAtMs = row.expiresAt?.getTime() ?? Number.POSITIVE_INFINITY;
    this.allowed = row.allowedIps.length > 0 ? allowList(row.allowedIps) : undefined;
  }

  /** Who holds it, if it is good at this moment. A Fault that says so from an address that it may not be used from. */
  holderAt(address: string, nowMs: number): Principal | undefined {
    if (nowMs >= this.expiresAtMs) return undefined;
    if (this.allowed && !this.allowed.check(address, familyOf(address)))
      throw new Fault('ADDRESS_NOT_ALLOWED', { message: `This API key may not be used from ${address}.` });
    return this.principal;
  }
}
