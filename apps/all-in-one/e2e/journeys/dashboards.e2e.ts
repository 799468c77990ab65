import { getConversationFigures, getDashboardCount, getLatencyFigures, getUnansweredQuestions } from '@parley/contracts';
import type { z } from 'zod';
import { post, request } from '../platform/client';
import { demo } from '../platform/platform';
import { until } from '../platform/roster';

const figures = '/api/v1/external/dashboard-count';
const day = (back: number) => new Date(Date.now() - back * 86_400_000).toISOString().slice(0, 10);
const lately = { startDate: day(1), endDate: day(-1) };
const question = 'Which planet do your yellow elephants come from?';

async function read<Reply extends z.ZodType>({ reply }: { reply: Reply }, path: string, body: object): Promise<z.output<Reply>> {
  const { status, body: answer } = await post(path, body, demo().workspaceKey);
  if (status !== 200) throw new Error(`${path} answered ${status}: ${JSON.stringify(answer)}`);
  return reply.parse(answer.data);
}

interface Told {
  readonly id: string;
  readonly data: unknown;
}

/** A client of the live stream, starting after the last event it knows. */
async function watch(lastEventId?: string) {
  const leaving = new AbortController();
  const headers = { 'x-api-key': demo().workspaceKey, ...(lastEventId && { 'last-event-id': lastEventId }) };
  const { body } = await fetch(`${demo().baseUrl}${figures}/live`, { headers, signal: leaving.signal });
  if (!body) throw new Error('no stream');
  const events = new Map<string, Told>();
  const read = (async () => {
    let text = '';
    for await (const part of body.pipeThrough(new TextDecoderStream())) {
      text += part;
      for (const [, id = '', event = '', data = ''] of text.matchAll(/^id: (.*)\nevent: (.*)\ndata: (.*)\n\n/gm))
        events.set(event, { id, data: JSON.parse(data) });
    }
  })().catch(() => undefined);
  const told = (event: string) =>
    until(
      async () => events.get(event),
      (found) => found !== undefined,
    );
  return { told, leave: () => (leaving.abort(), read) };
}

describe('a manager reading the dashboards', () => {
  it('finds conversations, waiting times and unanswered questions within seconds of the turn', async () => {
    const before = (await read(getConversationFigures, `${figures}/get-conversation-figures`, lately)).turns;
    for (let turn = 0; turn < 2; turn += 1) {
      const { status } = await post('/api/v1/ttt', { question }, demo().agentKey);
      expect(status).toBe(200);
    }
    await until(
      async () => (await read(getConversationFigures, `${figures}/get-conversation-figures`, lately)).turns,
      (turns) => turns >= before + 2,
    );
    const { agents } = await read(getLatencyFigures, `${figures}/get-latency`, lately);
    expect(agents.flatMap(({ parts }) => parts.map(({ part }) => part))).toContain('total');
    const { groups } = await read(getUnansweredQuestions, `${figures}/get-unanswered-questions`, { ...lately, limit: 100 });
    expect(groups.map((group) => group.question)).toContain(question);
  });

  it('gets a series without gaps even if nobody called', async () => {
    const { series } = await read(getDashboardCount, `${figures}/get-dashboard-count`, lately);
    expect(series).toHaveLength(3);
  });

  it('follows live calls and today’s counts on the live stream, also after a reconnect', async () => {
    const first = await watch();
    const names = [first.told('counts'), first.told('today')];
    const [counts, today] = await Promise.all(names);
    expect(counts?.data).toMatchObject({ activeCalls: 0 });
    expect(today?.data).toMatchObject({ totalCalls: expect.any(Number), open: 0 });
    await first.leave();
    const second = await watch(today?.id);
    await second.told('counts');
    await second.leave();
  });

  it('exports the turns as a file', async () => {
    const { status, headers, body } = await request(`${figures}/export`, {
      method: 'POST',
      key: demo().workspaceKey,
      body: { facts: 'turns', ...lately },
    });
    expect(status).toBe(200);
    expect(headers.get('content-type')).toContain('text/csv');
    expect(String(body)).toMatch(/^turnUUID,sessionUUID,AgentID/);
  });

  it.each([
    ['a reversed range', { startDate: '2026-03-31', endDate: '2026-03-01' }, 400],
    ['a zone that does not exist', { ...lately, timeZone: 'Mars/Olympus_Mons' }, 400],
    ['an agent that does not exist', { ...lately, agentIds: [2_000_000_000] }, 404],
  ])('gets an error for %s', async (_what, query, status) => {
    expect((await post(`${figures}/get-dashboard-count`, query, demo().workspaceKey)).status).toBe(status);
  });
});
