import { randomUUID } from 'node:crypto';
import { streamTurn, synthesizeSpeech } from '@parley/contracts';
import { keys } from '../../testing/running-gateway';
import { ChatHarness } from './chat-harness.suite';
import { scene, sessionUUID } from './chat-scene.suite';

const AgentKeyID = randomUUID();

describe('the voice of a spoken answer', () => {
  const harness = new ChatHarness();

  beforeAll(() => harness.open());
  beforeEach(() => harness.reset());
  afterAll(() => harness.close());

  it.each([
    ['of an agent key', keys.agent, { sessionUUID }, { AgentID: 12 }],
    ['that a workspace key names', keys.owner, { AgentKeyID, sessionUUID }, { AgentKeyID }],
  ])('is that of the agent %s', async (_which, key, named, agent) => {
    const response = await harness.send({ question: 'When?', connectionType: 'tts', ...named }, { key });
    expect([response.status, await response.text()]).toEqual([200, 'RIFF-sound']);
    expect(scene.agents).toMatchObject([agent]);
    expect(scene.spoken).toMatchObject([{ text: 'Within three days.', preferredVoiceIDs: [41, 42], pace: 0.9 }]);
  });

  it.each(['sync', 'stream'])('has its length unless a stream is asked for: %s', async (responseMode) => {
    await (await harness.send({ question: 'When?', connectionType: 'tts', sessionUUID, responseMode })).text();
    expect(scene.spoken).toMatchObject([{ responseMode }]);
    await (await harness.send({ question: 'When?', connectionType: 'tts', sessionUUID })).text();
    expect(scene.spoken).toMatchObject([{ responseMode }, { responseMode: 'sync' }]);
  });

  it('may be listened to for as long as any speech, which is longer than a turn may take', async () => {
    const sentMs = Date.now();
    await (await harness.send({ question: 'When?', connectionType: 'tts', sessionUUID })).text();
    const lastsMs = (scene.listenedUntilMs[0] ?? 0) - sentMs;
    expect(lastsMs).toBeGreaterThan((streamTurn.timeoutMs + synthesizeSpeech.timeoutMs) / 2);
  });

  it('is that of the agent named in the query of a form', async () => {
    const form = new FormData();
    for (const [name, value] of Object.entries({ question: 'When?', connectionType: 'tts', sessionUUID })) form.set(name, value);
    const response = await harness.send(form, { key: keys.owner, query: `?AgentKeyID=${AgentKeyID}` });
    expect([response.status, await response.text()]).toEqual([200, 'RIFF-sound']);
    expect(scene.asked).toMatchObject([{ AgentKeyID, sessionUUID }]);
    expect(scene.spoken).toMatchObject([{ preferredVoiceIDs: [41, 42] }]);
  });

  it('needs a named agent with a workspace key, even if a session is given', async () => {
    const response = await harness.send({ question: 'When?', connectionType: 'tts', sessionUUID }, { key: keys.owner });
    expect([response.status, await response.json()]).toMatchObject([
      403,
      { code: 'SCOPE_MISSING', message: expect.stringContaining('AgentKeyID') },
    ]);
    expect([scene.asked, scene.spoken, harness.charging.operations]).toEqual([[], [], []]);
  });
});
