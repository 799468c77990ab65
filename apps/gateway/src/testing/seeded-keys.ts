import type { Principal } from '@parley/contracts';
import { Principals } from '../endpoint/gateway-call';

/** Keys that a test knows from the start. */
export class SeededKeys extends Principals {
  constructor(private readonly holders: Readonly<Record<string, Principal>>) {
    super();
  }

  principalOf(apiKey: string): Principal | undefined {
    return Object.hasOwn(this.holders, apiKey) ? this.holders[apiKey] : undefined;
  }
}
