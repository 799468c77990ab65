import { Fault } from '@parley/contracts';
import type { Call } from '@parley/messaging';

/** The agents that the caller is held to; undefined means every agent of the organization. */
export function agentsOfCaller({ principal }: Call): readonly number[] | undefined {
  return principal?.agentIds ?? (principal?.agentId === undefined ? undefined : [principal.agentId]);
}

/** Whether a caller may know of what an agent does. */
export function maySee(call: Call, agentId: number): boolean {
  const allowed = agentsOfCaller(call);
  return !allowed || allowed.includes(agentId);
}

/** What is there but withheld looks as if it were not. */
export function notThere(what: string): Fault {
  return new Fault('NOT_FOUND', { message: `There is no such ${what}.` });
}
