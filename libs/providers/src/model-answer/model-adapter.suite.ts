import { aModelRequest, type LanguageModel, type ModelEvent, ProviderFailure } from '@parley/ports';
import { describeLanguageModel } from '@parley/ports/suites';
import { fetchThrough } from '@parley/service-kit';
import { ModelServer, type Protocol } from './model-server.fake';

export interface Adapter {
  readonly protocol: Protocol;
  open(options: { apiKey: string; baseUrl: string; fetch?: typeof fetch }): LanguageModel | Promise<LanguageModel>;
}

const never = new AbortController().signal;
const tools = [
  {
    name: 'business_hours',
    description: 'When the business is open.',
    parameters: { type: 'object', properties: { day: { type: 'string' } } },
  },
];

/** The behaviour of all model adapters, whatever their wire format. */
export function describeModelAdapter(name: string, { protocol, open }: Adapter): void {
  const server = new ModelServer(protocol);
  const model = (apiKey = 'sk-right') => open({ apiKey, baseUrl: server.url });
  beforeAll(() => server.start());
  beforeEach(() => server.reset());
  afterAll(() => server.stop());

  describeLanguageModel(name, () => model());

  describe(name, () => {
    it('passes on the words, and the usage as counted by the provider', async () => {
      const events = await eventsOf((await model()).stream(aModelRequest(), never));
      expect(textOf(events)).toBe('Within three working days.');
      expect(events.at(-1)).toEqual({ type: 'finish', reason: 'stop', usage: { promptTokens: 21, completionTokens: 7 } });
    });

    it('offers tools and passes on the call with its arguments', async () => {
      server.behaviour = 'tool';
      const events = await eventsOf((await model()).stream(aModelRequest({ tools }), never));
      expect(events.at(-2)).toMatchObject({ type: 'tool-call', call: { name: 'business_hours', arguments: { day: 'Sunday' } } });
      expect(events.at(-1)).toMatchObject({ type: 'finish', reason: 'tool-calls' });
      expect(JSON.stringify(server.requests)).toContain('When the business is open.');
    });

    it('tells the model its tool’s result', async () => {
      const call = { id: 'call_1', name: 'business_hours', arguments: { day: 'Sunday' } };
      const messages = [
        { role: 'user' as const, text: 'Are you open on Sunday?' },
        { role: 'assistant' as const, text: '', toolCalls: [call] },
        { role: 'tool' as const, callId: 'call_1', name: 'business_hours', text: 'Closed on Sunday.' },
      ];
      await eventsOf((await model()).stream(aModelRequest({ tools, messages }), never));
      expect(JSON.stringify(server.requests)).toContain('Closed on Sunday.');
    });

    it.each([
      ['a rate limit', { status: 429, headers: { 'retry-after': '7' } }, { retryable: true, retryAfterMs: 7000 }],
      ['a rate limit that names no time', { status: 429 }, { retryable: true, kind: 'BUSY' }],
      ['an outage', { status: 503 }, { retryable: true }],
      ['a request that is wrong', { status: 400 }, { retryable: false }],
      ['a reset in the middle', 'reset', { retryable: true }],
      ['garbage in the middle', 'garbage', { retryable: true }],
      ['an answer that breaks off politely', 'truncated', { retryable: true }],
    ] as const)('reports %s correctly', async (_title, behaviour, expected) => {
      server.behaviour = behaviour;
      const failure = await failureOf(eventsOf((await model()).stream(aModelRequest(), never)));
      expect(failure).toMatchObject(expected);
      expect(server.requests).toHaveLength(1);
    });

    it('does not retry with a wrong key', async () => {
      expect(await failureOf(eventsOf((await model('sk-wrong')).stream(aModelRequest(), never)))).toMatchObject({
        retryable: false,
      });
    });

    it('disconnects when its caller leaves a silent stream', async () => {
      server.behaviour = 'silent';
      const leaving = new AbortController();
      const listening = (async () => {
        for await (const event of (await model()).stream(aModelRequest(), leaving.signal))
          if (event.type === 'text') leaving.abort(new Error('left'));
      })();
      await expect(listening).rejects.toThrow('left');
      await server.left.promise;
    });
  });
}

/** The behaviour of adapters that accept a customer's server. */
export function describeGuardedAdapter(name: string, { protocol, open }: Adapter): void {
  const server = new ModelServer(protocol);
  beforeAll(() => server.start());
  afterAll(() => server.stop());

  it(`${name} asks a server of a customer’s choice by the guarded way alone`, async () => {
    const guarded = (isAllowed: boolean) =>
      open({
        apiKey: 'sk-right',
        baseUrl: server.url,
        fetch: fetchThrough({ isAllowed: () => isAllowed, protocols: ['http:'] }),
      });
    expect(textOf(await eventsOf((await guarded(true)).stream(aModelRequest(), never)))).toBe('Within three working days.');
    await failureOf(eventsOf((await guarded(false)).stream(aModelRequest(), never)));
    expect(server.requests).toHaveLength(1);
  });
}

async function eventsOf(events: AsyncIterable<ModelEvent>): Promise<ModelEvent[]> {
  const all: ModelEvent[] = [];
  for await (const event of events) all.push(event);
  return all;
}

function textOf(events: readonly ModelEvent[]): string {
  return events.map((event) => (event.type === 'text' ? event.text : '')).join('');
}

async function failureOf(work: Promise<unknown>): Promise<ProviderFailure> {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof ProviderFailure) return error;
  throw new Error('expected a ProviderFailure', { cause: error });
}
