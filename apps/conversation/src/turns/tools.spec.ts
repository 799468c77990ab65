import { conversationEnded, Fault, getConversationLog, listConversationLogs } from '@parley/contracts';
import { type ModelEvent, type ModelRequest, ScriptedLanguageModel, spoken } from '@parley/ports';
import { Installation } from '../installation.suite';
import { noKnowledge } from '../surroundings.suite';

const calling = (name: string, given: unknown): ModelEvent[] => [
  { type: 'tool-call', call: { id: 'c1', name, arguments: given } },
  { type: 'finish', reason: 'tool-calls', usage: { promptTokens: 3, completionTokens: 2 } },
];
const toldOf = ({ messages }: ModelRequest) => messages.flatMap((message) => (message.role === 'tool' ? [message.text] : []));

describe('a turn with tools', () => {
  let installation: Installation;
  const model = new ScriptedLanguageModel(() => []);
  beforeAll(async () => {
    installation = await Installation.start();
    installation.model = model;
  });
  beforeEach(() => {
    model.requests.length = 0;
    installation.surroundings.retrieve = () => noKnowledge;
  });
  afterAll(() => installation.stop());

  it.each([
    ['search_knowledge', { query: 'delivery days' }, 'delivery days'],
    ['price_and_availability', { name: 'steel kettle' }, 'How much does steel kettle cost, and is it available?'],
  ])('queries the tables by %s and counts the tokens of both steps', async (name, given, query) => {
    const { caller } = installation.shop();
    installation.surroundings.retrieve = (asked) =>
      asked.query === query ? { ...noKnowledge, fact: 'The fact.', isKnown: true } : noKnowledge;
    model.script = (request) =>
      toldOf(request).length === 0 ? calling(name, given) : spoken(`I read: ${toldOf(request).join()}`);
    const { answer, tokenUsage } = await installation.ask(caller, 'What does the table say?');
    expect(answer).toBe('I read: The fact.');
    expect(tokenUsage).toEqual({ promptTokens: 13, completionTokens: 7, totalTokens: 20 });
  });

  it.each([
    ['a tool that does not exist', 'no_such_tool', {}, 'There is no such tool.'],
    ['arguments that are no object', 'price_and_availability', 'not json {', 'Wrong arguments'],
    ['a search for nothing', 'search_knowledge', { query: ' ' }, 'Wrong arguments'],
    ['a price that the catalogue does not have', 'price_and_availability', { name: 'sofa' }, 'Not found'],
    ['a search that finds nothing', 'search_knowledge', { query: 'sofa' }, 'Not found'],
    ['an argument of great length', 'price_and_availability', { name: 'x'.repeat(5000) }, 'Wrong arguments'],
  ])('reports %s to the model and goes on', async (_title, name, given, expected) => {
    model.script = (request) => (toldOf(request).length === 0 ? calling(name, given) : spoken(`Told: ${toldOf(request).join()}`));
    const { answer } = await installation.ask(installation.shop().caller, 'Go on.');
    expect(answer).toContain(expected);
  });

  it('shortens a tool’s result, and goes on when a tool fails', async () => {
    let asked = 0;
    installation.surroundings.retrieve = () => {
      asked += 1;
      if (asked === 1) return noKnowledge;
      if (asked === 2) return { ...noKnowledge, fact: 'long '.repeat(5000), isKnown: true };
      throw new Error('the tables are away');
    };
    model.script = (request) => (toldOf(request).length < 2 ? calling('search_knowledge', { query: 'more' }) : spoken('Good.'));
    await expect(installation.ask(installation.shop().caller, 'Go on.')).resolves.toMatchObject({ answer: 'Good.' });
    const [long, failed] = toldOf(model.requests.at(-1) ?? ({ ...model.requests[0], messages: [] } as ModelRequest));
    expect(long).toHaveLength(4000);
    expect(failed).toContain('The tool failed');
  });

  it('goes on without a deleted knowledge base', async () => {
    installation.surroundings.retrieve = () => {
      throw new Fault('NOT_FOUND', { message: 'There is no such knowledge base.' });
    };
    model.script = () => spoken('I do not know that yet.');
    const answered = installation.ask(installation.shop().caller, 'When are you open?');
    await expect(answered).resolves.toMatchObject({ answer: 'I do not know that yet.' });
  });

  it.each([
    ['<', 'img src="/api/x">', '< img src="/api/x">'],
    ['[x]', '(/logout)', '[x] (/logout)'],
    ['See javascript', ':alert(1)', 'See javascript :alert(1)'],
    ['Let me see.', 'We are open.', 'Let me see. We are open.'],
  ])('says %s and then %s, around a tool, as two words', async (before, after, heard) => {
    model.script = (request) =>
      toldOf(request).length === 0
        ? [{ type: 'text', text: before }, ...calling('search_knowledge', { query: 'more' })]
        : spoken(after);
    await expect(installation.ask(installation.shop().caller, 'Go on.')).resolves.toMatchObject({ answer: heard });
  });

  it('ends after five steps, the last one without tools', async () => {
    model.script = ({ tools }) => (tools.length > 0 ? calling('search_knowledge', { query: 'more' }) : spoken('Enough.'));
    await expect(installation.ask(installation.shop().caller, 'Go on for ever.')).resolves.toMatchObject({ answer: 'Enough.' });
    expect(model.requests).toHaveLength(5);
  });

  it('is no answer if a model calls tools to the last', async () => {
    model.script = () => calling('search_knowledge', { query: 'more' });
    await expect(installation.ask(installation.shop().caller, 'Go on for ever.')).rejects.toMatchObject({
      code: 'MODEL_PROVIDER_UNAVAILABLE',
    });
  });

  it.each([
    ['nothing for both', { promptTokens: 0, completionTokens: 0 }],
    ['nothing for the prompt', { promptTokens: 0, completionTokens: 9 }],
    ['nothing for what it wrote', { promptTokens: 9, completionTokens: 0 }],
  ])('is counted by us where a model reports %s', async (_what, usage) => {
    model.script = () => spoken('We deliver within three days.', usage);
    const { tokenUsage } = await installation.ask(installation.shop().caller, 'When?');
    expect(tokenUsage.promptTokens).toBeGreaterThan(10);
    expect(tokenUsage.completionTokens).toBeGreaterThan(3);
  });

  it('ends the conversation after the answer, publishes that, and can be resumed', async () => {
    const { caller, owner } = installation.shop();
    model.script = () => [{ type: 'text', text: 'Goodbye!' }, ...calling('end_conversation', {})];
    const ended = installation.nextEvent(conversationEnded);
    const { sessionUUID } = await installation.ask(caller, 'That was all.');
    await expect(ended).resolves.toMatchObject({
      sessionUUID,
      reason: 'ENDED_BY_AGENT',
      turnCount: 1,
      channel: 'API',
      totalTokens: 5,
    });
    const logs = () => installation.bus.ask(listConversationLogs, {}, { principal: owner });
    expect((await logs()).rows).toMatchObject([{ status: 'ENDED', outcome: 'UNANSWERED' }]);
    model.script = () => spoken('Welcome back.');
    await installation.ask(caller, 'One more thing.', { sessionUUID });
    const { rows } = await logs();
    expect(rows).toMatchObject([{ status: 'OPEN', outcome: null, turnCount: 2 }]);
    const choice = { ConversationalLogKeyID: rows[0]?.ConversationalLogKeyID ?? '' };
    const { turns } = await installation.bus.ask(getConversationLog, choice, { principal: owner });
    expect(turns.map(({ text }) => text)).toEqual(['That was all.', 'Goodbye!', 'One more thing.', 'Welcome back.']);
  });
});
