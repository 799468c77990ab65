import { randomUUID } from 'node:crypto';
import { Controller } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { context, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { type ReadableSpan, TracerProvider } from '@opentelemetry/sdk-trace';
import { type BodyOf, extendCharge, Fault, streamTurn } from '@parley/contracts';
import { BusServer, Handles } from '@parley/messaging';
import { ModelChain, ProviderFailure, ScriptedLanguageModel, spoken } from '@parley/ports';
import { Installation } from '../installation.suite';

let extensionsLeft = 0;

@Controller()
class Gateway {
  @Handles(extendCharge)
  async extend({ chargeId }: BodyOf<typeof extendCharge>) {
    if ((extensionsLeft -= 1) < 0) throw new Fault('CREDITS_EXHAUSTED');
    return { chargeId };
  }
}

describe('a request to a language model', () => {
  let installation: Installation;
  const stops: (() => Promise<unknown>)[] = [];
  const begun: unknown[] = [];
  const spans: ReadableSpan[] = [];
  const first = new ScriptedLanguageModel(() => [], { name: 'mistral/large' });
  const second = new ScriptedLanguageModel(() => [], { name: 'google/gemini-flash' });

  beforeAll(async () => {
    const nothing = async (): Promise<void> => undefined;
    const onEnd = (span: ReadableSpan): void => void spans.push(span);
    const onStart = ({ name }: { name: string }): void => void (name === 'chat' && begun.push(name));
    const collecting = { onStart, onEnd, forceFlush: nothing, shutdown: nothing };
    context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
    trace.setGlobalTracerProvider(new TracerProvider({ spanProcessors: [collecting] }));
    installation = await Installation.start();
    class Application {}
    const strategy = new BusServer(installation.broker.connect(), { service: 'gateway' });
    const module = { module: Application, controllers: [Gateway] };
    const app = await NestFactory.createMicroservice(module, { strategy, logger: false });
    await app.listen();
    stops.push(() => app.close());
  });
  beforeEach(() => {
    spans.length = 0;
    begun.length = 0;
    first.script = () => spoken('We deliver.');
    second.script = () => spoken('Within three working days.', { promptTokens: 40, completionTokens: 6 });
    installation.model = new ModelChain([first, second]);
  });
  afterAll(async () => {
    for (const stop of stops) await stop();
    await installation.stop();
    trace.disable();
    context.disable();
  });

  const turn = async (paid: object = {}): Promise<void> => {
    const items = installation.bus.stream(streamTurn, { question: 'When?', ...paid }, { principal: installation.shop().caller });
    for await (const item of items) expect(item.type).toBeDefined();
  };
  const exposed = async () =>
    (await installation.metrics.exposition()).split('\n').filter((line) => /^parley_model_(requests|tokens)/.test(line));
  const chats = () =>
    spans.filter(({ name }) => name.startsWith('chat')).map(({ name, attributes }) => ({ name, ...attributes }));

  it('is a span by OpenTelemetry’s conventions, within that of its turn, and says nothing of what was said', async () => {
    await turn();
    const [chat] = spans.filter(({ name }) => name.startsWith('chat'));
    const around = spans.find((span) => span.spanContext().spanId === chat?.parentSpanContext?.spanId);
    expect(around?.name).toBe('conversation.turn.stream');
    expect(chats()).toEqual([
      {
        name: 'chat large',
        'gen_ai.operation.name': 'chat',
        'gen_ai.provider.name': 'mistral_ai',
        'gen_ai.request.model': 'large',
        'gen_ai.request.temperature': expect.any(Number),
        'gen_ai.request.max_tokens': expect.any(Number),
        'gen_ai.usage.input_tokens': 10,
        'gen_ai.usage.output_tokens': 5,
      },
    ]);
    expect(chat?.events.map(({ name }) => name)).toEqual(['first token']);
  });

  it('is counted by the provider that answered, and by each that did not', async () => {
    first.script = () => {
      throw new ProviderFailure('mistral/large', 'away', { retryable: true });
    };
    await turn();
    const [chat] = chats();
    expect(chat).toMatchObject({ name: 'chat gemini-flash', 'gen_ai.provider.name': 'gcp.gemini' });
    expect(chat).not.toHaveProperty('error.type');
    const lines = await exposed();
    expect(lines).toEqual(
      expect.arrayContaining([
        'parley_model_requests_total{service="conversation",provider="mistral",outcome="failed"} 1',
        'parley_model_requests_total{service="conversation",provider="google",outcome="answered"} 1',
        'parley_model_tokens_total{service="conversation",provider="google",kind="prompt"} 40',
        'parley_model_tokens_total{service="conversation",provider="google",kind="completion"} 6',
      ]),
    );
    expect(await installation.metrics.exposition()).toMatch(
      /parley_model_first_token_seconds_count\{service="conversation",provider="google"\} 1/,
    );
  });

  it('has failed if the last of them broke off', async () => {
    installation.model = new ModelChain([second]);
    second.script = async function* () {
      yield { type: 'text', text: 'Within ' };
      throw new ProviderFailure('google/gemini-flash', 'away', { retryable: true });
    };
    await turn().catch(() => undefined);
    expect(chats()).toMatchObject([{ 'error.type': 'UNAVAILABLE' }]);
    expect(await exposed()).toContain('parley_model_requests_total{service="conversation",provider="google",outcome="failed"} 1');
  });

  it('has failed, not been left, if all models rest after failing, and the log says once what a provider said', async () => {
    installation.model = new ModelChain([first], { failuresMax: 2 });
    first.script = () => {
      throw new ProviderFailure('mistral/large', 'HTTP 401', { retryable: false });
    };
    const counted = async (outcome: string): Promise<number> => {
      const name = `parley_model_requests_total{service="conversation",provider="mistral",outcome="${outcome}"} `;
      return Number((await exposed()).find((line) => line.startsWith(name))?.slice(name.length) ?? 0);
    };
    const before = [await counted('failed'), await counted('left')];
    const faults = await Promise.all(Array.from({ length: 5 }, () => turn().catch((fault: unknown) => fault)));
    expect(faults).toEqual(Array(5).fill(expect.objectContaining({ dependency: expect.stringMatching(/^mistral\/large \(/) })));
    expect([await counted('failed'), await counted('left')]).toEqual([(before[0] ?? 0) + 5, before[1]]);
    const lines = String(installation.logged.read() ?? '')
      .split('\n')
      .filter((line) => line.includes('A language model fails'));
    expect(lines.filter((line) => line.includes('HTTP 401'))).toHaveLength(1);
  });

  it.each([
    ['before the model is asked', 0, 0],
    ['while the model answers', 1, 1],
  ])('leaves no span open if credits run out %s', async (_when, extensions, requests) => {
    extensionsLeft = extensions;
    first.script = () => spoken('We deliver to every town and village. '.repeat(200));
    await turn({ payment: { chargeId: randomUUID(), tokens: 10, isSettledByTurn: true } }).catch((error: unknown) =>
      expect(error).toMatchObject({ code: 'CREDITS_EXHAUSTED' }),
    );
    expect(extensionsLeft).toBeLessThan(0);
    expect([begun.length, chats().length]).toEqual([requests, requests]);
  });
});
