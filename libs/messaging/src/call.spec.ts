import type { Principal } from '@parley/contracts';
import { agentsOfCaller, maySee } from './call';

const callOf = (principal: Principal) => ({
  requestId: 'spec',
  principal,
  deadlineAtMs: 0,
  signal: new AbortController().signal,
});
const member = { kind: 'wsk', keyId: 'key', orgId: 1, userId: 1, roleTypeId: 1 } as const;
const agentKey = { kind: 'agt', keyId: 'key', orgId: 1 } as const;

describe('the agents that a caller may see', () => {
  it.each<[string, Principal, readonly number[] | undefined]>([
    ['every agent, with the key of an unrestricted member', member, undefined],
    ['its own, with the key of an agent', { ...agentKey, agentId: 7 }, [7]],
    ['its own alone, whatever its owner is restricted to', { ...agentKey, agentId: 7, agentIds: [7, 8] }, [7]],
    ['none, with the key of an agent that names none', agentKey, []],
    ['those of a restricted member', { ...member, agentIds: [7, 8] }, [7, 8]],
    ['none, if a restricted member has none', { ...member, agentIds: [] }, []],
  ])('are %s', (_, principal, agents) => {
    const call = callOf(principal);
    expect(agentsOfCaller(call)).toEqual(agents);
    expect(maySee(call, 7)).toBe(agents?.includes(7) ?? true);
    expect(maySee(call, 9)).toBe(agents === undefined);
  });
});
