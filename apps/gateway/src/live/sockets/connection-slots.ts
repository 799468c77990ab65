import { Fault, type Principal } from '@parley/contracts';

/** How many sockets one gateway holds open at a time. */
export interface SlotLimits {
  readonly perKey: number;
  readonly perOrganization: number;
}

/** Counts open sockets by whom they belong to. */
export class ConnectionSlots {
  private readonly taken = new Map<string, number>();

  constructor(private readonly limits: SlotLimits) {}

  /** Takes a slot until the answered function is called; a Fault where there is none left. */
  take({ keyId, orgId }: Principal): () => void {
    const places = [
      { name: `key ${keyId}`, limit: this.limits.perKey, of: 'key' },
      { name: `organization ${orgId}`, limit: this.limits.perOrganization, of: 'workspace' },
    ];
    for (const { name, limit, of } of places) {
      if ((this.taken.get(name) ?? 0) < limit) continue;
      throw new Fault('RATE_LIMITED', { message: `A ${of} may hold ${limit} sockets open here at a time.` });
    }
    for (const { name } of places) this.count(name, 1);
    return () => {
      for (const { name } of places.splice(0)) this.count(name, -1);
    };
  }

  private count(name: string, step: 1 | -1): void {
    const count = (this.taken.get(name) ?? 0) + step;
    if (count === 0) this.taken.delete(name);
    else this.taken.set(name, count);
  }
}
