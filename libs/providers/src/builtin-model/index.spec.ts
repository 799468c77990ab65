/** @quiet Judged by CPU time. */
import { aModelRequest, type Grounds, type ModelEvent, type ModelRequest } from '@parley/ports';
import { describeLanguageModel } from '@parley/ports/suites';
import { BuiltinModel } from './index';

const grounds: Grounds = { language: 'english', agentName: 'Maya', greeting: 'Hello, this is Maya.', passages: [] };
const passages = [
  { title: 'profile', text: 'Demo Bazaar sells household goods.', excerpt: '' },
  { title: 'returns', text: 'Returns. Goods may be returned within 30 days.', excerpt: 'Goods may be returned within 30 days.' },
];

async function say(text: string, given: Partial<Grounds> = {}): Promise<string> {
  const request = aModelRequest({ messages: [{ role: 'user', text }], grounds: { ...grounds, ...given } });
  const events: ModelEvent[] = [];
  for await (const event of new BuiltinModel().stream(request, new AbortController().signal)) events.push(event);
  return events.map((event) => (event.type === 'text' ? event.text : '')).join('');
}

describeLanguageModel('the builtin model', () => new BuiltinModel());

describe('the builtin model', () => {
  it('quotes what answers the question, and nothing that only resembles it', async () => {
    await expect(say('How long may goods be returned?', { passages })).resolves.toBe('Goods may be returned within 30 days.');
    await expect(say('Do you sell bicycles?', { passages: passages.slice(0, 1) })).resolves.toContain('I do not know');
  });

  it.each([
    ['Thanks a lot, that was helpful', 'welcome'],
    ['Good morning Maya', 'Hello, this is Maya.'],
    ['ok bye', 'Goodbye'],
    ['are you a real person?', 'automated assistant'],
    ['What can you do?', 'Ask me about'],
    ['How are you?', 'I am well'],
    ['ok', 'All right'],
    ['👍', 'All right'],
    ['that is all for today, bye!', 'Goodbye'],
    ['you are useless', 'I am sorry that I was no help'],
  ])('has words of its own for: %s', async (remark, answer) => {
    await expect(say(remark)).resolves.toContain(answer);
  });

  it.each([
    ['Thanks, when do you open?', 'We open at 9 AM.'],
    ['hello, do you sell kettles', 'We sell kettles of steel and copper.'],
    ['is my old kettle useless?', 'An old kettle is repaired for ₹200.'],
  ])('takes for a question: %s', async (asked, excerpt) => {
    await expect(say(asked, { passages: [{ title: '', text: excerpt, excerpt }] })).resolves.toBe(excerpt);
    // What was found and says nothing of what was asked is no answer to it.
    await expect(say(asked, { passages })).resolves.toContain('I do not know');
  });

  it('greets in the agent’s words, thanks, says who it is and says goodbye', async () => {
    await expect(say('Hello!')).resolves.toBe('Hello, this is Maya.');
    await expect(say('Thank you')).resolves.toContain('welcome');
    await expect(say('Who are you?')).resolves.toContain('I am Maya, an automated assistant');
    await expect(say('Bye')).resolves.toContain('Goodbye');
  });

  it('greets in the language of the caller where the agent’s greeting is in another', async () => {
    await expect(say('नमस्ते', { language: 'hindi' })).resolves.toContain('मैं Maya हूँ');
  });

  it('asks for the end after a farewell, where that is offered', async () => {
    const end = { name: 'end_conversation', description: '', parameters: {} };
    const request = aModelRequest({ messages: [{ role: 'user', text: 'Goodbye!' }], tools: [end], grounds });
    const events: ModelEvent[] = [];
    for await (const event of new BuiltinModel().stream(request, new AbortController().signal)) events.push(event);
    expect(events.slice(-2)).toMatchObject([
      { type: 'tool-call', call: { name: 'end_conversation' } },
      { type: 'finish', reason: 'tool-calls' },
    ]);
  });

  it('has who asks never to be called again taken off the list, where that is offered, and then says so and ends', async () => {
    const tools = ['do_not_call_again', 'end_conversation'].map((name) => ({ name, description: '', parameters: {} }));
    const asked = { role: 'user', text: 'Please stop calling me.' } as const;
    const events = async (messages: ModelRequest['messages'], offered = tools): Promise<ModelEvent[]> => {
      const request = aModelRequest({ messages, tools: offered, grounds });
      const said: ModelEvent[] = [];
      for await (const event of new BuiltinModel().stream(request, new AbortController().signal)) said.push(event);
      return said;
    };
    const textOf = (said: ModelEvent[]) => said.map((event) => (event.type === 'text' ? event.text : '')).join('');
    expect(await events([asked])).toMatchObject([
      { type: 'tool-call', call: { name: 'do_not_call_again' } },
      { type: 'finish', reason: 'tool-calls' },
    ]);
    const told = (text: string): ModelRequest['messages'] => [
      asked,
      { role: 'assistant', text: '', toolCalls: [] },
      { role: 'tool', callId: 'c1', name: 'do_not_call_again', text },
    ];
    const promised = await events(told('They will not be called again. Say so, and say goodbye.'));
    expect(textOf(promised)).toContain('You will not be called again.');
    expect(promised.at(-2)).toMatchObject({ call: { name: 'end_conversation' } });
    const failed = await events(told('This could not be written down.'));
    expect(textOf(failed)).toContain('could not write that down');
    expect(failed.at(-1)).toMatchObject({ type: 'finish', reason: 'stop' });
    // Where no one is on the telephone there is no number to be taken off.
    expect((await events([asked], [])).some(({ type }) => type === 'tool-call')).toBe(false);
  });

  it('says that it does not know rather than quoting nothing', async () => {
    await expect(say('What is the capital of Peru?')).resolves.toContain('I do not know');
  });

  it('reads a hundred thousand letters of nonsense with little work', async () => {
    // Work, not time: another process may have the core meanwhile.
    const before = process.cpuUsage();
    await say('a'.repeat(8000), { passages: [{ title: 'n', text: 'अ'.repeat(4000), excerpt: '' }] });
    expect(process.cpuUsage(before).user / 1000).toBeLessThan(2000);
  });
});
