import { similarity, type Embeddings } from './embeddings';

/** The promises of the port, run against any engine. */
export function describeEmbeddings(name: string, create: () => Promise<Embeddings> | Embeddings): void {
  describe(`${name} as an embeddings engine`, () => {
    let engine: Embeddings;
    beforeAll(async () => {
      engine = await create();
    });
    afterAll(() => engine.close());

    it('gives one vector of unit length and of the promised dimensions for each text', async () => {
      const vectors = await engine.embed(['opening hours', 'return policy', 'वापसी की नीति क्या है']);
      expect(vectors).toHaveLength(3);
      for (const vector of vectors) {
        expect(vector).toHaveLength(engine.capabilities.space.dimensions);
        expect(similarity(vector, vector)).toBeCloseTo(1, 3);
      }
    });

    it('gives the same vector for the same text, whatever stands beside it', async () => {
      const [alone] = await engine.embed(['return policy']);
      const [, among] = await engine.embed(['opening hours', 'return policy', 'warranty']);
      expect(alone && among && similarity(alone, among)).toBeCloseTo(1, 3);
    });

    it('keeps the order of more texts than one call takes', async () => {
      const count = engine.capabilities.textsPerCall + 1;
      const texts = Array.from({ length: count }, (_, index) => `article number ${index}`);
      const vectors = await engine.embed(texts);
      const [last] = await engine.embed([`article number ${count - 1}`]);
      const stored = vectors.at(-1);
      expect(vectors).toHaveLength(count);
      expect(last && stored && similarity(last, stored)).toBeCloseTo(1, 3);
    });

    it('answers no texts with no vectors', async () => {
      expect(await engine.embed([])).toEqual([]);
    });

    it('cuts a text that is too long instead of refusing it', async () => {
      const [vector] = await engine.embed(['word '.repeat(engine.capabilities.charactersPerText)]);
      expect(vector).toHaveLength(engine.capabilities.space.dimensions);
    });

    it('stops when the caller went away', async () => {
      await expect(engine.embed(['anything'], { signal: AbortSignal.abort() })).rejects.toThrow(/abort/i);
    });
  });
}
