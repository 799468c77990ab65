import type { Reranker } from './reranker';

const question = 'how long is the warranty of the kettle';
const answer = 'The warranty of the kettle is two years.';

/** The guarantees of the port, tested for any engine. */
export function describeReranker(name: string, create: () => Promise<Reranker> | Reranker): void {
  describe(`${name} as a reranker`, () => {
    let engine: Reranker;
    beforeAll(async () => {
      engine = await create();
    });
    afterAll(() => engine.close());

    it('ranks the answering passage first, and returns each passage once', async () => {
      const ranked = await engine.rerank(question, ['Parking is behind the store.', answer, 'The shop opens on Monday.']);
      expect(ranked[0]?.index).toBe(1);
      expect(ranked.map(({ index }) => index).sort()).toEqual([0, 1, 2]);
      const relevance = ranked.map((passage) => passage.relevance);
      expect(relevance).toEqual(relevance.toSorted((a, b) => b - a));
    });

    it('finds the best of more passages than one call takes', async () => {
      const count = engine.capabilities.passagesPerCall * 2 + 1;
      const passages = Array.from({ length: count }, (_, index) => (index === count - 1 ? answer : `Article ${index}.`));
      const ranked = await engine.rerank(question, passages);
      expect(ranked[0]?.index).toBe(count - 1);
      expect(new Set(ranked.map(({ index }) => index)).size).toBe(count);
    });

    it('returns none for no passages', async () => {
      expect(await engine.rerank(question, [])).toEqual([]);
    });

    it('truncates a long passage and accepts an empty one', async () => {
      const long = `${answer} ${'word '.repeat(engine.capabilities.charactersPerPassage)}`;
      const ranked = await engine.rerank(question, ['', long]);
      expect(ranked.map(({ index }) => index)).toEqual([1, 0]);
    });

    it('stops when the caller disconnects', async () => {
      await expect(engine.rerank(question, [answer], { signal: AbortSignal.abort() })).rejects.toThrow(/abort/i);
    });
  });
}
