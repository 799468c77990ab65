import type { CreditKind } from '@parley/contracts';
import type { Entry } from './book-changes';

interface Usage {
  readonly orgId: number;
  readonly kind: CreditKind;
  readonly AgentID: number | null;
  readonly units: number;
  readonly requests: number;
}

/** The charges of one commit by organization, kind and agent: one event for each, not one for each request. */
export function summedUsage(entries: readonly Entry[]): Usage[] {
  const sums = new Map<string, Usage>();
  for (const { entry, units, account, spender } of entries) {
    if (entry !== 'CHARGE') continue;
    const { orgId, kind } = account;
    const AgentID = spender.agentId ?? null;
    const name = `${orgId} ${kind} ${AgentID}`;
    const sum = sums.get(name) ?? { orgId, kind, AgentID, units: 0, requests: 0 };
    sums.set(name, { ...sum, units: sum.units - units, requests: sum.requests + 1 });
  }
  return [...sums.values()];
}
