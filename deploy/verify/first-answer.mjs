// From an empty Postgres to the first answer, with the operator's command and the public API alone, on any form of an installation.
import assert from 'node:assert/strict';

/** `installation` is migrated and started, and nobody has ever used it. Answers what stands in the table of checks. */
export async function firstAnswer(installation) {
  const api = apiOf(installation.url);
  const first = [
    'organization',
    'create',
    '--name',
    'Corner Shop',
    '--owner-email',
    'asha@corner.example',
    '--owner-name',
    'Asha',
    '--json',
  ];
  const made = await ask(installation, first);
  assert.match(made.key, /^wsk_/);
  const again = await ask(installation, first);
  assert.deepEqual([again.OrgID, again.key], [made.OrgID, null], 'asked again, it makes nothing');
  const agent = await makeAgent(api, made.key);
  const agentKey = await keyOf(api, made.key, { agent, name: 'Website' });
  const question = { question: 'When are you open?' };
  const refused = await api('/api/v1/ttt', agentKey, question);
  assert.deepEqual([refused.status, refused.body.error?.code ?? refused.body.code], [403, 'CREDITS_EXHAUSTED']);
  const grant = [
    'credits',
    'grant',
    '--organization',
    String(made.OrgID),
    '--ttt',
    '100000',
    '--reference',
    '7b1e0c52-2f7a-4f0e-9a55-6c1f3b2d8e10',
    '--json',
  ];
  const [granted] = await ask(installation, grant);
  const [same] = await ask(installation, grant);
  assert.deepEqual([granted.available, same.available], [100_000, 100_000], 'the same reference adds once');
  const answer = await until(
    () => api('/api/v1/ttt', agentKey, question),
    ({ status, body }) => status === 200 && /half past nine|9:30/.test(body.answer),
  );
  const spent = await done(api('/api/v1/external/credits/balance', made.key));
  assert.ok(JSON.stringify(spent).includes('"held":0'), 'nothing stays held');
  const actions = await ask(installation, ['actions', 'list', '--json']);
  assert.ok(actions.some(({ action, outcome }) => action === 'credits.grant' && outcome === 'OK'));
  return { agent, agentKey, made, figures: `answered: ${answer.body.answer.slice(0, 60)}` };
}

/** The rest of what an operator can do, on an installation that `firstAnswer` has used. */
export async function operatorsCommands(installation, { made, agentKey }) {
  const api = apiOf(installation.url);
  const org = String(made.OrgID);
  const set = await ask(installation, ['prices', 'set', '--organization', org, '--tts', '1500', '--json']);
  assert.equal(set.TTS_API, 1_500);
  const { balances } = (await done(api('/api/v1/external/credits/balance', made.key))).data;
  assert.equal(balances.find(({ kind }) => kind === 'TTS_API').unitsPerThousand, 1_500);
  await ask(installation, [
    'plan',
    'save',
    '--name',
    'tiny',
    '--limits',
    '{"key":{"chat":{"limit":1,"windowSeconds":60}}}',
    '--json',
  ]);
  await ask(installation, ['plan', 'assign', '--organization', org, '--name', 'tiny', '--json']);
  const statuses = [];
  for (let index = 0; index < 3; index += 1) statuses.push((await api('/api/v1/ttt', agentKey, { question: 'Hello' })).status);
  assert.ok(statuses.includes(429), `the plan is in force: ${statuses}`);
  await ask(installation, ['plan', 'assign', '--organization', org, '--json']);
  const bases = await ask(installation, ['knowledge', 'reindex', '--json']);
  assert.equal(bases.length, 1);
  const sealed = await ask(installation, ['secrets', 'rotate', '--json']);
  assert.ok(sealed.every(({ unopened }) => unopened === 0));
  const audit = await api('/api/v1/external/audit/list', made.key, { pageSize: 50 });
  assert.ok(JSON.stringify(audit.body).includes('operator.prices.set'), 'the tenant sees what the operator did');
  const wrong = await installation.admin('credits', 'grant', '--organization', 'seven');
  assert.equal(wrong.code, 64);
  return { figures: '12 commands, audit lines seen by the tenant' };
}

/** An event that was put aside leaves again. */
export async function deadEvents(installation) {
  const id = '5b0c7f0e-6d55-4a86-9f3c-1f8f6f0c2a11';
  await installation.superuser((client) =>
    client.query(
      `INSERT INTO gateway.dead_events (seq, id, subject, org_id, occurred_at, payload, attempts, reason)
       VALUES (1000000, $1, 'gateway.credit.low', 1, now(), '{"kind":"TTT_API","available":1,"threshold":2}', 12, 'tried')`,
      [id],
    ),
  );
  const [listed] = await ask(installation, ['events', 'dead', '--json']);
  assert.deepEqual([listed.id, listed.reason], [id, 'tried']);
  const back = await ask(installation, ['events', 'retry', '--schema', 'gateway', '--json']);
  assert.deepEqual(back, [{ schema: 'gateway', putBack: 1 }]);
  const left = () =>
    installation.superuser(
      async (client) =>
        (await client.query('SELECT count(*)::int AS waiting FROM gateway.outbox WHERE id = $1', [id])).rows[0].waiting,
    );
  await until(left, (waiting) => waiting === 0);
  return { figures: '1 put back, sent' };
}

async function ask(installation, words) {
  const { code, out, err } = await installation.admin(...words);
  assert.equal(code, 0, `${words.slice(0, 2).join(' ')}: ${err}`);
  return JSON.parse(out);
}

export function apiOf(url) {
  return async (place, key, body) => {
    const answer = await fetch(url + place, {
      method: body ? 'POST' : 'GET',
      headers: { 'x-api-key': key, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    return { status: answer.status, body: text.startsWith('{') ? JSON.parse(text) : {} };
  };
}

export async function until(look, isGood) {
  for (const giveUpAt = Date.now() + 60_000; ; await new Promise((resolve) => setTimeout(resolve, 100))) {
    const seen = await look();
    if (isGood(seen)) return seen;
    if (Date.now() > giveUpAt) throw new Error(`still ${JSON.stringify(seen).slice(0, 400)}`);
  }
}

/** A shop with one stored answer and an agent that gives it: what a customer does first. */
async function makeAgent(api, workspaceKey) {
  const base = { KBKeyID: null, KnowledgeBaseName: 'Corner Shop', IndustryID: 1, AgentTypeID: 1, ConversationalModeIDs: '1,2' };
  const { KBID } = (await done(api('/api/v1/external/kb/add-update-kb', workspaceKey, base))).data;
  const faqs = [{ KBFAQID: 0, Question: 'When are you open?', Answer: 'From half past nine to seven.' }];
  await done(api('/api/v1/external/kb-faq/add-update-faq', workspaceKey, { KBID, faqs }));
  const lookups = { AgentTypeID: 1, RegionTypeID: 1, TimeZoneID: 1, IndustryTypeID: 1, LanguageID: 1, ToneID: 1, IconID: 1 };
  const AgentDescription = 'You are the front desk of Corner Shop. Answer about opening hours.';
  const agent = { AgentKeyID: null, TemplateID: 0, AgentName: 'Maya', AgentDescription, ...lookups, KBID };
  return (await done(api('/api/v1/external/agent/add-update-agent', workspaceKey, agent))).data.AgentKeyID;
}

/** One more key of an agent. */
export async function keyOf(api, workspaceKey, { agent, name }) {
  const wanted = { name, kind: 'agt', AgentKeyID: agent };
  return (await done(api('/api/v1/external/integrations/keys', workspaceKey, wanted))).data.key;
}

export async function done(answering) {
  const { status, body } = await answering;
  assert.ok(status < 300, `${status} ${JSON.stringify(body).slice(0, 300)}`);
  return body;
}
