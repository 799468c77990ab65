import { readTurnFacts, recordHeardText } from '@parley/contracts';
import { ProviderFailure, ScriptedLanguageModel } from '@parley/ports';
import { eventually } from '@parley/testing';
import { Client } from 'pg';
import { Installation, type Shop } from '../installation.suite';

let installation: Installation;
let sql: Client;

beforeAll(async () => {
  installation = await Installation.start();
  sql = new Client({ connectionString: installation.database.adminUrl, options: '-c search_path=conversation' });
  await sql.connect();
});
afterAll(async () => {
  await sql.end();
  await installation.stop();
});

const read = (after = '', limit = 400) => installation.bus.ask(readTurnFacts, { after, limit });

async function placeNow(): Promise<string> {
  for (let after = ''; ;) {
    const page = await read(after);
    if (page.after === after) return after;
    ({ after } = page);
  }
}

/** Turns reported after this position, once there are this many: any open transaction on the server holds back newer ones. */
async function told(place: string, count: number) {
  let page = await read(place);
  await eventually(`${count} turns are told`, async () => (page = await read(place)).turns.length >= count);
  return page;
}

async function asked({ caller }: Shop, question: string) {
  const place = await placeNow();
  const answer = await installation.ask(caller, question);
  return { place, ...answer };
}

describe('turns, as read by services that count', () => {
  it('appear once ended, with the question if nothing was known', async () => {
    const shop = installation.shop();
    const { place, sessionUUID, tokenUsage } = await asked(shop, 'Do you deliver to Nashik on Sundays?');
    const { turns } = await told(place, 1);
    expect(turns).toMatchObject([
      {
        orgId: shop.caller.orgId,
        sessionUUID,
        AgentID: shop.agent.AgentID,
        status: 'COMPLETED',
        turnNumber: 1,
        isKnown: false,
        question: 'Do you deliver to Nashik on Sundays?',
        promptTokens: tokenUsage.promptTokens,
      },
    ]);
  });

  it('name the providers that failed, even without an answer', async () => {
    const shop = installation.shop();
    const place = await placeNow();
    const { model } = installation;
    installation.model = new ScriptedLanguageModel(() => {
      throw new ProviderFailure('scripted', 'status 429', { retryable: true, retryAfterMs: 6500 });
    });
    await expect(installation.ask(shop.caller, 'Do you deliver to Nashik?')).rejects.toMatchObject({
      code: 'MODEL_PROVIDER_UNAVAILABLE',
    });
    installation.model = model;
    const { turns } = await told(place, 1);
    expect(turns).toMatchObject([
      { status: 'FAILED', providerErrors: [{ role: 'LANGUAGE_MODEL', provider: 'scripted', kind: 'BUSY' }] },
    ]);
  });

  it('appear again when corrected', async () => {
    const shop = installation.shop();
    const { place, sessionUUID } = await asked(shop, 'When are you open?');
    const first = await told(place, 1);
    const turnUUID = first.turns[0]?.turnUUID ?? '';
    await installation.bus.ask(
      recordHeardText,
      { sessionUUID, turnUUID, heardText: 'We', playedMs: 100 },
      { principal: shop.caller },
    );
    const { turns } = await told(first.after, 1);
    expect(turns).toMatchObject([{ turnUUID, status: 'INTERRUPTED' }]);
  });

  it('are paged without repeating or skipping', async () => {
    const shop = installation.shop();
    const place = await placeNow();
    for (let turn = 0; turn < 5; turn += 1) await installation.ask(shop.caller, 'When are you open?');
    await told(place, 5);
    const seen: string[] = [];
    for (let page = await read(place, 2); page.turns.length > 0; page = await read(page.after, 2))
      seen.push(...page.turns.map(({ turnUUID }) => turnUUID));
    expect(new Set(seen).size).toBe(5);
    expect(seen).toHaveLength(5);
  });

  it('are not skipped if an earlier number commits later', async () => {
    const shop = installation.shop();
    const { sessionUUID, place: before } = await asked(shop, 'When are you open?');
    const { after: place } = await told(before, 1);
    await sql.query('BEGIN');
    await sql.query(
      `INSERT INTO turn_changes (org_id, turn_uuid) SELECT turns.org_id, turn_uuid FROM turns JOIN sessions ON sessions.id = session_id
       WHERE session_uuid = $1`,
      [sessionUUID],
    );
    await installation.ask(shop.caller, 'Where are you?');
    const meanwhile = await read(place);
    expect(meanwhile.turns).toEqual([]);
    await sql.query('COMMIT');
    expect((await told(meanwhile.after, 2)).turns).toHaveLength(2);
  });

  it('are not readable with any key', async () => {
    const { owner } = installation.shop();
    const asking = installation.bus.ask(readTurnFacts, { after: '' }, { principal: owner });
    await expect(asking).rejects.toMatchObject({ code: 'SCOPE_MISSING' });
  });
});
