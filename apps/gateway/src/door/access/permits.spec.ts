import type { Need, permissionNames, Principal } from '@parley/contracts';
import { agentPrincipal, ownerPrincipal, viewerPrincipal } from '../../testing/running-gateway';
import type { Access, ChargedAccess } from '../../endpoint/endpoint';
import { permits } from './permits';

const admin: Principal = { ...ownerPrincipal, roleTypeId: 2 };
const member: Principal = { ...ownerPrincipal, roleTypeId: 3 };

function may(principal: Principal, access: Access, body: unknown = {}): boolean {
  return permits(principal, access, body).granted;
}

const chat: ChargedAccess = { keys: ['agt', 'wsk'], needs: 'agents.CanView', charges: ['TTT_API'] };

function needing(needs: Need): Access {
  return { keys: ['wsk'], needs };
}

function reason(principal: Principal, access: ChargedAccess, body: unknown = {}): string {
  const verdict = permits(principal, access, body);
  return verdict.granted ? 'granted' : verdict.reason;
}

test.each<[string, string, RegExp]>([
  ['a permission', reason(viewerPrincipal, needing('team.CanAdd')), /team\.CanAdd.* An Owner or Admin can grant it with `team-/],
  [
    'what only Owners grant',
    reason(admin, needing('billing.CanUpdate')),
    /billing\.CanUpdate.* An Owner can grant it with `team-/,
  ],
  [
    'another kind of key',
    reason(agentPrincipal, needing('team.CanView')),
    /takes a workspace key, and this is an agent key\. .*CanAdd/,
  ],
  [
    'another agent',
    reason({ ...member, agentIds: [1] }, needing('agents.CanView'), { AgentID: 2 }),
    /An Owner or Admin can grant it/,
  ],
  [
    'a key of another agent',
    reason(agentPrincipal, { keys: ['agt'], needs: 'key-kind' }, { AgentID: 13 }),
    /use a key of that agent/,
  ],
  ['a key that names no agent', reason(member, chat), /send its AgentKeyID/],
])('the refusal for %s says what to do about it', (_what, said, remedy) => expect(said).toMatch(remedy));

test('admits every kind of key to a public route', () => {
  expect(may(agentPrincipal, { keys: 'public', needs: 'nothing' })).toBe(true);
});

test.each<[Principal['kind'], boolean]>([
  ['agt', true],
  ['ext', false],
  ['wsk', false],
  ['system', true],
])('a route for agent keys accepts %s: %s', (kind, expected) =>
  expect(may({ kind, keyId: 'k', orgId: 1 }, { keys: ['agt'], needs: 'key-kind' })).toBe(expected),
);

test.each<[string, Principal, Need, boolean]>([
  ['Owner', ownerPrincipal, 'billing.CanUpdate', true],
  ['Admin', admin, 'billing.CanView', true],
  ['Admin', admin, 'billing.CanUpdate', false],
  ['Admin', admin, 'integrations.CanDelete', true],
  ['Member', member, 'agents.CanUpdate', true],
  ['Member', member, 'agents.CanDelete', false],
  ['Member', member, 'dashboards.CanView', true],
  ['Member', member, 'team.CanView', false],
  ['Viewer', viewerPrincipal, 'team.CanView', true],
  ['Viewer', viewerPrincipal, 'team.CanAdd', false],
  ['Viewer', viewerPrincipal, 'integrations.CanView', false],
  ['Viewer', viewerPrincipal, 'billing.CanView', false],
])('%s (%#) with %s', (_role, principal, needs, expected) => expect(may(principal, needing(needs))).toBe(expected));

test('a save needs the permission that its body implies', () => {
  const save: Access = { keys: ['wsk'], needs: { create: 'agents.CanAdd', update: 'agents.CanUpdate', by: ['AgentKeyID'] } };
  const updater: Principal = { ...viewerPrincipal, permissions: { agents: ['CanUpdate'] } };
  expect(may(updater, save, { AgentKeyID: 'x' })).toBe(true);
  expect(may(updater, save, { AgentKeyID: null })).toBe(false);
});

test('rows that only their service can tell are let in by the permission to add or to update', () => {
  const rows: Access = { keys: ['wsk'], needs: { create: 'agents.CanAdd', update: 'agents.CanUpdate', by: 'rows' } };
  const holding = (...agents: (typeof permissionNames)[number][]): Principal => ({ ...viewerPrincipal, permissions: { agents } });
  for (const one of [holding('CanAdd'), holding('CanUpdate'), holding('CanAdd', 'CanUpdate')]) expect(may(one, rows)).toBe(true);
  for (const one of [holding(), holding('CanView', 'CanDelete')]) expect(may(one, rows)).toBe(false);
});

test('membership is enough where no permission is needed', () => {
  expect(may({ ...member, permissions: {} }, { keys: ['wsk'], needs: 'membership' })).toBe(true);
});

test('a member’s own entry overrides the role, both ways', () => {
  const widened: Principal = { ...viewerPrincipal, permissions: { agents: ['CanUpdate'] } };
  expect(may(widened, needing('agents.CanUpdate'))).toBe(true);
  expect(may(widened, needing('agents.CanView'))).toBe(false);
  expect(may({ ...ownerPrincipal, permissions: { agents: [] } }, needing('agents.CanView'))).toBe(false);
});

test('a member without a role may do nothing', () => {
  expect(may({ kind: 'wsk', keyId: 'k', orgId: 1 }, needing('agents.CanView'))).toBe(false);
});

test('a restricted member reaches only their agents', () => {
  const restricted: Principal = { ...member, agentIds: [12] };
  expect(may(restricted, needing('agents.CanUpdate'), { AgentID: 12 })).toBe(true);
  expect(may(restricted, needing('agents.CanUpdate'), { AgentID: '12' })).toBe(true);
  expect(may(restricted, needing('agents.CanUpdate'), { AgentID: 13 })).toBe(false);
});

test('an agent key speaks for its own agent only', () => {
  expect(may(agentPrincipal, { keys: ['agt'], needs: 'key-kind' }, { AgentID: 12 })).toBe(true);
  expect(may(agentPrincipal, { keys: ['agt'], needs: 'key-kind' }, { AgentID: 13 })).toBe(false);
});

test('a workspace key must name the agent to chat with', () => {
  expect(may(member, chat, { question: '?' })).toBe(false);
  expect(may(member, chat, { question: '?', AgentKeyID: '5b0c7f0e-6d55-4a86-9f3c-1f8f6f0c2a11' })).toBe(true);
});
