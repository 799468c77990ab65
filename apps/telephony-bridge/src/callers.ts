import { Fault } from '@parley/contracts';
import { type Call, organizationOf } from '@parley/messaging';

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

/** What is there but withheld looks as if it were not. */
export function notThere(what: string): Fault {
  return new Fault('NOT_FOUND', { message: `There is no such ${what}.` });
}
