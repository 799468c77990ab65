import { Readable } from 'node:stream';
import {
  clearVectors,
  deleteDocument,
  getDocument,
  getKnowledgeBase,
  listDocuments,
  saveBusinessProfile,
  saveCatalog,
  saveDocument,
  saveFaqs,
  searchKnowledge,
} from '@parley/contracts';
import { KnowledgeHarness } from '../testing/knowledge-harness.suite';
import { pdfOf } from '../testing/sample-files.fake';

let harness: KnowledgeHarness;
beforeAll(async () => {
  harness = await KnowledgeHarness.open();
});
afterAll(() => harness.close());

const question = { KBFAQID: 0, Question: 'When do you deliver?', Answer: 'Within three working days.' };

describe('a document', () => {
  it('becomes searchable and is cited by page', async () => {
    const { KBID } = await harness.base();
    const queued = await harness.upload(
      KBID,
      'returns.pdf',
      pdfOf([['Welcome to the shop.'], ['Kettles may be returned within 30 days with the receipt.']]),
    );
    expect(queued).toMatchObject({ status: 'QUEUED', KBID });
    expect(await harness.settled(queued)).toMatchObject({ status: 'READY', progress: { stage: 'DONE' } });
    const { passages, isKnown } = await harness.ask(searchKnowledge, { KBID, query: 'how many days to return a kettle' });
    expect(isKnown).toBe(true);
    expect(passages[0]).toMatchObject({ source: { kind: 'DOCUMENT', title: 'returns.pdf', keyID: queued.KBDocumentKeyID } });
    expect(await harness.ask(getDocument, { KBDocumentKeyID: queued.KBDocumentKeyID })).toMatchObject({
      pageCount: 2,
      fileName: 'returns.pdf',
    });
  });

  it('is replaced as a whole, and costs nothing if unchanged', async () => {
    const { KBID } = await harness.base();
    const first = await harness.upload(KBID, 'fees.txt', 'The delivery fee is 40 rupees.');
    await harness.settled(first);
    const same = await harness.upload(KBID, 'fees-again.txt', 'The delivery fee is 40 rupees.');
    expect(same).toMatchObject({ KBDocumentKeyID: first.KBDocumentKeyID, status: 'READY' });
    const next = await harness.upload(KBID, 'fees.txt', 'The delivery fee is 60 rupees.', { key: first.KBDocumentKeyID });
    expect(next).toMatchObject({ KBDocumentKeyID: first.KBDocumentKeyID, status: 'QUEUED' });
    await harness.settled(next);
    const { passages } = await harness.ask(searchKnowledge, { KBID, query: 'what is the delivery fee' });
    expect(passages.map(({ text }) => text)).toEqual(['The delivery fee is 60 rupees.']);
  });

  it('that cannot be read says why, and the old version is still served', async () => {
    const { KBID } = await harness.base();
    const first = await harness.upload(KBID, 'fees.pdf', pdfOf([['The delivery fee is 40 rupees.']]));
    await harness.settled(first);
    const scanned = await harness.upload(KBID, 'fees.pdf', pdfOf([[]]), { key: first.KBDocumentKeyID });
    expect(await harness.settled(scanned)).toMatchObject({
      status: 'FAILED',
      reason: expect.stringContaining('seems to be scanned'),
    });
    const { passages } = await harness.ask(searchKnowledge, { KBID, query: 'what is the delivery fee' });
    expect(passages.map(({ text }) => text)).toEqual(['The delivery fee is 40 rupees.']);
  });

  it('survives a failed replacement: its own file can still be indexed again', async () => {
    const base = await harness.base();
    const { KBID } = base;
    const first = await harness.upload(KBID, 'fees.txt', 'The delivery fee is 40 rupees.');
    await harness.settled(first);
    const key = first.KBDocumentKeyID;
    for (const name of ['scan-1.pdf', 'scan-2.pdf'])
      await harness.settled(await harness.upload(KBID, name, pdfOf([[]]), { key }));
    await harness.ask(clearVectors, { KBID, reindex: true });
    expect(await harness.settled(first)).toMatchObject({ status: 'READY' });
    expect(await harness.ask(getDocument, { KBDocumentKeyID: key })).toMatchObject({ fileName: 'fees.txt' });
    const { passages } = await harness.ask(searchKnowledge, { KBID, query: 'what is the delivery fee' });
    expect(passages.map(({ text }) => text)).toEqual(['The delivery fee is 40 rupees.']);
  });

  it('leaves no file behind when replaced or deleted', async () => {
    const base = await harness.base();
    const upload = (text: string, key = '') => harness.upload(base.KBID, 'fees.txt', text, { key });
    const { KBDocumentKeyID } = await harness.settled(await upload('The delivery fee is 40 rupees.'));
    const before = harness.uploadedFiles();
    await harness.settled(await upload('The delivery fee is 60 rupees.', KBDocumentKeyID));
    await harness.indexed(base);
    expect(harness.uploadedFiles()).toBe(before);
    await harness.ask(deleteDocument, { KBDocumentKeyID });
    await harness.indexed(base);
    expect(harness.uploadedFiles()).toBe(before - 1);
  });

  it('is refused at once if its type is not supported or its content does not match', async () => {
    const { KBID } = await harness.base();
    await expect(harness.upload(KBID, 'virus.exe', 'MZ')).rejects.toMatchObject({ code: 'UNSUPPORTED_MEDIA_TYPE' });
    await expect(harness.upload(KBID, 'text.pdf', 'just text')).rejects.toMatchObject({ code: 'UNSUPPORTED_MEDIA_TYPE' });
    await expect(harness.upload(KBID, 'empty.csv', '')).rejects.toMatchObject({ code: 'VALIDATION_FAILED' });
    await expect(harness.upload(KBID, 'large.csv', 'a,b\n'.repeat(3_000_000))).rejects.toMatchObject({
      code: 'PAYLOAD_TOO_LARGE',
    });
    await expect(harness.upload(KBID + 1_000, 'a.txt', 'text')).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('accepts no file uploaded by another organization', async () => {
    const { KBID } = await harness.base();
    await harness.files.put('uploads/2/theirs.txt', Readable.from([Buffer.from('secret')]), { bytesMax: 100 });
    for (const fileKey of ['uploads/2/theirs.txt', 'uploads/12/x', 'contacts/1/x', 'uploads/1']) {
      const document = { fileKey, fileName: 'theirs.txt', size: 6, contentType: 'text/plain' };
      await expect(harness.ask(saveDocument, { KBID: String(KBID), document })).rejects.toMatchObject({
        code: 'VALIDATION_FAILED',
        message: 'document is not an upload of this organization',
      });
    }
  });

  it('does not blame its sender for a file that the gateway stored elsewhere', async () => {
    const { KBID } = await harness.base();
    const document = { fileKey: 'uploads/1/elsewhere', fileName: 'fees.txt', size: 6, contentType: 'text/plain' };
    await expect(harness.ask(saveDocument, { KBID: String(KBID), document })).rejects.toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
      dependency: 'files shared with the gateway',
    });
  });

  it('disappears from searches and the list when deleted', async () => {
    const base = await harness.base();
    const { KBDocumentKeyID } = await harness.upload(base.KBID, 'a.txt', 'The warranty lasts two years.');
    await harness.settled({ KBDocumentKeyID });
    await harness.ask(deleteDocument, { KBDocumentKeyID });
    await harness.indexed(base);
    expect((await harness.ask(listDocuments, { KBID: base.KBID })).totalCount).toBe(0);
    expect(await harness.ask(searchKnowledge, { KBID: base.KBID, query: 'how long is the warranty' })).toMatchObject({
      passages: [],
      isKnown: false,
    });
  });
});

describe('the count of chunks', () => {
  it('is what searches can find, of every kind of source, and zero once the vectors are cleared', async () => {
    const base = await harness.base();
    const { KBID, KBKeyID } = base;
    await harness.ask(saveFaqs, { KBID, faqs: [question, { ...question, Question: 'Do you deliver abroad?' }] });
    await harness.ask(saveBusinessProfile, {
      KBID,
      businessInfo: {
        business_name: 'Demo Bazaar',
        office_address: 'MG Road, Pune',
        working_hours: [{ day: 'Monday', open_time: '09:00 AM', close_time: '06:00 PM', is_open: true }],
        timezone: 'Asia/Kolkata',
      },
    });
    const kettle = { product_id: null, product_name: 'Kettle', price: 1499, currency: 'INR' };
    await harness.ask(saveCatalog, { KBID, products: [kettle] });
    await harness.settled(await harness.upload(KBID, 'a.md', '# One\n\nFirst text.\n\n# Two\n\nSecond text.'));
    await harness.indexed(base);
    const { chunkCount } = await harness.ask(getKnowledgeBase, { KBKeyID });
    expect(chunkCount).toBe(8);
    expect(await harness.ask(clearVectors, { KBID })).toMatchObject({ removedCount: chunkCount });
    expect(await harness.ask(getKnowledgeBase, { KBKeyID })).toMatchObject({ chunkCount: 0, faqCount: 2, status: 'CLEARED' });
  });
});

describe('clearing the vectors', () => {
  it('keeps the sources, and brings everything back on request', async () => {
    const base = await harness.base();
    await harness.ask(saveFaqs, { KBID: base.KBID, faqs: [question] });
    await harness.settled(await harness.upload(base.KBID, 'a.txt', 'The warranty lasts two years.'));
    await harness.indexed(base);
    const cleared = await harness.ask(clearVectors, { KBID: base.KBID });
    expect(cleared).toMatchObject({ removedCount: 2, isReindexing: false });
    expect(await harness.ask(getKnowledgeBase, { KBKeyID: base.KBKeyID })).toMatchObject({
      status: 'CLEARED',
      documentCount: 1,
      faqCount: 1,
    });
    expect((await harness.ask(searchKnowledge, { KBID: base.KBID, query: 'how long is the warranty' })).passages).toEqual([]);
    await harness.ask(clearVectors, { collectionName: `kb_embeddings_1_${base.KBID}`, reindex: true });
    await harness.indexed(base);
    expect((await harness.ask(searchKnowledge, { KBID: base.KBID, query: 'how long is the warranty' })).passages).toHaveLength(1);
  });

  it('lets unchanged sources be found again once they are saved', async () => {
    const base = await harness.base();
    const saved = await harness.ask(saveFaqs, { KBID: base.KBID, faqs: [question] });
    await harness.settled(await harness.upload(base.KBID, 'a.txt', 'The warranty lasts two years.'));
    await harness.indexed(base);
    await harness.ask(clearVectors, { KBID: base.KBID });
    await harness.settled(await harness.upload(base.KBID, 'a.txt', 'The warranty lasts two years.'));
    await harness.ask(saveFaqs, { KBID: base.KBID, faqs: [{ ...question, KBFAQID: saved.faqs[0]?.KBFAQID ?? 0 }] });
    await harness.indexed(base);
    expect(await harness.ask(getKnowledgeBase, { KBKeyID: base.KBKeyID })).toMatchObject({ status: 'READY' });
    expect((await harness.ask(searchKnowledge, { KBID: base.KBID, query: 'how long is the warranty' })).passages).toHaveLength(1);
    expect((await harness.ask(searchKnowledge, { KBID: base.KBID, query: 'when do you usually deliver' })).faq).not.toBeNull();
  });

  it('refuses names of two different collections', async () => {
    const [one, other] = [await harness.base(), await harness.base()];
    const contradiction = harness.ask(clearVectors, { KBID: one.KBID, collectionName: `kb_embeddings_1_${other.KBID}` });
    await expect(contradiction).rejects.toMatchObject({ code: 'VALIDATION_FAILED' });
  });

  it('refuses another organization’s collection', async () => {
    const { KBID } = await harness.base('Theirs', 2);
    await expect(harness.ask(clearVectors, { collectionName: `kb_embeddings_2_${KBID}` })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
  });
});
