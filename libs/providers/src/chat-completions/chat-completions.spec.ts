import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { Fault } from '@parley/contracts';
import { aModelRequest, type LanguageModel, type ModelEvent } from '@parley/ports';
import { fetchThrough } from '@parley/service-kit';
import { type Adapter, describeGuardedAdapter, describeModelAdapter } from '../model-answer/model-adapter.suite';
import { openAiProtocol } from '../model-answer/openai-protocol.suite';
import { ChatCompletionsModel, openAiCompatible } from './index';

const anywhere = fetchThrough({ isAllowed: () => true, protocols: ['http:'] });
const said = (events: ModelEvent[]) => events.map((event) => (event.type === 'text' ? event.text : '')).join('');
const size = { model: '', contextTokens: 8192 };

/** A server of an organization's own, as conversations open it. */
const ofCustomer: Adapter = {
  open: (access) => openAiCompatible.open({ ...size, config: {}, own: { fetch: anywhere, model: 'small', ...access } }),
  protocol: openAiProtocol,
};
describeModelAdapter('a customer’s server that speaks chat completions', ofCustomer);
describeGuardedAdapter('a customer’s server that speaks chat completions', ofCustomer);

describeModelAdapter('the adapter of servers that speak chat completions', {
  open: (options) => new ChatCompletionsModel({ model: 'small', contextTokens: 8192, ...options }),
  protocol: openAiProtocol,
});

it('is named for the vendor whose servers it asks, and else for the protocol', () => {
  const options = { ...size, model: 'small', apiKey: 'k', baseUrl: 'http://127.0.0.1:1/v1' };
  expect(new ChatCompletionsModel({ ...options, vendor: 'another' }).name).toBe('another/small');
  expect(new ChatCompletionsModel(options).name).toBe('openai-compatible/small');
});

describe('the connections to a server that speaks chat completions', () => {
  let server: Server;
  let model: LanguageModel;
  let connections = 0;
  let answer: (response: ServerResponse) => void;
  const whole = openAiProtocol.answer.join('');
  const never = new AbortController().signal;

  beforeEach(async () => {
    connections = 0;
    answer = (response) => void response.writeHead(200, { 'content-type': 'text/event-stream' }).end(whole);
    server = createServer((request, response) => void request.resume().on('end', () => answer(response)));
    server.on('connection', () => (connections += 1));
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const address = server.address();
    const port = address !== null && typeof address === 'object' ? address.port : 0;
    const baseUrl = `http://127.0.0.1:${port}/v1/`;
    model = new ChatCompletionsModel({ model: 'small', contextTokens: 8192, apiKey: 'k', baseUrl });
  });
  afterEach(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  const ask = async () => {
    const events: ModelEvent[] = [];
    for await (const event of model.stream(aModelRequest(), never)) events.push(event);
    return events;
  };

  /** A connection is ready for the next request in the turn of the event loop after its response. */
  const atRest = () => new Promise(setImmediate);

  it('serve one request after another', async () => {
    for (let time = 0; time < 5; time++) {
      expect(said(await ask())).toBe('Within three working days.');
      await atRest();
    }
    expect(connections).toBe(1);
  });

  it('take no more of an answer than they can hold before it is read', async () => {
    const comment = `: ${'x'.repeat(16_000)}\n\n`;
    let unsent = (): number => Number.NaN;
    answer = (response) => {
      unsent = () => response.writableLength;
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(openAiProtocol.answer.slice(0, 2).join(''));
      for (let count = 0; count < 4_000; count += 1) response.write(comment);
      response.end(openAiProtocol.answer.slice(2).join(''));
    };
    const events = model.stream(aModelRequest(), never)[Symbol.asyncIterator]();
    const words: ModelEvent[] = [];
    const first = await events.next();
    let left = Number.NaN;
    // Both ends are of this process, so that what does not move in many turns of its event loop is at rest.
    for (let still = 0; still < 100; still += 1) {
      await atRest();
      if (unsent() !== left) still = 0;
      left = unsent();
    }
    expect(left).toBeGreaterThan(30_000_000);
    for (let next = first; !next.done; next = await events.next()) words.push(next.value);
    expect(said(words)).toBe('Within three working days.');
  });

  it('close when an answer is left, before its first word too', async () => {
    const [asked, closed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    answer = (response) => {
      response.once('close', () => closed.resolve());
      asked.resolve();
    };
    const leaving = new AbortController();
    const reading = model.stream(aModelRequest(), leaving.signal)[Symbol.asyncIterator]().next();
    await asked.promise;
    leaving.abort(new Error('left'));
    await expect(reading).rejects.toThrow('left');
    await closed.promise;
  });

  it('are reopened when the server has just closed an idle one', async () => {
    await ask();
    await atRest();
    let asked = 0;
    answer = (response) => {
      asked += 1;
      // The second request arrives on the kept connection, which this server closes instead of answering.
      if (asked === 1) return void response.socket?.resetAndDestroy();
      response.writeHead(200, { 'content-type': 'text/event-stream' }).end(whole);
    };
    expect(said(await ask())).toBe('Within three working days.');
    expect(connections).toBe(2);
  });

  it('may split a character and a line anywhere', async () => {
    const bytes = Buffer.from(whole.replace('three ', 'तीन ').replaceAll('\n', '\r\n'));
    answer = async (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      for (let start = 0; start < bytes.length; start += 7) {
        await new Promise((resolve) => response.write(bytes.subarray(start, start + 7), resolve));
      }
      response.end();
    };
    expect(said(await ask())).toBe('Within तीन working days.');
  });

  it('are not reused if the server does not end its response', async () => {
    answer = (response) => void response.writeHead(200, { 'content-type': 'text/event-stream' }).write(whole);
    expect((await ask()).at(-1)).toMatchObject({ type: 'finish' });
  });

  it('may deliver a failure as an event', async () => {
    const failure = 'data: {"error":{"message":"out of memory"}}\n\n';
    answer = (response) => void response.writeHead(200).end(`${openAiProtocol.answer.slice(0, 3).join('')}${failure}`);
    await expect(ask()).rejects.toMatchObject({ name: 'ProviderFailure', retryable: true });
  });
});

interface Access {
  readonly apiKey: string;
  readonly baseUrl: string;
}

describe.each([
  ['asked directly', (access: Access) => new ChatCompletionsModel({ ...size, ...access })],
  ['of a customer', ofCustomer.open],
])('a server %s', (_title, open) => {
  let server: Server;
  let sent: readonly string[];
  let model: LanguageModel;
  const never = new AbortController().signal;

  beforeAll(async () => {
    server = createServer((request, response) => {
      request.resume().on('end', async () => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        for (const piece of sent) await new Promise((resolve) => response.write(piece, resolve));
        response.end();
      });
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const address = server.address();
    const port = address !== null && typeof address === 'object' ? address.port : 0;
    model = await open({ apiKey: 'k', baseUrl: `http://127.0.0.1:${port}/v1` });
  });
  afterAll(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  const ask = async (request = aModelRequest()) => {
    const events: ModelEvent[] = [];
    for await (const event of model.stream(request, never)) events.push(event);
    return events;
  };
  const data = (chunk: unknown) => `data: ${JSON.stringify(chunk)}\n\n`;
  const delta = (piece: unknown, rest: object = {}) => data({ choices: [{ index: 0, delta: piece, ...rest }] });
  const calls = (...pieces: object[]) => delta({ tool_calls: pieces });
  const end = (reason: string | null) => delta({}, { finish_reason: reason });
  const done = 'data: [DONE]\n\n';
  const hours = { name: 'business_hours', arguments: '{"day":"Sunday"}' };
  const [half, otherHalf] = ['{"day":', '"Sunday"}'];
  const first = (given: string) => ({ name: 'business_hours', arguments: given });

  it.each([
    ['has no role in its first piece', [calls({ index: 0, id: 'a', function: hours }), end('tool_calls')]],
    ['has a null role', [delta({ role: null, tool_calls: [{ index: 0, id: 'a', function: hours }] }), end('tool_calls')]],
    [
      'begins with an empty piece',
      [delta({}), data({ choices: [] }), calls({ index: 0, id: 'a', function: hours }), end('stop')],
    ],
    ['begins with no choices at all', [data({ choices: null }), calls({ index: 0, id: 'a', function: hours }), end('stop')]],
    [
      'has pieces without index',
      [calls({ id: 'a', function: first(half) }), calls({ function: { arguments: otherHalf } }), end('tool_calls')],
    ],
    ['has a null index', [calls({ index: null, id: 'a', function: hours }), end('tool_calls')]],
    [
      'repeats its id in pieces without index',
      [
        calls({ id: 'a', function: first(half) }),
        calls({ id: 'a', function: { name: null, arguments: otherHalf } }),
        end('tool_calls'),
      ],
    ],
    [
      'has an id of its own for each piece',
      [
        calls({ index: 0, id: 'a', function: first(half) }),
        calls({ index: 0, id: 'b', function: { arguments: otherHalf } }),
        end('tool_calls'),
      ],
    ],
    [
      'has its id in the first piece only',
      [
        calls({ index: 0, id: 'a', function: first('') }),
        calls({ index: 0, id: '', function: { arguments: hours.arguments } }),
        end('tool_calls'),
      ],
    ],
    ['has no id', [calls({ index: 0, function: hours }), end('tool_calls')]],
    [
      'has its arguments as an object',
      [calls({ index: 0, id: 'a', function: { ...hours, arguments: { day: 'Sunday' } } }), end('tool_calls')],
    ],
    [
      'has a piece without function',
      [calls({ index: 0, id: 'a', function: hours }), calls({ index: 0, function: null }), end('tool_calls')],
    ],
    ['ends with the reason stop', [calls({ index: 0, id: 'a', function: hours }), end('stop')]],
    ['ends with a null delta', [calls({ index: 0, id: 'a', function: hours }), delta(null, { finish_reason: 'tool_calls' })]],
    ['ends with no reason but the last word', [calls({ index: 0, id: 'a', function: hours }), end(null)]],
  ])('may send a call that %s', async (_name, pieces) => {
    sent = [...pieces, done];
    expect(await ask()).toEqual([
      {
        type: 'tool-call',
        call: { id: expect.stringMatching(/^(a|b|call_\d)$/), name: 'business_hours', arguments: { day: 'Sunday' } },
      },
      { type: 'finish', reason: 'tool-calls', usage: null },
    ]);
  });

  it.each([
    [
      'of one index and different ids',
      [calls({ index: 0, id: 'a', function: hours }), calls({ index: 0, id: 'b', function: hours })],
    ],
    ['in one piece, without index and id', [calls({ function: hours }, { function: hours })]],
    [
      'in pieces that alternate',
      [
        calls({ index: 0, id: 'a', function: first(half) }, { index: 1, id: 'b', function: first(half) }),
        calls({ index: 1, function: { arguments: otherHalf } }, { index: 0, function: { arguments: otherHalf } }),
      ],
    ],
  ])('may send two calls %s', async (_name, pieces) => {
    sent = [...pieces, end('tool_calls'), done];
    const given = (await ask()).flatMap((event) => (event.type === 'tool-call' ? [event.call] : []));
    expect(given.map((call) => call.arguments)).toEqual([{ day: 'Sunday' }, { day: 'Sunday' }]);
    expect(new Set(given.map(({ id }) => id)).size).toBe(2);
  });

  it.each([
    [
      'comments and empty keep-alives',
      [': waiting\n\n', 'data:\n\n', 'data: \n\n', delta({ content: 'Yes.' }), ': more\n\n', end('stop'), done],
    ],
    ['lines that end with CRLF', [delta({ content: 'Yes.' }), end('stop'), done].map((line) => line.replaceAll('\n', '\r\n'))],
    ['names and ids of events', ['event: message\nid: 1\n', delta({ content: 'Yes.' }), end('stop'), done]],
    ['a last line without its end', [delta({ content: 'Yes.' }), end('stop').trimEnd()]],
    [
      'words as parts',
      [
        delta({
          content: [
            { type: 'thinking', thinking: [] },
            { type: 'text', text: 'Yes.' },
          ],
        }),
        end('stop'),
        done,
      ],
    ],
    ['empty reasons until the end', [delta({ content: 'Yes.' }, { finish_reason: '' }), end('stop'), done]],
  ])('may send %s', async (_name, pieces) => {
    sent = pieces;
    expect(await ask()).toEqual([
      { type: 'text', text: 'Yes.' },
      { type: 'finish', reason: 'stop', usage: null },
    ]);
  });

  it.each([
    [
      'in a piece without choices',
      [end('stop'), data({ usage: { prompt_tokens: 3, completion_tokens: 2 } })],
      { promptTokens: 3, completionTokens: 2 },
    ],
    [
      'in every piece',
      [1, 2].map((completion_tokens) =>
        data({
          choices: [{ delta: { content: 'Yes ' }, finish_reason: 'stop' }],
          usage: { prompt_tokens: 3, completion_tokens },
        }),
      ),
      { promptTokens: 3, completionTokens: 2 },
    ],
    [
      'without the thoughts that only its total counts',
      [end('stop'), data({ choices: [], usage: { prompt_tokens: 50, completion_tokens: 5, total_tokens: 2055 } })],
      { promptTokens: 50, completionTokens: 2005 },
    ],
    [
      'with a total that cannot be read',
      [end('stop'), data({ choices: [], usage: { prompt_tokens: 50, completion_tokens: 5, total_tokens: 'many' } })],
      { promptTokens: 50, completionTokens: 5 },
    ],
    ['in part', [end('stop'), data({ choices: [], usage: { prompt_tokens: 3, completion_tokens: null } })], null],
    ['as nothing', [end('stop'), data({ choices: [], usage: {} })], null],
    ['as text', [end('stop'), data({ choices: [], usage: { prompt_tokens: '12', completion_tokens: {} } })], null],
    ['as something else', [end('stop'), data({ choices: [], usage: 12 })], null],
  ])('may report its usage %s', async (_name, pieces, usage) => {
    sent = [...pieces, done];
    expect((await ask()).at(-1)).toEqual({ type: 'finish', reason: 'stop', usage });
  });

  const write = (content: string) => data({ choices: [{ delta: { content } }] });

  it.each([
    ['in one piece', ['<think>At nine?</think>We open at nine.'], 'We open at nine.'],
    ['in pieces', ['\n', '<th', 'ink>', 'At </thi', ' nine?', '</th', 'ink>', '\n\n', 'We ', 'open.'], 'We open.'],
    ['letter by letter', [...'<thinking>hm</thinking> Yes, < 5.'], 'Yes, < 5.'],
    ['twice', ['<think>a</think>\n<think>b</think>Yes.'], 'Yes.'],
    ['nowhere, in words that begin so', ['<', 'th', 'ree> or </think> more'], '<three> or </think> more'],
    ['nowhere, and ends there', ['<thin'], '<thin'],
    ['later, which is no thought', ['Write <think>this</think>.'], 'Write <think>this</think>.'],
  ])('says nothing of what it thinks %s', async (_name, pieces, expected) => {
    sent = [...pieces.map(write), end('stop'), done];
    expect(said(await ask())).toBe(expected);
  });

  it.each([
    ['between marks', ['<think>At ', 'nine?</th', 'ink>', '<think> Yes.</think>'].map(write)],
    ['beside its text', ['At ', 'nine? Yes.'].map((thought) => data({ choices: [{ delta: { reasoning_content: thought } }] }))],
    ['beside its text, as others call it', [data({ choices: [{ delta: { content: '', reasoning: 'At nine? Yes.' } }] })]],
  ])('tells what it thinks %s', async (_name, pieces) => {
    const thoughts: string[] = [];
    sent = [...pieces, write('We open.'), end('stop'), done];
    const onThought = (text: string) => void thoughts.push(text);
    expect(said(await ask(aModelRequest({ onThought })))).toBe('We open.');
    expect(thoughts.join('')).toBe('At nine? Yes.');
  });

  it('says what keeps its thoughts from being paid', async () => {
    sent = [write('<think>hm'), write('</think>Yes.'), end('stop'), done];
    const broke = new Fault('CREDITS_EXHAUSTED');
    await expect(ask(aModelRequest({ onThought: () => Promise.reject(broke) }))).rejects.toBe(broke);
  });

  it('is read however many thoughts come in one piece', async () => {
    sent = [write('<think></think>'.repeat(60_000)), write('Yes.'), end('stop'), done];
    expect(said(await ask())).toBe('Yes.');
  });

  it('has not answered while it thinks', async () => {
    sent = [write('<think>hm'), end('length'), done];
    await expect(ask()).rejects.toMatchObject({ name: 'ProviderFailure', retryable: false });
    sent = [write('<think>'), ...Array.from({ length: 110 }, () => write('x'.repeat(1_000))), end('stop'), done];
    await expect(ask()).rejects.toThrow('does not stop thinking');
  });

  it('may not write arguments without end', async () => {
    const piece = calls({ index: 0, id: 'a', function: first('x'.repeat(50_000)) });
    sent = [piece, piece, piece, end('tool_calls'), done];
    await expect(ask()).rejects.toMatchObject({ name: 'ProviderFailure', retryable: false });
  });

  it('breaks off if neither a finish reason nor the end marker comes', async () => {
    sent = [calls({ index: 0, id: 'a', function: hours })];
    await expect(ask()).rejects.toMatchObject({ name: 'ProviderFailure', retryable: true });
  });
});
