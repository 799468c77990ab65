import { randomUUID } from 'node:crypto';
import {
  agentChanged,
  diffAgentVersions,
  findKnowledgeAgents,
  getAgent,
  getAgentVersion,
  knowledgeChanged,
  listAgents,
  readAgentRuntime,
  restoreAgentVersion,
  saveAgent,
} from '@parley/contracts';
import { Installation, scratch } from '../installation.suite';
import { OverheardEvents } from '../overheard-events.suite';
import { knowledge, startScriptedKnowledge } from './knowledge-service.fake';

const KBID = 4;

describe('knowledge bases of agents', () => {
  let installation: Installation;
  let changes: OverheardEvents<typeof agentChanged.payload>;
  let stopKnowledge: () => Promise<void>;
  beforeAll(async () => {
    installation = await Installation.start();
    changes = await OverheardEvents.on(installation.broker, agentChanged);
    stopKnowledge = await startScriptedKnowledge(installation.broker);
  });
  afterAll(async () => {
    await stopKnowledge();
    await installation.stop();
  });

  const [base] = knowledge.bases;

  it('are stored by id with the agent, and add nothing to its persona', async () => {
    const { ask } = installation.member();
    const saved = await ask(saveAgent, { ...scratch, KBID });
    const agent = await ask(getAgent, { AgentKeyID: saved.AgentKeyID });
    expect(agent).toMatchObject({ KBID, KBKeyID: base?.KBKeyID, PromptAsSent: null });
    expect(agent.SystemPrompt).toBe(saved.SystemPrompt);
    expect(agent.SystemPrompt).not.toContain('Opening hours');
    expect((await ask(readAgentRuntime, { AgentID: saved.AgentID })).KBKeyID).toBe(base?.KBKeyID);
  });

  it('tell which agents of the organization use them', async () => {
    const [mine, theirs] = [installation.member(), installation.member()];
    const { AgentID } = await mine.ask(saveAgent, { ...scratch, KBID });
    await mine.ask(saveAgent, scratch);
    expect(await mine.ask(findKnowledgeAgents, { KBID })).toEqual({ AgentIDs: [AgentID] });
    expect(await theirs.ask(findKnowledgeAgents, { KBID })).toEqual({ AgentIDs: [] });
  });

  it('must exist', async () => {
    const { ask } = installation.member();
    await expect(ask(saveAgent, { ...scratch, KBID: 99 })).rejects.toMatchObject({
      code: 'NOT_FOUND',
      details: [{ field: 'KBID' }],
    });
  });

  it('are gone from agents and their versions once deleted, and do not come back with an older version', async () => {
    const { ask, principal } = installation.member();
    const { AgentKeyID, AgentID } = await ask(saveAgent, { ...scratch, KBID });
    knowledge.bases = [];
    try {
      await installation.bus.emit(knowledgeChanged, {
        id: randomUUID(),
        orgId: principal.orgId,
        occurredAt: new Date().toISOString(),
        payload: { KBID, KBKeyID: base?.KBKeyID ?? '', source: 'KNOWLEDGE_BASE' },
      });
      await changes.heardOf(({ AgentID: id }) => id === AgentID, 2);
      const none = { KBID: null, KBKeyID: null };
      const shown = await ask(getAgent, { AgentKeyID });
      expect(shown).toMatchObject(none);
      expect(await ask(readAgentRuntime, { AgentID })).toMatchObject(none);
      expect((await ask(listAgents, {})).rows).toMatchObject([none]);
      expect(await ask(getAgentVersion, { AgentKeyID, Version: 1 })).toMatchObject(none);
      await ask(saveAgent, { ...scratch, AgentKeyID, KBID: shown.KBID });
      await ask(restoreAgentVersion, { AgentKeyID, Version: 1 });
      const { changes: changed } = await ask(diffAgentVersions, { AgentKeyID, fromVersion: 2, toVersion: 3 });
      expect(changed).toEqual([]);
    } finally {
      knowledge.bases = base ? [base] : [];
    }
  });

  it('are read again after a change, and readers of their agents are notified', async () => {
    const { ask, principal } = installation.member();
    const saved = await ask(saveAgent, { ...scratch, KBID });
    await installation.bus.emit(knowledgeChanged, {
      id: randomUUID(),
      orgId: principal.orgId,
      occurredAt: new Date().toISOString(),
      payload: { KBID, KBKeyID: base?.KBKeyID ?? '', source: 'KNOWLEDGE_BASE' },
    });
    await changes.heardOf(({ AgentID, Version }) => AgentID === saved.AgentID && Version === 1, 2);
    expect(await ask(getAgent, saved)).toMatchObject({ KBKeyID: base?.KBKeyID });
  });
});
