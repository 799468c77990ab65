import { AsyncLocalStorage } from 'node:async_hooks';
import { Fault, type Principal } from '@parley/contracts';

/** What surrounds one piece of work: who asks, under which request, until when, and whether it is still wanted. */
export interface Call {
  readonly requestId: string;
  /** Absent only for work that nobody asked for: timers, start-up, consumers of events. */
  readonly principal?: Principal;
  /** Milliseconds since the epoch, on this machine's clock. Messages carry what is left of it, so clocks may differ. */
  readonly deadlineAtMs: number;
  /** Aborts when the caller went away or the deadline passed. Hand it to everything that waits. */
  readonly signal: AbortSignal;
  /** The work was asked to read and may be asked of another replica as well, so it changes nothing: Postgres refuses it. */
  readonly onlyReads?: boolean;
  /** W3C `traceparent` of the span that this work belongs to. */
  readonly traceparent?: string;
}

const storage = new AsyncLocalStorage<Call>();

/** The call that the running code belongs to, if any. */
export function currentCall(): Call | undefined {
  return storage.getStore();
}

/** Runs work inside a call: every `bus.ask` below it inherits principal, request id, deadline and cancellation. */
export function runInCall<T>(call: Call, work: () => T): T {
  return storage.run(call, work);
}

/** The organization of the caller. Refuses to guess: work without a principal has none. */
export function organizationOf(call: Call | undefined = currentCall()): number {
  if (!call?.principal) throw new Fault('INTERNAL', { cause: new Error('no principal in this call') });
  return call.principal.orgId;
}

/** The agents that the caller is held to; undefined means every agent of the organization. */
export function agentsOfCaller({ principal }: Call): readonly number[] | undefined {
  return principal?.agentIds ?? (principal?.agentId === undefined ? undefined : [principal.agentId]);
}

/** Whether a caller may know of what an agent does. */
export function maySee(call: Call, agentId: number): boolean {
  const allowed = agentsOfCaller(call);
  return !allowed || allowed.includes(agentId);
}

/** The organization of a caller who is held to no agents: what concerns all of them is not for anybody who is held to some. */
export function wholeOrganizationOf(call: Call, what: string): number {
  if (agentsOfCaller(call)) throw new Fault('SCOPE_MISSING', { message: `${what} are for keys that see every agent.` });
  return organizationOf(call);
}

/** Refuses everybody but the operator's command. The broker refuses them too: this holds when its rights were widened. */
export function requireOperator({ principal }: Call): void {
  if (principal?.kind === 'system' && principal.keyId === 'admin') return;
  throw new Fault('SCOPE_MISSING', { message: 'Only the operator of this installation may do this.' });
}
