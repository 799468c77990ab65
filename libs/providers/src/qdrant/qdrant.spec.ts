import { ProviderFailure } from '@parley/ports';
import { describeVectorStore } from '@parley/ports/suites';
import { QdrantVectorStore } from './index';
import { OpenApiChecker, qdrantDescriptionFile } from './openapi-checker.fake';
import { QdrantServer } from './qdrant-server.fake';

const file = qdrantDescriptionFile(process.env.QDRANT_OPENAPI);
const checker = file ? new OpenApiChecker(file) : undefined;
const server = new QdrantServer(checker);
beforeAll(() => server.start());
afterAll(() => server.stop());

describeVectorStore('Qdrant', async () => new QdrantVectorStore({ url: server.url }));

const { QDRANT_URL: live, QDRANT_API_KEY: apiKey } = process.env;
if (live)
  describeVectorStore(`the live Qdrant at ${live}`, () => new QdrantVectorStore({ url: live, ...(apiKey && { apiKey }) }));
else process.stdout.write('No QDRANT_URL: the suite does not run against a live Qdrant.\n');

if (checker) {
  describe("Qdrant's own description of its API", () => {
    it('knows every request that the suite sent, field by field', () => {
      expect(server.requests.length).toBeGreaterThan(50);
      expect(server.violations).toEqual([]);
    });

    it('would notice an unknown request', () => {
      const url = new URL('http://qdrant/collections/a/points/query');
      expect(checker.violation('POST', url, { query: [1], using: 'x', limit: 1 })).toBeUndefined();
      expect(checker.violation('POST', url, { query: [1], limits: 1 })).toContain('POST');
      expect(checker.violation('POST', url, { query: [1], limit: 'ten' })).toContain('POST');
      expect(checker.violation('POST', new URL('http://qdrant/collections/a/points/find'), {})).toContain(
        'not in the description',
      );
    });
  });
} else {
  process.stdout.write(
    "Qdrant's OpenAPI description is not on this machine (QDRANT_OPENAPI): requests are not checked against it.\n",
  );
}

describe('the Qdrant vector store', () => {
  const store = () => new QdrantVectorStore({ url: server.url });
  const collection = { orgId: 1, knowledgeBaseId: 1 };

  it('asks by every vector and word of a question in one request, and finds nothing for no words', async () => {
    const space = { name: 'one-trip', dimensions: 2 };
    await store().prepare(collection, space);
    const passage = { sourceId: 'a', version: 1, kind: 'document', ordinal: 0, text: 'red lamp', citation: { page: 1 } } as const;
    await store().stage(collection, space, [{ ...passage, terms: ['red', 'lamp'], vector: Float32Array.of(1, 0) }]);
    await store().publish(collection, 'a', 1);
    const before = server.requests.length;
    const hits = await store().search(collection, [
      { lexical: { terms: [], limit: 5 } },
      { dense: { space, vector: Float32Array.of(1, 0), limit: 5 } },
      { lexical: { terms: ['absent'], limit: 5 } },
      { lexical: { terms: ['lamp'], limit: 5 } },
    ]);
    expect(hits.map((each) => each.map(({ passage: { text } }) => text))).toEqual([[], ['red lamp'], [], ['red lamp']]);
    expect(server.requests.slice(before)).toEqual([expect.stringMatching(/^POST .*\/points\/query\/batch$/)]);
    await store().drop(collection);
  });

  it.each([
    [{ status: 503 }, true],
    [{ status: 429, headers: { 'retry-after': '2' } }, true],
    [{ status: 401 }, false],
  ])('says whether %j may succeed later', async (failure, retryable) => {
    server.failures.push(failure);
    await expect(store().count(collection)).rejects.toMatchObject({ name: 'ProviderFailure', retryable });
  });

  it('says that an unresponsive server may be asked again', async () => {
    const absent = new QdrantVectorStore({ url: 'http://127.0.0.1:9' });
    await expect(absent.count(collection)).rejects.toBeInstanceOf(ProviderFailure);
    await expect(absent.count(collection)).rejects.toMatchObject({ retryable: true });
  });
});
