import { once } from 'node:events';
import { createServer } from 'node:http';
import path from 'node:path';
import { retrieveKnowledge, saveFaqs } from '@parley/contracts';
import { SqliteVectorStore } from '@parley/providers/sqlite-vectors';
import { HeldEmbeddings } from './testing/held-embeddings.fake';
import { KnowledgeHarness, until } from './testing/knowledge-harness.suite';

let harness: KnowledgeHarness;
const held = new HeldEmbeddings();
beforeAll(async () => {
  harness = await KnowledgeHarness.open();
});
afterAll(async () => {
  held.release();
  await harness.close();
  await held.stop();
});

const faqs = [{ KBFAQID: 0, Question: 'When do you deliver?', Answer: 'Within three working days.' }];

/** Similar in meaning to the stored question, and broader: only an index of meanings finds the answer. */
const paraphrase = 'when do you usually deliver';

/** A paraphrase is known once the engine has embedded it, which may be too late for the first question on a busy machine. */
function matched(KBID: number) {
  const ask = () => harness.ask(retrieveKnowledge, { KBID, query: paraphrase });
  return until(ask, ({ faq }) => faq !== null);
}

/** How many passages of one knowledge base have a vector in each of these spaces. */
async function vectorsIn(
  folder: string,
  knowledgeBaseId: number,
  spaces: readonly { name: string; dimensions: number }[],
): Promise<number[]> {
  const store = new SqliteVectorStore({ directory: path.join(folder, 'vectors') });
  const collection = { orgId: 1, knowledgeBaseId };
  const counts = [];
  for (const space of spaces) {
    counts.push(
      (await store.searchDense(collection, { space, vector: new Float32Array(space.dimensions).fill(0.1), limit: 10 })).length,
    );
  }
  await store.close();
  return counts;
}

describe('an embedding service that does not answer', () => {
  it('leaves questions to be answered by their words', async () => {
    const silent = new HeldEmbeddings();
    const base = await harness.base();
    await harness.ask(saveFaqs, { KBID: base.KBID, faqs });
    await harness.indexed(base);
    await harness.stop();
    await harness.start(await silent.start());
    silent.release();
    await harness.indexed(base);
    await silent.stop();
    const { passages } = await harness.ask(retrieveKnowledge, { KBID: base.KBID, query: 'deliver to Pune' });
    expect(passages.map(({ text }) => text)).toEqual(['When do you deliver?\nWithin three working days.']);
    await harness.stop();
    await harness.start();
    await harness.indexed(base);
  });
});

describe('an embedding service that refuses our key', () => {
  const refusing = createServer((_, response) => void response.writeHead(401).end('{}'));
  beforeAll(async () => {
    refusing.listen(0, '127.0.0.1');
    await once(refusing, 'listening');
  });
  afterAll(() => {
    refusing.closeAllConnections();
    refusing.close();
  });

  it('indexes what was saved meanwhile after a start with a valid key', async () => {
    const address = refusing.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    await harness.stop();
    await harness.start({
      EMBEDDINGS_API_KEY: 'sk-wrong',
      EMBEDDINGS_BASE_URL: `http://127.0.0.1:${port}/v1`,
      EMBEDDINGS_MODEL: 'letters',
      EMBEDDINGS_DIMENSIONS: '64',
    });
    const base = await harness.base();
    await harness.ask(saveFaqs, { KBID: base.KBID, faqs });
    await harness.indexed(base);
    const { faq } = await harness.ask(retrieveKnowledge, { KBID: base.KBID, query: paraphrase });
    expect(faq).toBeNull();
    await harness.stop();
    await harness.start();
    await harness.indexed(base);
    expect((await matched(base.KBID)).faq).toMatchObject({ Answer: 'Within three working days.' });
  });
});

describe('a change of the embedding model', () => {
  it('is made in the background while the old index serves, and leaves no old vectors behind', async () => {
    const base = await harness.base();
    await harness.ask(saveFaqs, { KBID: base.KBID, faqs });
    await harness.indexed(base);
    await harness.stop();
    await harness.start(await held.start());

    await held.isAsked;
    const meanwhile = await matched(base.KBID);
    expect(meanwhile.faq).toMatchObject({ Answer: 'Within three working days.' });
    expect(held.texts).not.toContain(paraphrase);

    held.release();
    await harness.indexed(base);
    await harness.ask(retrieveKnowledge, { KBID: base.KBID, query: 'delivery of what I bought' });
    expect(held.texts).toContain('delivery of what I bought');
    await harness.stop();
    expect(
      await vectorsIn(harness.folder, base.KBID, [
        { name: 'local-512', dimensions: 512 },
        { name: 'letters-64', dimensions: 64 },
      ]),
    ).toEqual([0, 1]);
  });
});
