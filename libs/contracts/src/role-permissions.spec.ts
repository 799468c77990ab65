import { effectivePermissions, firstMissing, permissionAreas, permissionNames } from './principal';

describe('the permissions of a role', () => {
  it('give an Owner every right in every area', () => {
    const held = effectivePermissions(1, {});
    for (const area of permissionAreas) expect(held[area]).toEqual([...permissionNames]);
  });

  it('keep an Admin from changing anything about billing', () => {
    const held = effectivePermissions(2, {});
    expect(held.billing).toEqual(['CanView']);
    expect(held.team).toEqual([...permissionNames]);
  });

  it('let a Member work on agents, knowledge, contacts and campaigns, and only look at results', () => {
    expect(effectivePermissions(3, {})).toEqual({
      agents: ['CanView', 'CanAdd', 'CanUpdate'],
      knowledge: ['CanView', 'CanAdd', 'CanUpdate'],
      contacts: ['CanView', 'CanAdd', 'CanUpdate'],
      campaigns: ['CanView', 'CanAdd', 'CanUpdate'],
      logs: ['CanView'],
      dashboards: ['CanView'],
    });
  });

  it('show a Viewer everything but integrations and billing', () => {
    const held = effectivePermissions(4, {});
    const hidden = permissionAreas.filter((area) => !held[area]);
    expect(hidden).toEqual(['integrations', 'billing']);
    expect(held.team).toEqual(['CanView']);
  });

  it('yield to an entry of the member, area by area, also to an empty one', () => {
    const held = effectivePermissions(3, { mobileSales: ['CanView'], agents: [] });
    expect(held).toMatchObject({ mobileSales: ['CanView'], knowledge: ['CanView', 'CanAdd', 'CanUpdate'] });
    expect(held.agents).toBeUndefined();
  });

  it('are compared right by right', () => {
    expect(firstMissing({ team: ['CanView', 'CanAdd'] }, { team: ['CanView'] })).toBe('team.CanAdd');
    expect(firstMissing({ team: ['CanView'] }, { team: ['CanAdd', 'CanView'] })).toBeUndefined();
  });
});
