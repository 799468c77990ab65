import { randomUUID } from 'node:crypto';
import {
  getConversationLog,
  getHistory,
  listConversationLogs,
  openSession,
  recordHeardText,
  recordUnanswered,
  streamTurn,
} from '@parley/contracts';
import { ProviderFailure, ScriptedLanguageModel, spoken } from '@parley/ports';
import { Installation, type Shop } from '../installation.suite';

const question = 'Please enter the conference pin number.';

describe('a spoken question that no model answered', () => {
  let installation: Installation;
  let shop: Shop;
  const model = new ScriptedLanguageModel(() => []);
  beforeAll(async () => {
    installation = await Installation.start();
    installation.model = model;
  });
  beforeEach(() => {
    model.requests.length = 0;
    shop = installation.shop();
  });
  afterAll(() => installation.stop());

  const asCaller = () => ({ principal: shop.caller });
  const open = async (channel: 'VOICE' | 'WIDGET' | 'API') =>
    (await installation.bus.ask(openSession, { channel }, asCaller())).sessionUUID;
  const fails = (said = '') =>
    async function* () {
      if (said) yield { type: 'text' as const, text: said };
      throw new ProviderFailure('scripted', 'it is down', { retryable: false });
    };
  /** Asks, and returns the turn's id. */
  const ask = async (sessionUUID: string, asked: string, more: object = {}): Promise<string> => {
    let id = '';
    const body = { question: asked, sessionUUID, channel: 'VOICE' as const, reportsHeard: true, ...more };
    try {
      for await (const item of installation.bus.stream(streamTurn, body, asCaller()))
        if (item.type === 'session') id = item.turnUUID;
    } catch {
      return id;
    }
    return id;
  };
  const history = async (sessionUUID: string) =>
    (await installation.bus.ask(getHistory, { sessionUUID }, asCaller())).chatHistory;
  const loggedTurns = async () => {
    const { rows } = await installation.bus.ask(listConversationLogs, {}, { principal: shop.owner });
    const choice = { ConversationalLogKeyID: rows[0]?.ConversationalLogKeyID ?? '' };
    return (await installation.bus.ask(getConversationLog, choice, { principal: shop.owner })).turns;
  };
  const promptsOfLast = () => JSON.stringify(model.requests.at(-1));

  it('stands in history, with what was heard of its answer, and the next prompt has both', async () => {
    const sessionUUID = await open('VOICE');
    model.script = fails('This is a long answer. ');
    const turnUUID = await ask(sessionUUID, question);
    expect(await history(sessionUUID)).toEqual([{ sender: 'user', text: question }]);
    await installation.bus.ask(recordHeardText, { sessionUUID, turnUUID, heardText: 'This is a', playedMs: 900 }, asCaller());
    expect(await history(sessionUUID)).toEqual([
      { sender: 'user', text: question },
      { sender: 'assistant', text: 'This is a' },
    ]);
    expect((await loggedTurns()).map(({ text }) => text)).toEqual([question, 'This is a']);
    model.script = () => spoken('All right.');
    await ask(sessionUUID, 'Yes, do that.');
    expect(promptsOfLast()).toContain(question);
    expect(promptsOfLast()).toContain('This is a');
    expect(promptsOfLast()).not.toContain('a long answer');
  });

  it('stands there once, though an answer was begun and failed before the caller had finished', async () => {
    const sessionUUID = await open('VOICE');
    model.script = fails();
    await ask(sessionUUID, 'Please enter', { isSpeculative: true });
    await ask(sessionUUID, question);
    expect(await history(sessionUUID)).toEqual([{ sender: 'user', text: question }]);
  });

  it('is asked again by a client that writes, and stands there once it is answered', async () => {
    const sessionUUID = await open('API');
    model.script = fails();
    await ask(sessionUUID, question, { channel: 'API', reportsHeard: false });
    expect(await history(sessionUUID)).toEqual([]);
  });

  it('stands in the history of a widget too, where it was left when the visitor closed the page', async () => {
    const sessionUUID = await open('WIDGET');
    await installation.bus.ask(recordUnanswered, { sessionUUID, turnUUID: randomUUID(), question }, asCaller());
    expect(await history(sessionUUID)).toEqual([{ sender: 'user', text: question }]);
  });
});
