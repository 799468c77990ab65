import { randomUUID } from 'node:crypto';
import { endSession, findRecording, getConversationLog, listConversationLogs, openSession } from '@parley/contracts';
import { Client } from 'pg';
import type { z } from 'zod';
import { Installation, type Shop } from '../installation.suite';

type Query = z.input<typeof listConversationLogs.request>;

describe('conversation logs', () => {
  let installation: Installation;
  beforeAll(async () => {
    installation = await Installation.start();
  });
  afterAll(() => installation.stop());

  const list = ({ owner }: Shop, query: Query = {}) => installation.bus.ask(listConversationLogs, query, { principal: owner });

  it('show a turn as soon as it is answered, with its cost', async () => {
    const shop = installation.shop();
    const { sessionUUID, tokenUsage } = await installation.ask(shop.caller, 'Do you sell kettles?');
    const { rows, totalCount } = await list(shop, { search: 'KETTLE' });
    expect(totalCount).toBe(1);
    expect(rows).toMatchObject([
      {
        sessionUUID,
        AgentID: shop.agent.AgentID,
        AgentName: 'Maya',
        channel: 'API',
        status: 'OPEN',
        outcome: null,
        language: 'english',
        turnCount: 1,
        preview: 'Do you sell kettles?',
        endedOn: null,
        tokenUsage,
      },
    ]);
    // All of it took less than a second.
    expect(rows[0]?.durationSeconds).toBeGreaterThanOrEqual(1);
    const choice = { ConversationalLogKeyID: rows[0]?.ConversationalLogKeyID ?? '' };
    const { turns } = await installation.bus.ask(getConversationLog, choice, { principal: shop.owner });
    expect(turns).toMatchObject([
      { sender: 'user', text: 'Do you sell kettles?', latency: null },
      { sender: 'assistant', isInterrupted: false, tokenUsage, latency: { totalMs: expect.any(Number) } },
    ]);
  });

  it('search both sides, taking wildcards literally', async () => {
    const shop = installation.shop();
    await installation.ask(shop.caller, 'Is 50% off real?');
    await installation.ask(shop.caller, 'Is 500 off real?');
    expect((await list(shop, { search: '50%' })).totalCount).toBe(1);
    expect((await list(shop, { search: 'I do not know' })).totalCount).toBe(2);
    expect((await list(shop, { search: 'teapot' })).totalCount).toBe(0);
  });

  it('filter by agent, channel and outcome', async () => {
    const shop = installation.shop();
    await installation.ask(shop.caller, 'hello');
    const { sessionUUID } = await installation.bus.ask(openSession, { channel: 'PHONE' }, { principal: shop.caller });
    await installation.bus.ask(endSession, { sessionUUID, reason: 'CALL_ENDED' }, { principal: shop.caller });
    expect((await list(shop)).totalCount).toBe(2);
    expect((await list(shop, { channel: 'PHONE' })).rows).toMatchObject([{ sessionUUID }]);
    expect((await list(shop, { outcome: 'ABANDONED' })).rows).toMatchObject([{ sessionUUID }]);
    expect((await list(shop, { outcome: 'ANSWERED' })).rows).toEqual([]);
    expect((await list(shop, { AgentID: shop.agent.AgentID })).totalCount).toBe(2);
    await expect(list(shop, { AgentKeyID: randomUUID() })).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('take a bare date as the organization’s whole day, both bounds included', async () => {
    const shop = installation.shop();
    const { sessionUUID } = await installation.ask(shop.caller, 'hello');
    // 19:00 UTC on the first is 00:30 on the second in Kolkata.
    await asSuperuser('UPDATE conversation.sessions SET created_on = $2 WHERE session_uuid = $1', [
      sessionUUID,
      '2026-03-01T19:00:00Z',
    ]);
    expect((await list(shop, { startDate: '2026-03-02', endDate: '2026-03-02' })).totalCount).toBe(1);
    expect((await list(shop, { endDate: '2026-03-01' })).totalCount).toBe(0);
    expect((await list(shop, { startDate: '2026-03-03' })).totalCount).toBe(0);
    expect((await list(shop, { startDate: '2026-03-01T19:00:00Z', endDate: '2026-03-01T19:00:00Z' })).totalCount).toBe(1);
  });

  it('page without repeating or skipping', async () => {
    const shop = installation.shop();
    for (let n = 0; n < 5; n++) await installation.ask(shop.caller, `hello ${n}`);
    const pages = await Promise.all(
      [1, 2, 3].map((pageNo) => list(shop, { pageNo, pageSize: 2, sortColumn: 'turnCount', sortOrder: 'ASC' })),
    );
    const seen = pages.flatMap(({ rows }) => rows.map((row) => row.sessionUUID));
    expect(new Set(seen).size).toBe(5);
    expect(pages.map(({ rows }) => rows.length)).toEqual([2, 2, 1]);
  });

  it('show members limited to some agents only those conversations, and nobody another organization’s', async () => {
    const shop = installation.shop();
    await installation.ask(shop.caller, 'hello');
    const { rows } = await list(shop);
    const choice = { ConversationalLogKeyID: rows[0]?.ConversationalLogKeyID ?? '' };
    const restricted = { ...shop.owner, agentIds: [shop.agent.AgentID + 1] };
    const seen = await installation.bus.ask(listConversationLogs, {}, { principal: restricted });
    expect(seen.totalCount).toBe(0);
    for (const principal of [restricted, installation.shop().owner]) {
      await expect(installation.bus.ask(getConversationLog, choice, { principal })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    }
  });

  it('link a conversation’s recording, for those who may read its log only', async () => {
    const shop = installation.shop();
    const { sessionUUID } = await installation.bus.ask(openSession, { channel: 'PHONE' }, { principal: shop.caller });
    const read = async () => {
      const { rows } = await list(shop);
      const choice = { ConversationalLogKeyID: rows[0]?.ConversationalLogKeyID ?? '' };
      return { choice, ...(await installation.bus.ask(getConversationLog, choice, { principal: shop.owner })) };
    };
    const { choice, recordingUrl } = await read();
    expect(recordingUrl).toBeNull();
    await expect(installation.bus.ask(findRecording, choice, { principal: shop.owner })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
    const ended = { sessionUUID, reason: 'CALL_ENDED', recordingKey: 'recordings/1/a.wav' } as const;
    await installation.bus.ask(endSession, ended, { principal: shop.caller });
    expect((await read()).recordingUrl).toBe(
      `/api/v1/external/logs/recording?ConversationalLogKeyID=${choice.ConversationalLogKeyID}`,
    );
    await expect(installation.bus.ask(findRecording, choice, { principal: shop.owner })).resolves.toEqual({
      fileKey: 'recordings/1/a.wav',
    });
    for (const principal of [{ ...shop.owner, agentIds: [shop.agent.AgentID + 1] }, installation.shop().owner]) {
      await expect(installation.bus.ask(findRecording, choice, { principal })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    }
  });

  async function asSuperuser(statement: string, values: unknown[]): Promise<void> {
    const client = new Client({ connectionString: installation.database.adminUrl });
    await client.connect();
    await client.query(statement, values).finally(() => client.end());
  }
});
