/** @waits a conversation takes as long as it lasts */
import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { createKey, createOrganization, createSessionToken, listCreditUsage, type Principal, saveAgent } from '@parley/contracts';
import { eventually } from '@parley/testing';
import { z } from 'zod';
import { newAgent } from './demo/demo-file';
import { completionEvent, ModelServer } from './testing/model-server';
import { startWholePlatform, type WholePlatform } from './testing/whole-platform';

const Posted = z.object({
  messages: z.array(z.object({ content: z.string().nullish() })),
  max_tokens: z.int().optional(),
  max_completion_tokens: z.int().optional(),
});
const Told = z.object({ type: z.string(), code: z.string().optional(), reason: z.string().optional() });

const wordsMax = 300;

/** A model that writes as much as it may, and counts what it produced. */
class CountingModel extends ModelServer {
  produced = 0;
  asked = 0;

  protected answer(body: unknown, response: ServerResponse): void {
    const posted = Posted.parse(body);
    const prompt = Math.ceil(posted.messages.reduce((sum, { content }) => sum + (content?.length ?? 0), 0) / 4);
    const words = Math.min(wordsMax, posted.max_tokens ?? posted.max_completion_tokens ?? wordsMax);
    this.asked += 1;
    this.produced += prompt + words;
    const usage = { prompt_tokens: prompt, completion_tokens: words, total_tokens: prompt + words };
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (let at = 0; at < words; at += 1) response.write(completionEvent({ delta: { content: 'so. ' }, finish_reason: null }));
    response.end(`${completionEvent({ delta: {}, finish_reason: 'stop' }, { usage })}data: [DONE]\n\n`);
  }
}

describe('spoken turns at the end of a balance', () => {
  let model: CountingModel;
  let platform: WholePlatform;

  beforeAll(async () => {
    model = await new CountingModel().start();
    const credits = 'TTT_API=4000,TTS_API=1000000,STT_API=100000';
    const environment = { LLM_BASE_URL: model.url, LLM_MODEL: 'scripted', PARLEY_INITIAL_CREDITS: credits };
    platform = await startWholePlatform({ environment });
  });
  afterAll(async () => {
    await platform.stop();
    model.stop();
  });

  const shop = async () => {
    const { bus } = platform;
    const owner = { email: `${randomUUID()}@balance.example`, name: 'Balance Owner' };
    const named = { OrganizationName: 'Balance', timezone: 'Asia/Kolkata', defaultRegion: 'IN' };
    const made = await bus.ask(createOrganization, { OrgKeyID: randomUUID(), ...named, owner });
    const { OrgID: orgId, memberAdminID: memberId, userID: userId } = made;
    const principal: Principal = { kind: 'wsk', keyId: 'test', orgId, memberId, userId, roleTypeId: 1 };
    const about = { ...newAgent, TemplateID: 2, AgentName: 'Whale', KBID: null };
    const { AgentKeyID, AgentID } = await bus.ask(saveAgent, { AgentKeyID: null, ...about }, { principal });
    const { IntegrationKeyID } = await bus.ask(createKey, { name: 'balance', kind: 'agt', AgentKeyID }, { principal });
    return { owner: principal, speaker: { kind: 'agt', keyId: IntegrationKeyID, orgId, agentId: AgentID } as const };
  };

  /** Asks in one session until it is closed, and returns how. */
  const askUntilClosed = async (principal: Principal) => {
    const { token } = await platform.bus.ask(createSessionToken, {}, { principal });
    const socket = new WebSocket(`${platform.url.replace('http', 'ws')}/ws/sts?token=${token}`);
    const told: z.output<typeof Told>[] = [];
    const say = (frame: object) => socket.send(JSON.stringify(frame));
    socket.addEventListener('message', ({ data }) => {
      if (typeof data !== 'string') return;
      const frame = Told.parse(JSON.parse(data));
      told.push(frame);
      if (frame.type !== 'session.ready' && frame.type !== 'usage') return;
      if (frame.type === 'session.ready' || data.includes('TTT_API')) say({ type: 'text', text: 'Tell me everything.' });
    });
    socket.addEventListener('open', () => say({ type: 'session.start', sampleRate: 16_000, encoding: 'pcm16' }));
    const code = await new Promise<number>((resolve) =>
      socket.addEventListener('close', ({ code }) => resolve(code), { once: true }),
    );
    return { code, told };
  };

  it('are held before their model is asked: eight sockets use what there is, nothing is unpaid, and all are closed', async () => {
    const { owner, speaker } = await shop();
    const ended = await Promise.all(Array.from({ length: 8 }, () => askUntilClosed(speaker)));
    expect(ended.map(({ code }) => code)).toEqual(Array(8).fill(4403));
    for (const { told } of ended) {
      expect(told).toContainEqual(expect.objectContaining({ type: 'warning', code: 'CREDITS_EXHAUSTED' }));
      expect(told.at(-1)).toMatchObject({ type: 'session.ended', reason: 'CREDITS_EXHAUSTED' });
    }
    const lines = async () => {
      const { rows } = await platform.bus.ask(listCreditUsage, { pageSize: 200 }, { principal: owner });
      const ofTurns = rows.filter(({ entry, kind }) => entry === 'CHARGE' && kind === 'TTT_API');
      const sum = (of: (row: (typeof rows)[number]) => number) => ofTurns.reduce((total, row) => total + of(row), 0);
      return { charged: sum(({ units }) => -units), unpaid: sum(({ unpaidUnits }) => unpaidUnits) };
    };
    await eventually('all is charged', async () => {
      const { charged, unpaid } = await lines();
      return charged + unpaid === model.produced;
    });
    expect({ ...(await lines()), asked: model.asked > 1 }).toEqual({ charged: model.produced, unpaid: 0, asked: true });
    expect(model.produced).toBeLessThanOrEqual(4000);
  });
});
