import { ProviderFailure } from '@parley/ports';
import { describeEmbeddings } from '@parley/ports/suites';
import { EmbeddingsServer } from './embeddings-server.fake';
import { OpenAiEmbeddings, retryAfterMsOf } from './index';

const server = new EmbeddingsServer();
beforeAll(() => server.start());
afterAll(() => server.stop());
beforeEach(() => {
  server.requests.length = 0;
  server.failures.length = 0;
});

function engine({ apiKey = 'sk-right', dimensions = 256, sendsDimensions = true } = {}): OpenAiEmbeddings {
  return new OpenAiEmbeddings({ apiKey, model: 'text-embedding-3-small', dimensions, sendsDimensions, baseUrl: server.url });
}

async function failureOf(work: Promise<unknown>): Promise<ProviderFailure> {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof ProviderFailure) return error;
  throw new Error('expected a ProviderFailure', { cause: error });
}

describeEmbeddings('OpenAI', () => engine());

describe('the OpenAI embeddings engine', () => {
  it('loads its package with the first text, not with the service', async () => {
    const isLoaded = jest.fn(() => jest.requireActual<object>('@langchain/openai'));
    await jest.isolateModulesAsync(async () => {
      jest.doMock('@langchain/openai', isLoaded);
      const { OpenAiEmbeddings: Engine } = await import('./index');
      const lazy = new Engine({ apiKey: 'sk-right', model: 'text-embedding-3-small', dimensions: 256, baseUrl: server.url });
      expect(isLoaded).not.toHaveBeenCalled();
      await lazy.embed(['text']);
      expect(isLoaded).toHaveBeenCalledTimes(1);
    });
    jest.dontMock('@langchain/openai');
  });

  it('asks in batches of the promised size, each within the protocol', async () => {
    await engine().embed(Array.from({ length: 70 }, (_, index) => `text ${index}`));
    expect(server.requests.map(({ input }) => input.length)).toEqual([32, 32, 6]);
    expect(server.requests[0]).toMatchObject({ dimensions: 256, encoding_format: 'float' });
  });

  it('goes on after the waits that the rate limit asks for', async () => {
    server.failures.push(
      { status: 429, headers: { 'retry-after-ms': '2' } },
      { status: 429, headers: { 'retry-after-ms': '1' } },
    );
    expect(await engine().embed(['text'])).toHaveLength(1);
    expect(server.requests).toHaveLength(3);
  });

  it('hands a long wait to the caller at once', async () => {
    server.failures.push({ status: 429, headers: { 'retry-after': '90' } });
    const failure = await failureOf(engine().embed(['text']));
    expect(failure).toMatchObject({ retryable: true, retryAfterMs: 90_000 });
    expect(server.requests).toHaveLength(1);
  });

  it('does not repeat what cannot succeed', async () => {
    expect(await failureOf(engine({ apiKey: 'sk-wrong' }).embed(['text']))).toMatchObject({ retryable: false });
    server.failures.push({ status: 400 });
    expect(await failureOf(engine().embed(['text']))).toMatchObject({ retryable: false });
    expect(server.requests).toHaveLength(1);
  });

  it('survives a server error', async () => {
    server.failures.push({ status: 503, headers: { 'retry-after-ms': '1' } });
    expect(await engine().embed(['text'])).toHaveLength(1);
  });

  it('refuses a model whose vectors do not fit the configured space', async () => {
    const failure = await failureOf(engine({ sendsDimensions: false }).embed(['text']));
    expect(failure.message).toContain('the model gave 1536 dimensions, configured are 256');
    expect(failure.retryable).toBe(false);
  });

  it('accepts an empty text, which the protocol does not', async () => {
    expect(await engine().embed(['', ' '])).toHaveLength(2);
  });

  it.each([
    [{ 'retry-after': '2' }, 2000],
    [{ 'retry-after': 'Thu, 01 Jan 1970 00:00:05 GMT' }, 4000],
    [{ 'retry-after-ms': '15' }, 15],
    [{ 'retry-after': 'soon' }, undefined],
  ])('reads the wait from %j', (headers, waitMs) => {
    expect(retryAfterMsOf(new Headers(headers), 1000)).toBe(waitMs);
  });
});
