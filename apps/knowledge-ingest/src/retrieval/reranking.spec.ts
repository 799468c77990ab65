import { once } from 'node:events';
import { createServer } from 'node:http';
import { searchKnowledge } from '@parley/contracts';
import { ProviderFailure, ScriptedReranker, type RankedPassage, type Reranker } from '@parley/ports';
import { createLogger } from '@parley/service-kit';
import { PassThrough } from 'node:stream';
import type { Engines } from '../engines';
import { KnowledgeHarness } from '../testing/knowledge-harness.suite';
import { Reranking } from './searching';
import { withinLimits, type ScoredPassage } from './selection';

const log = () => createLogger({ level: 'silent', isReadable: false, writesPii: false, destination: new PassThrough().resume() });

function found(text: string, score: number): ScoredPassage {
  return { passage: { sourceId: 'document:1', version: 1, ordinal: 0, kind: 'document', text, citation: {} }, score };
}

const fused = [found('Parking is behind the shop.', 0.9), found('The kettle has a warranty.', 0.8), found('Open daily.', 0.7)];
const texts = (all: readonly ScoredPassage[]) => all.map(({ passage }) => passage.text);
const rerankingBy = (reranker: Reranker | undefined, rerankMsMax = 10_000) =>
  new Reranking({ reranker, rerankMsMax } as Engines, log());

describe('reranking', () => {
  it('puts the engine’s best passage first', async () => {
    const order = await rerankingBy(new ScriptedReranker()).order('how long is the kettle warranty', fused);
    expect(texts(order)).toEqual(['The kettle has a warranty.', 'Parking is behind the shop.', 'Open daily.']);
  });

  it('keeps the order without an engine, and when the engine fails', async () => {
    const reranker = new ScriptedReranker();
    reranker.failNext(new ProviderFailure('scripted', 'told to fail', { retryable: false }));
    for (const reranking of [rerankingBy(undefined), rerankingBy(reranker)])
      expect(await reranking.order('how long is the kettle warranty', fused)).toEqual(fused);
  });

  it('is limited in time, and skips an engine that was silent three times', async () => {
    let asked = 0;
    const silent: Reranker = Object.assign(new ScriptedReranker(), {
      rerank: () => {
        asked += 1;
        return new Promise<RankedPassage[]>(() => undefined);
      },
    });
    const reranking = rerankingBy(silent, 20);
    for (let turn = 0; turn < 5; turn += 1) expect(await reranking.order('question', fused)).toEqual(fused);
    expect(asked).toBe(3);
  });

  it('keeps a doubtful passage if the engine ranks it above a certain one', () => {
    const [sure, doubtful] = [found('sure', 0.9), found('doubtful', 0.2)];
    expect(withinLimits([doubtful, sure], { topK: 5, tokensMax: 100 })).toEqual([doubtful, sure]);
    expect(withinLimits([sure, doubtful], { topK: 5, tokensMax: 100 })).toEqual([sure]);
  });
});

describe('a knowledge base behind a reranker', () => {
  it('is searched in the order of the server in RERANK_BASE_URL', async () => {
    const asked: unknown[] = [];
    const server = createServer((request, response) => {
      void (async () => {
        const body = JSON.parse(Buffer.concat(await request.toArray()).toString()) as { documents: string[] };
        asked.push({ path: request.url, key: request.headers.authorization, ...body });
        const results = body.documents.map((text, index) => ({ index, relevance_score: text.includes('third') ? 1 : 0.1 }));
        response.setHeader('content-type', 'application/json').end(JSON.stringify({ results }));
      })();
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    const port = typeof address === 'object' && address ? address.port : 0;

    const harness = await KnowledgeHarness.open();
    await harness.stop();
    const rerank = { RERANK_BASE_URL: `http://127.0.0.1:${port}/v1`, RERANK_MODEL: 'bge', RERANK_API_KEY: 'sk-any' };
    await harness.start({ ...rerank, RERANK_TIMEOUT: '30s' });
    const { KBID } = await harness.base();
    const ruleOf = (rule: string) => `# The ${rule} rule\n\nThe warranty of the ${rule} kind lasts a year.`;
    const rules = ['first', 'second', 'third'].map(ruleOf);
    await harness.settled(await harness.upload(KBID, 'rules.md', rules.join('\n\n')));
    const { passages } = await harness.ask(searchKnowledge, { KBID, query: 'warranty of the first kind' });
    expect(passages[0]?.text).toContain('third');
    expect(passages).toHaveLength(3);
    const question = 'warranty of the first kind';
    expect(asked).toMatchObject([{ path: '/v1/rerank', key: 'Bearer sk-any', model: 'bge', query: question }]);
    server.closeAllConnections();
    server.close();
    const { passages: unranked } = await harness.ask(searchKnowledge, { KBID, query: 'warranty of the first kind' });
    expect(unranked[0]?.text).toContain('first');
    await harness.close();
  });
});
