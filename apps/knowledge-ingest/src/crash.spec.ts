import { once } from 'node:events';
import path from 'node:path';
import { clearVectors, getDocument, getDocumentStatus, getKnowledgeBase, searchKnowledge } from '@parley/contracts';
import { SqliteVectorStore } from '@parley/providers/sqlite-vectors';
import { testDatabase, typeScriptProcess, type TestDatabase } from '@parley/testing';
import { Client } from 'pg';
import type { LeftBehind } from './testing/ingest-process.fake';
import { KnowledgeHarness } from './testing/knowledge-harness.suite';

// A busy machine may take long to start Postgres and a document reader.
jest.setTimeout(600_000);

let database: TestDatabase;
let harness: KnowledgeHarness;
beforeAll(async () => {
  database = await testDatabase();
  harness = new KnowledgeHarness(database.url);
  await harness.start();
});
afterAll(async () => {
  await harness.close();
  await database.close();
});

const program = 'apps/knowledge-ingest/src/testing/ingest-process.fake.ts';
// Long enough that even a fast machine cannot finish it between two checks.
const manual = Array.from(
  { length: 160 },
  (_, index) => `Section ${index}. ${`Part number ${index} is oiled every ${index + 2} days by the person on duty. `.repeat(8)}`,
).join('\n\n');

/** Lets a lease of half a minute expire at once. */
async function letLeasesRunOut(): Promise<void> {
  const client = new Client({ connectionString: database.adminUrl });
  await client.connect();
  await client.query(`UPDATE knowledge.index_jobs SET leased_until = now() - interval '1 second'`);
  await client.end();
}

describe('a crash while a document is read', () => {
  it('is followed by the rest of the work without duplicate passages, while the old version serves', async () => {
    const { KBID } = await harness.base();
    const first = await harness.upload(KBID, 'manual.txt', 'The old manual says: oil the machine daily.');
    await harness.settled(first);
    await harness.stop();
    const queued = new KnowledgeHarness(database.url, harness.folder);
    await queued.start();
    const { KBDocumentKeyID } = await queued.upload(KBID, 'manual.txt', manual, { key: first.KBDocumentKeyID });
    await queued.stop();

    for (const stop of [1, 32, 64]) {
      await letLeasesRunOut();
      const child = typeScriptProcess(program, 'ingestUntilDone', database.url, harness.folder, KBDocumentKeyID, String(stop));
      child.stdout.resume();
      expect(await once(child, 'exit')).toEqual([null, 'SIGKILL']);
      const store = new SqliteVectorStore({ directory: path.join(harness.folder, 'vectors') });
      const visible = await store.searchLexical({ orgId: 1, knowledgeBaseId: KBID }, { terms: ['oil'], limit: 50 });
      expect(visible.map(({ passage }) => passage.text)).toEqual(['The old manual says: oil the machine daily.']);
      await store.close();
    }

    await letLeasesRunOut();
    await harness.start();
    expect((await harness.ask(getDocumentStatus, { KBDocumentKeyID })).progress.done).toBeGreaterThanOrEqual(64);
    expect(await harness.settled({ KBDocumentKeyID })).toMatchObject({ status: 'READY' });
    const { chunkCount } = await harness.ask(getDocument, { KBDocumentKeyID });
    const store = new SqliteVectorStore({ directory: path.join(harness.folder, 'vectors') });
    expect(await store.count({ orgId: 1, knowledgeBaseId: KBID })).toBe(chunkCount);
    await store.close();
    const { passages } = await harness.ask(searchKnowledge, { KBID, query: 'how often is part number 70 oiled', topK: 50 });
    expect(passages.some(({ text }) => text.includes('Part number 70'))).toBe(true);
    expect(passages.some(({ text }) => text.includes('old manual'))).toBe(false);
  });
});

describe('a crash at the worst moment', () => {
  it.each(['before prepare 1', 'after stage 1', 'before publish 1', 'after publish 1', 'after publish 2'])(
    '%s loses nothing and doubles nothing, whichever source was being indexed',
    async (point) => {
      await harness.stop();
      const child = typeScriptProcess(program, 'ingestUntilCrash', database.url, harness.folder, point);
      const gone = once(child, 'exit');
      const { base, document } = JSON.parse(Buffer.concat(await child.stdout.toArray()).toString()) as LeftBehind;
      expect(await gone).toEqual([null, 'SIGKILL']);
      const { KBID, KBKeyID } = base;

      await letLeasesRunOut();
      await harness.start();
      expect(await harness.settled(document)).toMatchObject({ status: 'READY' });
      await harness.indexed(base);
      expect(await harness.ask(getKnowledgeBase, { KBKeyID })).toMatchObject({ chunkCount: 3, status: 'READY' });
      for (const [query, text] of [
        ['red kettle', 'One\nThe kettle is red.'],
        ['blue lamp', 'Two\nThe lamp is blue.'],
      ] as const)
        expect((await harness.ask(searchKnowledge, { KBID, query })).passages[0]?.text).toBe(text);
      expect(await harness.ask(clearVectors, { KBID })).toMatchObject({ removedCount: 3 });
    },
  );
});
