import { toUnitLength, type EmbeddingSpace } from '../embeddings/embeddings';
import { type Collection, type Hit, type IndexedPassage, passageId, type VectorStore } from './vector-store';

const space: EmbeddingSpace = { name: 'suite-64', dimensions: 64 };

function vectorAt(slots: readonly number[], dimensions = 64): Float32Array {
  const vector = new Float32Array(dimensions).map((_, index) => (index % 2 === 0 ? 0.01 : -0.01));
  for (const slot of slots) vector[slot] = 1;
  return toUnitLength(vector);
}

function passage(text: string, fields: Partial<IndexedPassage> = {}): IndexedPassage {
  const defaults = { sourceId: 'document:a', version: 1, ordinal: 0, kind: 'document', citation: { page: 1 } } as const;
  return { ...defaults, text, vector: vectorAt([text.length % 64]), terms: text.toLowerCase().split(' '), ...fields };
}

const texts = (hits: Hit[]) => hits.map((hit) => hit.passage.text);

let organizations = Math.floor(Date.now() / 1000);

/** The guarantees of the port, tested for any store. */
export function describeVectorStore(name: string, create: () => Promise<VectorStore> | VectorStore): void {
  describe(`${name} as a vector store`, () => {
    let store: VectorStore;
    let collection: Collection;

    const publish = async (passages: IndexedPassage[], into = collection) => {
      await store.prepare(into, space);
      await store.stage(into, space, passages);
      for (const { sourceId, version } of passages) await store.publish(into, sourceId, version);
    };
    const byWord = (word: string, into = collection) => store.searchLexical(into, { terms: [word], limit: 10 });
    const byVector = (vector: Float32Array, into = collection) => store.searchDense(into, { space, vector, limit: 10 });

    beforeAll(async () => {
      store = await create();
    });
    beforeEach(() => {
      collection = { orgId: (organizations += 1), knowledgeBaseId: 1 };
    });
    afterEach(() => store.drop(collection));
    afterAll(() => store.close());

    it('finds the nearest passage first, with its cosine and everything stored with it', async () => {
      const near = passage('near', { ordinal: 0, vector: vectorAt([3]), citation: { page: 7, title: 'मूल्य' } });
      await publish([near, passage('far', { ordinal: 1, vector: vectorAt([40]) })]);
      const hits = await byVector(vectorAt([3]));
      expect(texts(hits)).toEqual(['near', 'far']);
      expect(hits[0]?.score).toBeCloseTo(1, 2);
      const { vector: _vector, terms: _terms, ...stored } = near;
      expect(hits[0]?.passage).toEqual(stored);
    });

    it('ranks a passage with a rare word above one with a common word', async () => {
      await publish([
        passage('the red kettle', { ordinal: 0 }),
        passage('the red lamp', { ordinal: 1 }),
        passage('the red chair', { ordinal: 2 }),
        passage('वारंटी दो साल', { ordinal: 3 }),
      ]);
      const hits = await store.searchLexical(collection, { terms: ['red', 'lamp'], limit: 10 });
      expect(texts(hits)[0]).toBe('the red lamp');
      expect(hits[0]?.score ?? 0).toBeGreaterThan(hits[1]?.score ?? 0);
      expect(texts(await byWord('वारंटी'))).toEqual(['वारंटी दो साल']);
      expect(await byWord('absent')).toEqual([]);
    });

    it('treats query syntax as plain words', async () => {
      await publish([passage('plain')]);
      for (const word of ['"', 'NOT', 'a OR b', '*', 'terms:x', 'near(']) expect(await byWord(word)).toEqual([]);
    });

    it('never shows one knowledge base’s or tenant’s text to another', async () => {
      const others = [
        { ...collection, knowledgeBaseId: 2 },
        { ...collection, orgId: (organizations += 1) },
      ];
      await publish([passage('mine')]);
      for (const other of others) {
        await publish([passage('theirs', { vector: vectorAt([4]) })], other);
        expect(texts(await byVector(vectorAt([4]), other))).toEqual(['theirs']);
        expect(await byWord('mine', other)).toEqual([]);
      }
      expect(texts(await byVector(vectorAt([4])))).toEqual(['mine']);
      for (const other of others) await store.drop(other);
    });

    it('hides a version until it is published, and shows the old one until then', async () => {
      await publish([passage('old text')]);
      await store.stage(collection, space, [passage('new text', { version: 2 })]);
      expect(texts(await byWord('text'))).toEqual(['old text']);
      await store.publish(collection, 'document:a', 2);
      expect(texts(await byWord('text'))).toEqual(['new text']);
      expect(texts(await byVector(vectorAt([1])))).toEqual(['new text']);
      expect(await store.count(collection)).toBe(1);
    });

    it('keeps one passage if staged twice, and one version if published twice', async () => {
      for (let round = 0; round < 2; round += 1) await publish([passage('once')]);
      expect(texts(await byWord('once'))).toEqual(['once']);
      expect(await store.count(collection)).toBe(1);
    });

    it('removes a source, or one version of it, and leaves the others', async () => {
      await publish([passage('kept'), passage('gone', { sourceId: 'document:b' })]);
      await store.stage(collection, space, [passage('abandoned', { version: 2 })]);
      await store.removeVersion(collection, 'document:a', 2);
      await store.removeSource(collection, 'document:b');
      expect(texts(await byVector(vectorAt([1])))).toEqual(['kept']);
      expect(await byWord('gone')).toEqual([]);
    });

    it('reads published passages by their ids, and knows of no others', async () => {
      const [one, two] = [passage('one', { ordinal: 0 }), passage('two', { ordinal: 1 })];
      await publish([one, two]);
      const staged = passage('staged', { version: 2, ordinal: 0 });
      await store.stage(collection, space, [staged]);
      const ids = [one, staged, { ...one, ordinal: 7 }].map(passageId);
      expect((await store.read(collection, ids)).map(({ text }) => text)).toEqual(['one']);
      expect(await store.read({ ...collection, knowledgeBaseId: collection.knowledgeBaseId + 4711 }, ids)).toEqual([]);
    });

    it('searches only the kinds asked for', async () => {
      await publish([passage('same words', { ordinal: 0 }), passage('same words too', { ordinal: 1, kind: 'faq' })]);
      expect(texts(await store.searchLexical(collection, { terms: ['same'], limit: 5, kinds: ['faq'] }))).toEqual([
        'same words too',
      ]);
      const dense = await store.searchDense(collection, { space, vector: vectorAt([1]), limit: 5, kinds: ['document'] });
      expect(texts(dense)).toEqual(['same words']);
    });

    it('serves one embedding space while the next is filled, then drops the first', async () => {
      await publish([passage('one', { ordinal: 0 }), passage('two', { ordinal: 1 }), passage('three', { ordinal: 2 })]);
      const next = { name: 'suite-32', dimensions: 32 };
      await store.prepare(collection, next);
      const first = await store.list(collection, { limit: 2 });
      const rest = await store.list(collection, { limit: 2, after: first.at(-1)?.id ?? '' });
      const all = [...first, ...rest];
      expect(all.map((item) => item.passage.text).sort()).toEqual(['one', 'three', 'two']);
      const vectors = all.map(({ id, passage: { ordinal } }) => ({ id, vector: vectorAt([ordinal], 32) }));
      await store.addVectors(collection, next, [
        ...vectors,
        { id: '00000000-0000-4000-8000-000000000000', vector: vectorAt([0], 32) },
      ]);
      expect(await byVector(vectorAt([1]))).toHaveLength(3);
      const hits = await store.searchDense(collection, { space: next, vector: vectorAt([2], 32), limit: 1 });
      expect(texts(hits)).toEqual(['three']);
      await store.dropSpace(collection, space);
      expect(await store.searchDense(collection, { space: next, vector: vectorAt([2], 32), limit: 5 })).toHaveLength(3);
    });

    it('treats a missing collection as an empty one', async () => {
      expect(await byVector(vectorAt([1]))).toEqual([]);
      expect(await byWord('anything')).toEqual([]);
      expect(await store.count(collection)).toBe(0);
      await store.removeSource(collection, 'document:a');
    });

    it('is empty after a drop, and can be filled again', async () => {
      await publish([passage('first life')]);
      await store.drop(collection);
      expect(await store.count(collection)).toBe(0);
      await publish([passage('second life')]);
      expect(texts(await byWord('life'))).toEqual(['second life']);
    });
  });
}
