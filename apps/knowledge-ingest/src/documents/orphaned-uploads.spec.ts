import { utimesSync } from 'node:fs';
import path from 'node:path';
import { Readable } from 'node:stream';
import { getDocument, searchKnowledge } from '@parley/contracts';
import { orphanAgeMs } from '@parley/ports';
import { eventually, LongWaits } from '@parley/testing';
import { KnowledgeHarness } from '../testing/knowledge-harness.suite';

const hourMs = 60 * 60 * 1_000;

describe('an upload that no request ever named', () => {
  let harness: KnowledgeHarness;
  let waits: LongWaits;
  beforeAll(async () => {
    waits = new LongWaits();
    harness = await KnowledgeHarness.open();
  });
  afterAll(async () => {
    await harness.close();
    waits.letGo();
  });

  const isThere = async (key: string) => {
    const stream = await harness.files.open(key);
    stream?.destroy();
    return stream !== undefined;
  };
  const age = (key: string) => {
    const then = (Date.now() - orphanAgeMs - hourMs) / 1000;
    utimesSync(path.join(harness.folder, 'files', key), then, then);
  };

  it('is kept while there is no knowledge base at all, since the store may belong to another installation', async () => {
    await harness.files.put('uploads/9/unknown', Readable.from([Buffer.from('kept')]), { bytesMax: 10 });
    age('uploads/9/unknown');
    // Without waiting for the hour between two sweeps.
    waits.end();
    await harness.stop();
    expect(await isThere('uploads/9/unknown')).toBe(true);
    await harness.files.delete('uploads/9/unknown');
    await harness.start();
  });

  it('is deleted after a day; files of documents and recent ones are kept', async () => {
    const { KBID } = await harness.base();
    const served = await harness.upload(KBID, 'fees.txt', 'The delivery fee is 40 rupees.');
    await harness.settled(served);
    const failed = await harness.upload(KBID, 'fees.pdf', '%PDF-1.4 nothing that can be read', { key: served.KBDocumentKeyID });
    expect((await harness.settled(failed)).status).toBe('FAILED');
    const needed = ['uploads/1/1', 'uploads/1/2'];
    const lost = ['uploads/1/lost', 'uploads/2/lost'];
    for (const key of [...lost, 'uploads/1/young', 'contacts/1/not-ours.csv'])
      await harness.files.put(key, Readable.from([Buffer.from('lost')]), { bytesMax: 10 });
    for (const key of [...needed, ...lost, 'contacts/1/not-ours.csv']) age(key);

    waits.end();
    await eventually('the orphans are gone', async () => !(await Promise.all(lost.map(isThere))).includes(true));
    await harness.stop();
    for (const key of [...needed, 'uploads/1/young', 'contacts/1/not-ours.csv'])
      expect([key, await isThere(key)]).toEqual([key, true]);

    await harness.start();
    const { passages } = await harness.ask(searchKnowledge, { KBID, query: 'what is the delivery fee' });
    expect(passages.map(({ text }) => text)).toEqual(['The delivery fee is 40 rupees.']);
    expect(await harness.ask(getDocument, { KBDocumentKeyID: served.KBDocumentKeyID })).toMatchObject({ status: 'FAILED' });
  });
});
