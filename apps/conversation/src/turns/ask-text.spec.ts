import { randomUUID } from 'node:crypto';
import { getHistory } from '@parley/contracts';
import { Installation } from '../installation.suite';
import { noKnowledge } from '../surroundings.suite';

const faq = {
  KBFAQKeyID: '1b2d4f60-8b0c-4d2e-9f4a-6b8c0d2e4f6a',
  KBFAQID: 21,
  Question: 'When do you deliver?',
  Answer: 'Within three working days in Pune.',
  score: 0.97,
};
const passage = (text: string, excerpt = '') => ({
  text,
  excerpt,
  score: 0.8,
  source: { kind: 'DOCUMENT' as const, id: 8, keyID: randomUUID(), title: 'returns.pdf', page: 1, row: null },
});

describe('a question by text', () => {
  let installation: Installation;
  beforeAll(async () => {
    installation = await Installation.start();
  });
  beforeEach(() => {
    installation.surroundings.retrieve = () => noKnowledge;
  });
  afterAll(() => installation.stop());

  it('gets the stored answer word for word', async () => {
    installation.surroundings.retrieve = () => ({ ...noKnowledge, faq, isKnown: true });
    const { caller } = installation.shop();
    const { answer, detectedLanguage, tokenUsage, sources } = await installation.ask(caller, 'When will it be delivered?');
    expect(answer).toBe(faq.Answer);
    expect(detectedLanguage).toBe('english');
    expect(tokenUsage.completionTokens).toBeGreaterThan(4);
    expect(tokenUsage.totalTokens).toBe(tokenUsage.promptTokens + tokenUsage.completionTokens);
    expect(sources).toBeUndefined();
  });

  it('quotes a stored answer of another language in the language and the letters of the question', async () => {
    installation.surroundings.retrieve = () => ({ ...noKnowledge, faq, isKnown: true });
    const { caller } = installation.shop();
    const answerTo = async (question: string) => (await installation.ask(caller, question)).answer;
    expect(await answerTo('डिलीवरी कब होती है?')).toBe(`हमारी जानकारी में यह लिखा है: “${faq.Answer}”`);
    expect(await answerTo('delivery kab hoti hai aapke yahan?')).toBe(`hamari jaankari mein yeh likha hai: “${faq.Answer}”`);
  });

  it('gets hours as they were found for its language, however short', async () => {
    installation.surroundings.retrieve = () => ({ ...noKnowledge, fact: 'रविवार: बंद.', isKnown: true });
    const { caller } = installation.shop();
    expect((await installation.ask(caller, 'रविवारी दुकान चालू आहे का?')).answer).toBe('रविवार: बंद.');
  });

  it('shows the sources of its answer on request', async () => {
    installation.surroundings.retrieve = () => ({ ...noKnowledge, faq, isKnown: true });
    const { caller } = installation.shop();
    const { sources } = await installation.ask(caller, 'When will it be delivered?', { includeSources: true });
    expect(sources).toEqual([{ kind: 'FAQ', title: faq.Question, id: 21, keyID: faq.KBFAQKeyID, score: 0.97 }]);
  });

  it('is answered with the sentences of a document that answer it, never with one that is only similar', async () => {
    const excerpt = 'Goods may be returned within 30 days.';
    const passages = [passage('Our shop is old.'), passage(`Our shop is old. ${excerpt} We collect them.`, excerpt)];
    installation.surroundings.retrieve = () => ({ ...noKnowledge, passages, isKnown: true });
    const { caller } = installation.shop();
    expect((await installation.ask(caller, 'Can goods be returned after two weeks?')).answer).toBe(excerpt);
    installation.surroundings.retrieve = () => ({ ...noKnowledge, passages: passages.slice(0, 1), isKnown: true });
    expect((await installation.ask(caller, 'Is the shop far?')).answer).toContain('I do not know');
  });

  it('is searched together with the previous questions if it continues them', async () => {
    const heard: (readonly string[] | undefined)[] = [];
    installation.surroundings.retrieve = ({ query, before, wants }) => {
      if (wants !== 'READING') heard.push(before);
      const goesOn = query === 'and is it available?';
      return before ? { ...noKnowledge, fact: 'It is.', isKnown: true } : { ...noKnowledge, leansOnBefore: goesOn };
    };
    const { caller } = installation.shop();
    const { sessionUUID } = await installation.ask(caller, 'How much is the kettle?');
    await installation.ask(caller, 'Do you repair it as well as that?', { sessionUUID });
    const { answer } = await installation.ask(caller, 'and is it available?', { sessionUUID });
    expect(answer).toBe('It is.');
    expect(heard).toEqual([undefined, undefined, undefined, ['How much is the kettle?', 'Do you repair it as well as that?']]);
  });

  it.each([
    ['hello', 'Hello, this is Maya of Demo Bazaar.', 'english'],
    ['What is the capital of Peru?', 'I do not know', 'english'],
    ['क्या आप हवाई टिकट बेचते हैं?', 'मुझे “हवाई टिकट” के बारे में जानकारी नहीं है', 'hindi'],
    ['तुम्ही विमानाची तिकिटे विकता का?', 'मला “विमानाची तिकिटे” याबद्दल माहिती नाही', 'marathi'],
  ])('is answered honestly in its own language if nothing is known: %s', async (question, expected, language) => {
    const { caller } = installation.shop();
    const { answer, detectedLanguage } = await installation.ask(caller, question);
    expect(answer).toContain(expected);
    expect(detectedLanguage).toBe(language);
  });

  it('continues its session, whose history holds both sides in order', async () => {
    const { caller, agent } = installation.shop();
    const first = await installation.ask(caller, 'hello');
    const second = await installation.ask(caller, 'thanks', { sessionUUID: first.sessionUUID });
    expect(second.sessionUUID).toBe(first.sessionUUID);
    const history = await installation.bus.ask(getHistory, { sessionUUID: first.sessionUUID }, { principal: caller });
    expect(history).toMatchObject({ sessionUUID: first.sessionUUID, AgentID: agent.AgentID });
    expect(Date.now() - Date.parse(history.createdAt)).toBeLessThan(60_000);
    expect(history.chatHistory).toEqual([
      { sender: 'user', text: 'hello' },
      { sender: 'assistant', text: first.answer },
      { sender: 'user', text: 'thanks' },
      { sender: 'assistant', text: second.answer },
    ]);
  });

  it('finds no session that is unknown or belongs to another agent or organization', async () => {
    const [one, other] = [installation.shop(), installation.shop()];
    const { sessionUUID } = await installation.ask(one.caller, 'hello');
    const colleague = { ...one.caller, agentId: 4711 };
    installation.surroundings.agents.get(one.caller.orgId)?.push({ ...one.agent, AgentID: 4711, AgentKeyID: randomUUID() });
    for (const [principal, session] of [
      [one.caller, randomUUID()],
      [colleague, sessionUUID],
      [other.caller, sessionUUID],
    ] as const) {
      await expect(installation.ask(principal, 'hello', { sessionUUID: session })).rejects.toMatchObject({ code: 'NOT_FOUND' });
      const read = installation.bus.ask(getHistory, { sessionUUID: session }, { principal });
      await expect(read).rejects.toMatchObject({ code: 'NOT_FOUND' });
    }
  });

  it('must name the agent with a workspace key, unless its session does', async () => {
    const { owner, agent } = installation.shop();
    await expect(installation.ask(owner, 'hello')).rejects.toMatchObject({
      code: 'VALIDATION_FAILED',
      details: [{ field: 'AgentKeyID' }],
    });
    const { sessionUUID } = await installation.ask(owner, 'hello', { AgentKeyID: agent.AgentKeyID });
    await expect(installation.ask(owner, 'thanks', { sessionUUID })).resolves.toMatchObject({ sessionUUID });
  });

  it('reaches only the agents of a restricted member', async () => {
    const { owner, agent } = installation.shop();
    const restricted = { ...owner, agentIds: [agent.AgentID + 1] };
    const asked = installation.ask(restricted, 'hello', { AgentKeyID: agent.AgentKeyID });
    await expect(asked).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('fails as a whole when knowledge is unavailable, and is not in history', async () => {
    const { caller } = installation.shop();
    const { sessionUUID } = await installation.ask(caller, 'hello');
    installation.surroundings.retrieve = () => Promise.reject(new Error('disk on fire'));
    await expect(installation.ask(caller, 'And then?', { sessionUUID })).rejects.toMatchObject({ code: 'INTERNAL' });
    installation.surroundings.retrieve = () => noKnowledge;
    await installation.ask(caller, 'thanks', { sessionUUID });
    const { chatHistory } = await installation.bus.ask(getHistory, { sessionUUID }, { principal: caller });
    expect(chatHistory.map(({ text }) => text)).not.toContain('And then?');
    expect(chatHistory).toHaveLength(4);
  });
});
