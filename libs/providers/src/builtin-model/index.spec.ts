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

describeLanguageModel('BuiltinModel', () => new BuiltinModel());

describe('BuiltinModel', () => {
  it('quotes what answers the question, not what merely resembles it', async () => {
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
  ])('has a fixed reply to: %s', async (remark, answer) => {
    await expect(say(remark)).resolves.toContain(answer);
  });

  it.each([
    ['Thanks, when do you open?', 'We open at 9 AM.'],
    ['hello, do you sell kettles', 'We sell kettles of steel and copper.'],
    ['is my old kettle useless?', 'An old kettle is repaired for ₹200.'],
  ])('treats as a question: %s', async (asked, excerpt) => {
    await expect(say(asked, { passages: [{ title: '', text: excerpt, excerpt }] })).resolves.toBe(excerpt);
    // A passage that does not mention what was asked is no answer.
    await expect(say(asked, { passages })).resolves.toContain('I do not know');
  });

  it('writes Hindi and Marathi in Latin letters where it is asked in them', async () => {
    const knowledge = '# Products and services\n- Oil change. Price: 480 INR. Available.';
    const told = await say('oil change ka kitna lagega?', { language: 'hindi', isInLatinLetters: true, knowledge });
    expect(told).toBe('Oil change ki keemat ₹480 hai.');
    await expect(say('dhanyavad', { language: 'marathi', isInLatinLetters: true })).resolves.not.toMatch(/[\u0900-\u097f]/u);
  });

  it('greets in the agent’s words, says thanks, who it is, and goodbye', async () => {
    await expect(say('Hello!')).resolves.toBe('Hello, this is Maya.');
    await expect(say('Thank you')).resolves.toContain('welcome');
    await expect(say('Who are you?')).resolves.toContain('I am Maya, an automated assistant');
    await expect(say('Bye')).resolves.toContain('Goodbye');
  });

  it('greets in the caller’s language if the agent’s greeting is in another', async () => {
    await expect(say('नमस्ते', { language: 'hindi' })).resolves.toContain('मैं Maya हूँ');
  });

  it('ends the conversation after a goodbye, if it has the tool', async () => {
    const end = { name: 'end_conversation', description: '', parameters: {} };
    const request = aModelRequest({ messages: [{ role: 'user', text: 'Goodbye!' }], tools: [end], grounds });
    const events: ModelEvent[] = [];
    for await (const event of new BuiltinModel().stream(request, new AbortController().signal)) events.push(event);
    expect(events.slice(-2)).toMatchObject([
      { type: 'tool-call', call: { name: 'end_conversation' } },
      { type: 'finish', reason: 'tool-calls' },
    ]);
  });

  it('puts a caller on the do-not-call list if it has the tool, confirms it and ends', async () => {
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
    // Without a telephone call there is no number to list.
    expect((await events([asked], [])).some(({ type }) => type === 'tool-call')).toBe(false);
  });

  it('says that it does not know if nothing can be quoted', async () => {
    await expect(say('What is the capital of Peru?')).resolves.toContain('I do not know');
  });

  it('handles 100,000 letters of nonsense with little CPU', async () => {
    // CPU time: another process may have the core meanwhile.
    const before = process.cpuUsage();
    await say('a'.repeat(8000), { passages: [{ title: 'n', text: 'अ'.repeat(4000), excerpt: '' }] });
    expect(process.cpuUsage(before).user / 1000).toBeLessThan(2000);
  });
});
