import { AsyncLocalStorage } from 'node:async_hooks';
import { Fault, isPermitted, type Need, type Principal } from '@parley/contracts';

/** The context of a piece of work: who asks, for which request, until when, and whether the result is still wanted. */
export interface Call {
  readonly requestId: string;
  /** Absent only for work without a request: timers, start-up, event consumers. */
  readonly principal?: Principal;
  /** Milliseconds since the epoch by this machine's clock. Messages carry the remaining time, so clocks may differ. */
  readonly deadlineAtMs: number;
  /** Aborts when the caller disconnects or the deadline passes. Pass it to everything that waits. */
  readonly signal: AbortSignal;
  /** The call only reads and may be sent to another replica as well, so it must change nothing; Postgres refuses writes. */
  readonly onlyReads?: boolean;
  /** W3C `traceparent` of the span that this work belongs to. */
  readonly traceparent?: string;
}

const storage = new AsyncLocalStorage<Call>();

/** The call that the running code belongs to, if any. */
export function currentCall(): Call | undefined {
  return storage.getStore();
}

/** Runs work within a call: every `bus.ask` below inherits its principal, request id, deadline and cancellation. */
export function runInCall<T>(call: Call, work: () => T): T {
  return storage.run(call, work);
}

/** Runs work outside the current call, such as a write that the answer does not wait for. */
export function runOutsideCall<T>(work: () => T): T {
  return storage.exit(work);
}

/** The caller's organization. Throws for work without a principal, which has none. */
export function organizationOf(call: Call | undefined = currentCall()): number {
  if (!call?.principal) throw new Fault('INTERNAL', { cause: new Error('no principal in this call') });
  return call.principal.orgId;
}

/** Whether the caller may do this. Services may do everything. */
export function isCallerPermitted({ principal }: Call, need: Need): boolean {
  return principal !== undefined && (principal.kind === 'system' || isPermitted(principal, need));
}

/** The agents that the caller is restricted to; undefined means every agent of the organization. */
export function agentsOfCaller({ principal }: Call): readonly number[] | undefined {
  const own = principal?.agentId === undefined ? undefined : [principal.agentId];
  // Without its agent, an agent's key sees none, rather than all.
  if (principal?.kind === 'agt') return own ?? [];
  return principal?.agentIds ?? own;
}

/** Whether a caller may see what an agent does. */
export function maySee(call: Call, agentId: number): boolean {
  const allowed = agentsOfCaller(call);
  return !allowed || allowed.includes(agentId);
}

/**
 * The organization of a caller that is not restricted to certain agents; a restricted caller may not see what concerns all
 * agents.
 */
export function wholeOrganizationOf(call: Call, what: string): number {
  if (agentsOfCaller(call))
    throw new Fault('SCOPE_MISSING', {
      message: `${what} require a key that may see every agent. An Owner or Admin can lift the restriction of this member.`,
    });
  return organizationOf(call);
}

/**
 * Admits only the operator's command. The broker refuses other callers too; this check holds even if the broker's permissions are
 * widened.
 */
export function requireOperator({ principal }: Call): void {
  if (principal?.kind === 'system' && principal.keyId === 'admin') return;
  throw new Fault('SCOPE_MISSING', { message: 'Only the operator of this installation may do this.' });
}
