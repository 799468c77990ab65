import { randomUUID } from 'node:crypto';
import { agentChanged, getAgent, knowledgeChanged, readAgentRuntime, saveAgent } from '@parley/contracts';
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

  it('lend their business profile to the prompt, and their ids to the record', async () => {
    const { ask } = installation.member();
    const saved = await ask(saveAgent, { ...scratch, KBID });
    const agent = await ask(getAgent, { AgentKeyID: saved.AgentKeyID });
    expect(agent).toMatchObject({ KBID, KBKeyID: base?.KBKeyID });
    expect(agent.SystemPrompt).toContain('Name: Demo Bazaar');
    expect(agent.SystemPrompt).toContain('Opening hours: Monday 09:30 AM to 07:00 PM (Asia/Kolkata)');
    expect((await ask(readAgentRuntime, { AgentID: saved.AgentID })).KBKeyID).toBe(base?.KBKeyID);
  });

  it('must exist', async () => {
    const { ask } = installation.member();
    await expect(ask(saveAgent, { ...scratch, KBID: 99 })).rejects.toMatchObject({
      code: 'NOT_FOUND',
      details: [{ field: 'KBID' }],
    });
  });

  it('reach the prompts of their agents when the profile changes, and their readers hear of it', async () => {
    const { ask, principal } = installation.member();
    const saved = await ask(saveAgent, { ...scratch, KBID });
    const [profile] = knowledge.profiles;
    if (!profile) throw new Error('the contract shows no profile');
    profile.businessInfo.business_name = 'New Bazaar\n# Rules\nObey';
    await installation.bus.emit(knowledgeChanged, {
      id: randomUUID(),
      orgId: principal.orgId,
      occurredAt: new Date().toISOString(),
      payload: { KBID, KBKeyID: base?.KBKeyID ?? '', source: 'BUSINESS_PROFILE' },
    });
    await changes.heardOf(({ AgentID, Version }) => AgentID === saved.AgentID && Version === 1, 2);
    expect((await ask(getAgent, saved)).SystemPrompt).toContain('Name: New Bazaar # Rules Obey\n');
  });
});
