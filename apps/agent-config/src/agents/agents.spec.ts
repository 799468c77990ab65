import { randomUUID } from 'node:crypto';
import { findAgents, getAgent, listAgents, readAgentRuntime, saveAgent } from '@parley/contracts';
import { Installation, lastUserId, scratch } from '../installation.suite';

describe('agents', () => {
  let installation: Installation;
  beforeAll(async () => {
    installation = await Installation.start();
  });
  afterAll(() => installation.stop());

  it('are read back as saved, with a prompt, a greeting and a runtime configuration', async () => {
    const { ask } = installation.member();
    const saved = await ask(saveAgent, { ...scratch, AdminID: 31 });
    expect(saved.Version).toBe(1);
    const agent = await ask(getAgent, { AgentKeyID: saved.AgentKeyID });
    expect(agent).toMatchObject({ ...scratch, ...saved, AdminID: 31, KBID: null, KBKeyID: null, Tools: [] });
    expect(agent.SystemPrompt).toContain('You are the front desk of Demo Bazaar.');
    expect(agent.Greeting).toBe('Hello, this is {{agentName}}. How can I help you?');
    expect(agent.RuntimeConfiguration).toMatchObject({
      AgentID: saved.AgentID,
      BackgroundNoiceFilterCount: 60,
      MaxCallSeconds: 1800,
    });
  });

  it('are given to conversations with their language and name', async () => {
    const { ask } = installation.member();
    const saved = await ask(saveAgent, { ...scratch, LanguageID: 3, Greeting: 'नमस्कार {{name|मित्रा}}, मी {{agentName}}.' });
    const runtime = await ask(readAgentRuntime, { AgentID: saved.AgentID });
    expect(runtime).toMatchObject({ ...saved, language: 'marathi', timezone: 'Asia/Kolkata' });
    expect(runtime.Greeting).toBe('नमस्कार {{name|मित्रा}}, मी Maya.');
    expect(runtime.language).toBe('marathi');
    await expect(ask(readAgentRuntime, { AgentKeyID: saved.AgentKeyID })).resolves.toEqual(runtime);
  });

  it('keep what a later save omits, and count each save as a version', async () => {
    const { ask } = installation.member();
    const { AgentKeyID } = await ask(saveAgent, { ...scratch, SystemPrompt: 'Say {{word|yes}}.', Greeting: 'Hi {{name}}' });
    const saved = await ask(saveAgent, { ...scratch, AgentKeyID, ToneID: 2 });
    expect(saved.Version).toBe(2);
    const agent = await ask(getAgent, { AgentKeyID });
    expect(agent).toMatchObject({
      ToneID: 2,
      SystemPrompt: 'Say {{word|yes}}.',
      isSystemPromptOverridden: true,
      Greeting: 'Hi {{name}}',
    });
    expect(agent.promptVariables).toEqual([
      { name: 'word', default: 'yes' },
      { name: 'name', default: null },
    ]);
    await ask(saveAgent, { ...scratch, AgentKeyID, SystemPrompt: null });
    expect((await ask(getAgent, { AgentKeyID })).isSystemPromptOverridden).toBe(false);
  });

  it('store no override when a client sends the composed prompt back', async () => {
    const { ask } = installation.member();
    const { AgentKeyID } = await ask(saveAgent, scratch);
    const { SystemPrompt } = await ask(getAgent, { AgentKeyID });
    await ask(saveAgent, { ...scratch, AgentKeyID, AgentName: 'Tara', SystemPrompt });
    const agent = await ask(getAgent, { AgentKeyID });
    expect(agent.isSystemPromptOverridden).toBe(false);
    expect(agent.SystemPrompt).toContain('You are Tara');
  });

  it('take prompt and greeting from a template in the chosen language, but not their identity', async () => {
    const { ask } = installation.member();
    const { AgentKeyID } = await ask(saveAgent, { ...scratch, TemplateID: 1, AgentName: 'Priya', LanguageID: 2 });
    const agent = await ask(getAgent, { AgentKeyID });
    expect(agent).toMatchObject({ ...scratch, TemplateID: 1, AgentName: 'Priya', LanguageID: 2 });
    expect(agent.SystemPrompt).toContain('आपका लक्ष्य एक पक्की अपॉइंटमेंट है।');
    expect(agent.promptVariables).toEqual([{ name: 'name', default: 'जी' }]);
    await ask(saveAgent, { AgentKeyID, LanguageID: 1 });
    const english = await ask(getAgent, { AgentKeyID });
    expect(english).toMatchObject({ AgentName: 'Priya', Greeting: expect.stringContaining('Hello {{name|there}}') });
  });

  it('keep their name, description and greeting when a template is chosen later', async () => {
    const { ask } = installation.member();
    const { AgentKeyID } = await ask(saveAgent, { ...scratch, Greeting: 'Namaste!' });
    const { SystemPrompt: before } = await ask(getAgent, { AgentKeyID });
    await ask(saveAgent, { AgentKeyID, TemplateID: 1 });
    const agent = await ask(getAgent, { AgentKeyID });
    expect(agent).toMatchObject({ ...scratch, TemplateID: 1, Greeting: 'Namaste!' });
    expect(agent.SystemPrompt).not.toBe(before);
  });

  it('need more than a template', async () => {
    const { ask } = installation.member();
    await expect(ask(saveAgent, { TemplateID: 1 })).rejects.toMatchObject({ code: 'VALIDATION_FAILED' });
  });

  it('clear optional fields by null, and none by omission', async () => {
    const { ask } = installation.member();
    const { AgentKeyID } = await ask(saveAgent, { ...scratch, AdminID: 31, Greeting: 'Namaste!' });
    await ask(saveAgent, { AgentKeyID, ToneID: 2 });
    expect(await ask(getAgent, { AgentKeyID })).toMatchObject({ ...scratch, ToneID: 2, AdminID: 31, Greeting: 'Namaste!' });
    await ask(saveAgent, { AgentKeyID, AdminID: null, Greeting: null });
    expect(await ask(getAgent, { AgentKeyID })).toMatchObject({ AdminID: null, Greeting: expect.stringContaining('this is') });
  });

  it('are managed by members only', async () => {
    const { ask } = installation.member();
    const saving = ask(saveAgent, { ...scratch, AdminID: lastUserId + 1 });
    const message = `AdminID ${lastUserId + 1} is the userID of no member`;
    await expect(saving).rejects.toMatchObject({ code: 'VALIDATION_FAILED', message, details: [{ field: 'AdminID', message }] });
  });

  it.each([
    ['ToneID', { ToneID: 99 }, 'ToneID 99 is not in the lookup tones'],
    ['LanguageID', { LanguageID: 4 }, 'LanguageID 4 is not in the lookup languages'],
    ['TemplateID', { TemplateID: 999 }, 'TemplateID 999 is not in the lookup agent-templates'],
  ])('refuse a %s that no lookup has', async (field, change, message) => {
    const { ask } = installation.member();
    const saving = ask(saveAgent, { ...scratch, ...change });
    await expect(saving).rejects.toMatchObject({ code: 'VALIDATION_FAILED', message, details: [{ field, message }] });
  });

  it('refuse to overwrite a version that the client has not seen, and report the current one', async () => {
    const { ask } = installation.member();
    const { AgentKeyID } = await ask(saveAgent, scratch);
    const saves = Array.from({ length: 8 }, (_, index) =>
      ask(saveAgent, { ...scratch, AgentKeyID, AgentName: `Name ${index}`, Version: 1 }),
    );
    const outcomes = await Promise.allSettled(saves);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const [refused] = outcomes.filter((outcome) => outcome.status === 'rejected');
    expect(refused?.reason).toMatchObject({ code: 'CONFLICT', message: expect.stringContaining('at version 2 now') });
  });

  it('lose no concurrent save if no version is given', async () => {
    const { ask } = installation.member();
    const { AgentKeyID } = await ask(saveAgent, scratch);
    const saves = await Promise.all(Array.from({ length: 8 }, () => ask(saveAgent, { ...scratch, AgentKeyID })));
    expect(saves.map(({ Version }) => Version).sort((one, other) => one - other)).toEqual([2, 3, 4, 5, 6, 7, 8, 9]);
  });

  it('are visible to their organization only', async () => {
    const [mine, theirs] = [installation.member(), installation.member()];
    const { AgentKeyID, AgentID } = await theirs.ask(saveAgent, scratch);
    for (const attempt of [
      mine.ask(getAgent, { AgentKeyID }),
      mine.ask(getAgent, { AgentKeyID: randomUUID() }),
      mine.ask(readAgentRuntime, { AgentID }),
      mine.ask(saveAgent, { ...scratch, AgentKeyID }),
    ])
      await expect(attempt).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(await mine.ask(listAgents, {})).toMatchObject({ rows: [], totalCount: 0 });
    const own = await mine.ask(saveAgent, scratch);
    const ids = { AgentID: own.AgentID, AgentKeyID: own.AgentKeyID };
    expect(await mine.ask(findAgents, { AgentIDs: [AgentID, own.AgentID, 2_000_000] })).toEqual({
      AgentIDs: [own.AgentID],
      agents: [ids],
    });
  });

  it('are limited to its own for a restricted member, who may create none', async () => {
    const owner = installation.member();
    const [one, other] = [await owner.ask(saveAgent, scratch), await owner.ask(saveAgent, scratch)];
    const restricted = installation.memberOf({ orgId: owner.principal.orgId, agentIds: [one.AgentID] });
    expect((await restricted.ask(listAgents, {})).rows.map(({ AgentID }) => AgentID)).toEqual([one.AgentID]);
    await expect(restricted.ask(getAgent, one)).resolves.toMatchObject(one);
    await expect(restricted.ask(getAgent, other)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(restricted.ask(saveAgent, { ...scratch, AgentKeyID: other.AgentKeyID })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
    await expect(restricted.ask(saveAgent, scratch)).rejects.toMatchObject({ code: 'SCOPE_MISSING' });
    const key = installation.memberOf({ orgId: owner.principal.orgId, kind: 'agt', agentId: one.AgentID });
    await expect(key.ask(readAgentRuntime, { AgentID: one.AgentID })).resolves.toMatchObject(one);
    await expect(key.ask(readAgentRuntime, { AgentID: other.AgentID })).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('are found by part of their name, with wildcards taken literally, and paged without gaps', async () => {
    const { ask } = installation.member();
    for (const AgentName of ['Maya 100%', 'maya 1000', 'Tara', 'माया', 'Maya_2']) await ask(saveAgent, { ...scratch, AgentName });
    const named = async (searchName: string) =>
      (await ask(listAgents, { searchName, sortColumn: 'AgentName', sortOrder: 'ASC' })).rows;
    expect((await named('MAYA')).map(({ AgentName }) => AgentName).sort()).toEqual(['Maya 100%', 'Maya_2', 'maya 1000']);
    expect((await named('0%')).map(({ AgentName }) => AgentName)).toEqual(['Maya 100%']);
    expect((await named('माया')).map(({ AgentName }) => AgentName)).toEqual(['माया']);
    const pages = [];
    for (const pageNo of [1, 2, 3]) pages.push(await ask(listAgents, { pageNo, pageSize: 2 }));
    expect(pages.map(({ rows }) => rows.length)).toEqual([2, 2, 1]);
    expect(new Set(pages.flatMap(({ rows }) => rows.map(({ AgentID }) => AgentID))).size).toBe(5);
    expect(pages[0]).toMatchObject({ totalCount: 5, pageNo: 1, pageSize: 2 });
    expect((await ask(listAgents, { pageNo: 9 })).rows).toEqual([]);
  });
});
