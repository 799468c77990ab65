import { ProviderFailure, ScriptedReranker } from '@parley/ports';
import { describeReranker } from '@parley/ports/suites';
import { ProtocolReranker } from './index';
import { startRerankServer } from './rerank-server.fake';

let server: Awaited<ReturnType<typeof startRerankServer>>;
const judge = new ScriptedReranker();
beforeAll(async () => {
  server = await startRerankServer(judge);
});
afterAll(() => server.close());
beforeEach(() => {
  server.requests.length = 0;
  server.answers.length = 0;
});

const engine = (apiKey = 'right') => new ProtocolReranker({ baseUrl: `${server.url}/v1/`, model: 'reranker-v2', apiKey });

async function failureOf(work: Promise<unknown>): Promise<ProviderFailure> {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof ProviderFailure) return error;
  throw new Error('expected a ProviderFailure', { cause: error });
}

describeReranker('the rerank protocol', async () => {
  const own = await startRerankServer(judge);
  const reranker = new ProtocolReranker({ baseUrl: `${own.url}/v1`, model: 'reranker-v2', apiKey: 'right' });
  return { capabilities: reranker.capabilities, rerank: (...asked) => reranker.rerank(...asked), close: () => own.close() };
});

describe('the rerank protocol', () => {
  it('sends the documented request, without a key if the server needs none', async () => {
    const passages = ['Parking is free.', 'Open on Monday.'];
    await engine().rerank('where can I park', passages);
    const keyless = await startRerankServer(judge, { key: undefined });
    await new ProtocolReranker({ baseUrl: `${keyless.url}/v1`, model: 'reranker-v2' }).rerank('where can I park', passages);
    await keyless.close();
    expect(keyless.requests[0]?.headers.authorization).toBeUndefined();
    expect(server.requests[0]).toMatchObject({ path: '/v1/rerank', headers: { authorization: 'Bearer right' } });
    expect(JSON.parse(String(server.requests[0]?.body))).toEqual({
      model: 'reranker-v2',
      query: 'where can I park',
      documents: passages,
      top_n: 2,
    });
  });

  it('says whether a failure is temporary, and when to retry', async () => {
    expect(await failureOf(engine('wrong').rerank('question', ['passage']))).toMatchObject({ retryable: false });
    server.answers.push({ status: 429, headers: { 'retry-after': '7' } }, { status: 503 });
    expect(await failureOf(engine().rerank('question', ['passage']))).toMatchObject({ retryable: true, retryAfterMs: 7_000 });
    expect(await failureOf(engine().rerank('question', ['passage']))).toMatchObject({ retryable: true });
  });

  it.each([
    ['a passage left out', { results: [{ index: 0, relevance_score: 0.4 }] }],
    ['a passage twice', { results: [1, 1].map((index) => ({ index, relevance_score: 0.4 })) }],
    ['a passage that was never sent', { results: [0, 2].map((index) => ({ index, relevance_score: 0.4 })) }],
    ['another shape', { scores: [0.1, 0.2] }],
    ['no JSON', '<html>'],
  ])('rejects an answer with %s', async (_, body) => {
    server.answers.push({ body });
    await failureOf(engine().rerank('question', ['one', 'two']));
  });

  it('reports an unreachable server', async () => {
    const nobody = new ProtocolReranker({ baseUrl: 'http://127.0.0.1:9/v1', model: 'reranker-v2' });
    expect(await failureOf(nobody.rerank('question', ['passage']))).toMatchObject({ retryable: true });
  });
});
