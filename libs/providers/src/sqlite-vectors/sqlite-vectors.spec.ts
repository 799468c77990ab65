import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { collectionName, type IndexedPassage, toUnitLength } from '@parley/ports';
import { describeVectorStore } from '@parley/ports/suites';
import { SqliteVectorStore } from './index';

const directory = mkdtempSync(path.join(tmpdir(), 'parley-vectors-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

describeVectorStore('SQLite', () => new SqliteVectorStore({ directory }));

const collection = { orgId: 7, knowledgeBaseId: 9 };
const space = { name: 'sixteen', dimensions: 16 };

function numbered(ordinal: number): IndexedPassage {
  const vector = toUnitLength(Float32Array.from({ length: 16 }, (_, index) => Math.sin(ordinal * 31 + index * index)));
  return {
    sourceId: 'document:a',
    version: 1,
    ordinal,
    kind: 'document',
    text: `passage ${ordinal}`,
    citation: {},
    vector,
    terms: [`w${ordinal}`],
  };
}

describe('the SQLite vector store', () => {
  it('still has everything it committed after its thread was killed', async () => {
    const first = new SqliteVectorStore({ directory });
    await first.prepare(collection, space);
    await first.stage(collection, space, [numbered(1), numbered(2)]);
    await first.publish(collection, 'document:a', 1);
    // `close` of the worker ends the thread without closing its files.
    await first['writes'].close();

    const second = new SqliteVectorStore({ directory });
    expect(await second.count(collection)).toBe(2);
    const [hit] = await second.searchDense(collection, { space, vector: numbered(2).vector, limit: 1 });
    expect(hit?.passage.text).toBe('passage 2');
    await second.drop(collection);
    await second.close();
  });

  it('finds the exact neighbours among more vectors than it compares exactly', async () => {
    const store = new SqliteVectorStore({ directory });
    const wide = { name: 'wide', dimensions: 256 };
    const random = (seed: number) => {
      let state = seed;
      const next = () => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0) / 2 ** 32 - 0.5;
      return toUnitLength(Float32Array.from({ length: 256 }, next));
    };
    const passages = Array.from({ length: 2000 }, (_, ordinal) => ({ ...numbered(ordinal), vector: random(ordinal + 1) }));
    await store.prepare(collection, wide);
    await store.stage(collection, wide, passages);
    await store.publish(collection, 'document:a', 1);
    for (const wanted of [3, 777, 1999]) {
      const noise = random(wanted + 50_000);
      const query = toUnitLength((passages[wanted]?.vector ?? noise).map((value, index) => value + 0.7 * (noise[index] ?? 0)));
      const [hit] = await store.searchDense(collection, { space: wide, vector: query, limit: 5 });
      expect(hit?.passage.ordinal).toBe(wanted);
    }
    await store.drop(collection);
    await store.close();
  });

  it('ignores very common words when ranking a large collection, also while a new version is staged', async () => {
    const store = new SqliteVectorStore({ directory });
    const everywhere = (version: number) =>
      Array.from({ length: 6000 }, (_, ordinal) => ({
        ...numbered(ordinal),
        version,
        terms: ['price', 'colour', `w${ordinal}`],
      }));
    await store.stage(collection, space, everywhere(1));
    await store.publish(collection, 'document:a', 1);
    await store.stage(collection, space, everywhere(2));
    const rare = await store.searchLexical(collection, { terms: ['price', 'colour', 'w4711'], limit: 10 });
    expect(rare.map(({ passage }) => [passage.ordinal, passage.version])).toEqual([[4711, 1]]);
    expect(await store.searchLexical(collection, { terms: ['price', 'colour'], limit: 10 })).toEqual([]);
    await store.drop(collection);
    await store.close();
  });

  it('finds words that occur together in many passages', async () => {
    const store = new SqliteVectorStore({ directory });
    const passages = Array.from({ length: 21_500 }, (_, ordinal) => ({
      ...numbered(ordinal),
      terms: [...(ordinal % 7 === 0 ? ['kettle'] : []), ...(ordinal % 49 < 7 ? ['warranty'] : [])],
    }));
    for (let from = 0; from < passages.length; from += 2_000)
      await store.stage(collection, space, passages.slice(from, from + 2_000));
    await store.publish(collection, 'document:a', 1);
    const hits = await store.searchLexical(collection, { terms: ['warranty', 'kettle'], limit: 50 });
    expect(hits).toHaveLength(50);
    expect(hits.filter(({ passage }) => passage.ordinal % 49 !== 0)).toEqual([]);
    await store.drop(collection);
    await store.close();
  });

  it('answers a question while a document is being written', async () => {
    const store = new SqliteVectorStore({ directory });
    await store.stage(collection, space, [numbered(1)]);
    await store.publish(collection, 'document:a', 1);
    const search = () => store.searchDense(collection, { space, vector: numbered(1).vector, limit: 1 });
    await search();
    let isWritten = false;
    // The holder of the lock keeps the document from being written.
    const other = new DatabaseSync(path.join(directory, `${collectionName(collection)}.sqlite`));
    other.exec('begin immediate');
    const writing = store.stage(collection, space, [{ ...numbered(2), version: 2 }]).then(() => (isWritten = true));
    const [hit] = await search();
    expect([hit?.passage.version, isWritten]).toEqual([1, false]);
    other.exec('rollback');
    other.close();
    await writing;
    await store.drop(collection);
    await store.close();
  });

  it.each([3, 1_500])('sees each of %i changes made since its last search', async (changes) => {
    const store = new SqliteVectorStore({ directory });
    const ofSource = (source: number) => ({ ...numbered(source), sourceId: `document:${source}` });
    const nearest = (source: number) => store.searchDense(collection, { space, vector: ofSource(source).vector, limit: 1 });
    await store.stage(collection, space, [ofSource(0)]);
    await store.publish(collection, 'document:0', 1);
    expect(await nearest(0)).toHaveLength(1);
    await store.stage(
      collection,
      space,
      Array.from({ length: changes }, (_, index) => ofSource(index + 1)),
    );
    for (let source = 1; source <= changes; source += 1) await store.publish(collection, `document:${source}`, 1);
    await store.removeSource(collection, 'document:0');
    expect((await nearest(0))[0]?.passage.sourceId).not.toBe('document:0');
    for (const source of [1, changes]) expect((await nearest(source))[0]?.passage.sourceId).toBe(`document:${source}`);
    expect(await store.searchDense(collection, { space, vector: ofSource(1).vector, limit: 2_000 })).toHaveLength(changes);
    await store.drop(collection);
    await store.close();
  });

  it('finds nothing in a dropped space that others had changed', async () => {
    const store = new SqliteVectorStore({ directory });
    const next = { name: 'next', dimensions: 32 };
    await store.stage(collection, space, [numbered(1)]);
    await store.publish(collection, 'document:a', 1);
    const search = () => store.searchDense(collection, { space, vector: numbered(1).vector, limit: 1 });
    expect(await search()).toHaveLength(1);
    const [listed] = await store.list(collection, { limit: 1 });
    const vector = new Float32Array(32).fill(0.2);
    await store.addVectors(collection, next, [{ id: listed?.id ?? '', vector }]);
    await store.dropSpace(collection, space);
    expect(await search()).toEqual([]);
    expect(await store.searchDense(collection, { space: next, vector, limit: 1 })).toHaveLength(1);
    await store.drop(collection);
    await store.close();
  });

  it('refuses a vector of another space', async () => {
    const store = new SqliteVectorStore({ directory });
    const alien = { ...numbered(1), vector: new Float32Array(32) };
    await expect(store.stage(collection, space, [alien])).rejects.toThrow('does not belong to the space');
    await store.drop(collection);
    await store.close();
  });
});
