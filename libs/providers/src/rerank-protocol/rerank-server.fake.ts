import type { Reranker } from '@parley/ports';
import { z } from 'zod';
import { demand, startStub, type StubAnswer } from '../speech-http/stub-provider.fake';

/** A request that all servers of the protocol accept; Cohere and Jina AI refuse an empty list. */
const Body = z.strictObject({
  model: z.literal('reranker-v2'),
  query: z.string().min(1),
  documents: z.array(z.string().min(1)).min(1).max(1000),
  top_n: z.int().min(1).optional(),
  return_documents: z.boolean().optional(),
});

/** A test server that enforces the documented protocol, and ranks by the given reranker. */
export async function startRerankServer(judge: Reranker, { key }: { key: string | undefined } = { key: 'right' }) {
  /** Responses to be given, in order, instead of rankings. */
  const answers: StubAnswer[] = [];
  const stub = await startStub(async ({ path, headers, body }) => {
    demand(path === '/v1/rerank', 'unknown route', 404);
    demand(headers.authorization === (key && `Bearer ${key}`), 'invalid key', 401);
    demand(headers['content-type']?.startsWith('application/json'), 'not JSON', 415);
    const asked = Body.safeParse(JSON.parse(String(body)));
    demand(asked.success, 'invalid request', 422);
    const answer = answers.shift();
    if (answer) return answer;
    const { model, query, documents, top_n = documents.length } = asked.data;
    const ranked = await judge.rerank(query, documents);
    const results = ranked.slice(0, top_n).map(({ index, relevance }) => ({ index, relevance_score: relevance }));
    return { body: { id: 'rerank-1', model, results, usage: { total_tokens: body.length } } };
  });
  return { ...stub, answers };
}
