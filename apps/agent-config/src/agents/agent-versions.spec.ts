import {
  agentChanged,
  agentDeleted,
  deleteAgent,
  diffAgentVersions,
  duplicateAgent,
  findAgents,
  getAgentVersion,
  listAgents,
  listAgentVersions,
  readAgentRecord,
  readAgentRuntime,
  readRetention,
  restoreAgentVersion,
  saveAgent,
} from '@parley/contracts';
import { Installation, scratch } from '../installation.suite';
import { OverheardEvents } from '../overheard-events.suite';

describe('versions of agents', () => {
  let installation: Installation;
  beforeAll(async () => {
    installation = await Installation.start();
  });
  afterAll(() => installation.stop());

  it('are listed with author and changes, newest first', async () => {
    const { ask, principal } = installation.member();
    const { AgentKeyID } = await ask(saveAgent, scratch);
    await ask(saveAgent, { ...scratch, AgentKeyID, ToneID: 3, Greeting: 'Hi' });
    const { rows, totalCount } = await ask(listAgentVersions, { AgentKeyID });
    expect(totalCount).toBe(2);
    expect(rows).toMatchObject([
      { Version: 2, savedBy: principal.memberId, changedFields: ['ToneID', 'Greeting', 'SystemPrompt'], restoredFrom: null },
      { Version: 1, savedBy: principal.memberId, changedFields: [] },
    ]);
  });

  it('can be read and compared field by field', async () => {
    const { ask } = installation.member();
    const { AgentKeyID, AgentID } = await ask(saveAgent, scratch);
    await ask(saveAgent, { ...scratch, AgentKeyID, AgentName: 'Tara' });
    expect(await ask(getAgentVersion, { AgentKeyID, Version: '1' })).toMatchObject({ AgentName: 'Maya', Version: 1, AgentID });
    const { changes } = await ask(diffAgentVersions, { AgentKeyID, fromVersion: 2, toVersion: 1 });
    expect(changes.map(({ field }) => field)).toEqual(['AgentName', 'SystemPrompt']);
    expect(changes[0]).toEqual({ field: 'AgentName', before: 'Tara', after: 'Maya' });
    await expect(ask(getAgentVersion, { AgentKeyID, Version: 3 })).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('are restored as a new version that equals the old one', async () => {
    const { ask } = installation.member();
    const { AgentKeyID } = await ask(saveAgent, scratch);
    await ask(saveAgent, { ...scratch, AgentKeyID, AgentName: 'Tara', LanguageID: 2 });
    expect(await ask(restoreAgentVersion, { AgentKeyID, Version: 1 })).toMatchObject({ AgentKeyID, Version: 3 });
    const before = await ask(getAgentVersion, { AgentKeyID, Version: 1 });
    const now = await ask(readAgentRecord, { AgentKeyID });
    const moving = { Version: 0, UpdatedOn: '', RuntimeConfiguration: null };
    expect({ ...now, ...moving }).toEqual({ ...before, ...moving });
    expect((await ask(listAgentVersions, { AgentKeyID })).rows[0]).toMatchObject({ Version: 3, restoredFrom: 1 });
  });

  it('start at 1 for a copy, whose name stays within its limit', async () => {
    const { ask } = installation.member();
    const { AgentKeyID } = await ask(saveAgent, { ...scratch, AgentName: 'म'.repeat(30), ToneID: 4 });
    const copy = await ask(duplicateAgent, { AgentKeyID });
    expect(copy.Version).toBe(1);
    expect(await ask(readAgentRecord, copy)).toMatchObject({ AgentName: `${'म'.repeat(23)} (copy)`, ToneID: 4 });
    const marked = await ask(saveAgent, { ...scratch, AgentName: 'की'.repeat(15), ToneID: 4 });
    const copyOfMarked = await ask(readAgentRecord, await ask(duplicateAgent, { AgentKeyID: marked.AgentKeyID }));
    expect(copyOfMarked.AgentName).toBe(`${'की'.repeat(11)} (copy)`);
    expect(await ask(readAgentRecord, await ask(duplicateAgent, { AgentKeyID, AgentName: 'Second' }))).toMatchObject({
      AgentName: 'Second',
    });
  });

  it('end when the agent is deleted; other services hear of every change', async () => {
    const { ask, principal } = installation.member();
    const changed = await OverheardEvents.on(installation.broker, agentChanged);
    const deleted = await OverheardEvents.on(installation.broker, agentDeleted);
    const { AgentKeyID, AgentID } = await ask(saveAgent, scratch);
    await changed.heardOf((event) => event.AgentID === AgentID && event.Version === 1);
    await ask(saveAgent, { ...scratch, AgentKeyID });
    await changed.heardOf((event) => event.AgentID === AgentID && event.Version === 2);
    await ask(deleteAgent, { AgentKeyID });
    await deleted.heardOf((event) => event.AgentKeyID === AgentKeyID && event.AgentID === AgentID);
    for (const attempt of [
      ask(readAgentRecord, { AgentKeyID }),
      ask(readAgentRuntime, { AgentID }),
      ask(saveAgent, { ...scratch, AgentKeyID }),
      ask(listAgentVersions, { AgentKeyID }),
      ask(restoreAgentVersion, { AgentKeyID, Version: 1 }),
      ask(deleteAgent, { AgentKeyID }),
    ])
      await expect(attempt).rejects.toMatchObject({ code: 'NOT_FOUND' });
    // For a call in progress.
    expect(await ask(readAgentRuntime, { AgentID, mayBeDeleted: true })).toMatchObject({ AgentID, AgentKeyID });
    // Retention still applies, and its sweep asks as no member.
    const { orgId } = principal;
    expect(await installation.bus.ask(readRetention, { orgId })).toEqual({ agents: [{ AgentID, RetentionDays: 365 }] });
    await expect(ask(readRetention, { orgId })).rejects.toMatchObject({ code: 'SCOPE_MISSING' });
    expect((await ask(listAgents, {})).totalCount).toBe(0);
    expect(await ask(findAgents, { AgentIDs: [AgentID] })).toEqual({ AgentIDs: [], agents: [{ AgentID, AgentKeyID }] });
  });
});
