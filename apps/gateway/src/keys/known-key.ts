import { BlockList, isIPv6 } from 'node:net';
import type { Principal } from '@parley/contracts';
import type { IntegrationKeyRow } from './integration-key.entity';

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

  /** Who holds it, if it is good at this moment and from this address. */
  holderAt(address: string, nowMs: number): Principal | undefined {
    if (nowMs >= this.expiresAtMs) return undefined;
    if (this.allowed && !this.allowed.check(address, familyOf(address))) return undefined;
    return this.principal;
  }
}

function allowList(ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [address = '', bits] = range.split('/');
    if (bits === undefined) list.addAddress(address, familyOf(address));
    else list.addSubnet(address, Number(bits), familyOf(address));
  }
  return list;
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIPv6(address) ? 'ipv6' : 'ipv4';
}
