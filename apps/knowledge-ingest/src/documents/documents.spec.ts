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
import { KnowledgeHouse } from '../testing/knowledge-house.suite';
import { pdfOf } from '../testing/sample-files.fake';

// A machine that does many things at once may take its time to start Postgres and a reader of documents.
jest.setTimeout(300_000);

let house: KnowledgeHouse;
beforeAll(async () => {
  house = await KnowledgeHouse.open();
});
afterAll(() => house.close());

const question = { KBFAQID: 0, Question: 'When do you deliver?', Answer: 'Within three working days.' };

describe('a document', () => {
  it('becomes searchable and is cited by page', async () => {
    const { KBID } = await house.base();
    const queued = await house.upload(
      KBID,
      'returns.pdf',
      pdfOf([['Welcome to the shop.'], ['Kettles may be returned within 30 days with the receipt.']]),
    );
    expect(queued).toMatchObject({ status: 'QUEUED', KBID });
    expect(await house.settled(queued)).toMatchObject({ status: 'READY', progress: { stage: 'DONE' } });
    const { passages, isKnown } = await house.ask(searchKnowledge, { KBID, query: 'how many days to return a kettle' });
    expect(isKnown).toBe(true);
    expect(passages[0]).toMatchObject({ source: { kind: 'DOCUMENT', title: 'returns.pdf', keyID: queued.KBDocumentKeyID } });
    expect(await house.ask(getDocument, { KBDocumentKeyID: queued.KBDocumentKeyID })).toMatchObject({
      pageCount: 2,
      fileName: 'returns.pdf',
    });
  });

  it('is replaced as a whole, and costs nothing when it is the same', async () => {
    const { KBID } = await house.base();
    const first = await house.upload(KBID, 'fees.txt', 'The delivery fee is 40 rupees.');
    await house.settled(first);
    const same = await house.upload(KBID, 'fees-again.txt', 'The delivery fee is 40 rupees.');
    expect(same).toMatchObject({ KBDocumentKeyID: first.KBDocumentKeyID, status: 'READY' });
    const next = await house.upload(KBID, 'fees.txt', 'The delivery fee is 60 rupees.', { key: first.KBDocumentKeyID });
    expect(next).toMatchObject({ KBDocumentKeyID: first.KBDocumentKeyID, status: 'QUEUED' });
    await house.settled(next);
    const { passages } = await house.ask(searchKnowledge, { KBID, query: 'what is the delivery fee' });
    expect(passages.map(({ text }) => text)).toEqual(['The delivery fee is 60 rupees.']);
  });

  it('that cannot be read says why, and the old version goes on serving', async () => {
    const { KBID } = await house.base();
    const first = await house.upload(KBID, 'fees.pdf', pdfOf([['The delivery fee is 40 rupees.']]));
    await house.settled(first);
    const scanned = await house.upload(KBID, 'fees.pdf', pdfOf([[]]), { key: first.KBDocumentKeyID });
    expect(await house.settled(scanned)).toMatchObject({
      status: 'FAILED',
      reason: expect.stringContaining('seems to be scanned'),
    });
    const { passages } = await house.ask(searchKnowledge, { KBID, query: 'what is the delivery fee' });
    expect(passages.map(({ text }) => text)).toEqual(['The delivery fee is 40 rupees.']);
  });

  it('outlives a replacement that could not be read: its own file is still there to be indexed anew', async () => {
    const base = await house.base();
    const { KBID } = base;
    const first = await house.upload(KBID, 'fees.txt', 'The delivery fee is 40 rupees.');
    await house.settled(first);
    const key = first.KBDocumentKeyID;
    for (const name of ['scan-1.pdf', 'scan-2.pdf']) await house.settled(await house.upload(KBID, name, pdfOf([[]]), { key }));
    await house.ask(clearVectors, { KBID, reindex: true });
    expect(await house.settled(first)).toMatchObject({ status: 'READY' });
    expect(await house.ask(getDocument, { KBDocumentKeyID: key })).toMatchObject({ fileName: 'fees.txt' });
    const { passages } = await house.ask(searchKnowledge, { KBID, query: 'what is the delivery fee' });
    expect(passages.map(({ text }) => text)).toEqual(['The delivery fee is 40 rupees.']);
  });

  it('leaves no file behind, neither replaced nor deleted', async () => {
    const base = await house.base();
    const upload = (text: string, key = '') => house.upload(base.KBID, 'fees.txt', text, { key });
    const { KBDocumentKeyID } = await house.settled(await upload('The delivery fee is 40 rupees.'));
    const before = house.uploadedFiles();
    await house.settled(await upload('The delivery fee is 60 rupees.', KBDocumentKeyID));
    await house.indexed(base);
    expect(house.uploadedFiles()).toBe(before);
    await house.ask(deleteDocument, { KBDocumentKeyID });
    await house.indexed(base);
    expect(house.uploadedFiles()).toBe(before - 1);
  });

  it('is refused at once when its type is not taken or its content is another', async () => {
    const { KBID } = await house.base();
    await expect(house.upload(KBID, 'virus.exe', 'MZ')).rejects.toMatchObject({ code: 'UNSUPPORTED_MEDIA_TYPE' });
    await expect(house.upload(KBID, 'text.pdf', 'just text')).rejects.toMatchObject({ code: 'UNSUPPORTED_MEDIA_TYPE' });
    await expect(house.upload(KBID, 'empty.csv', '')).rejects.toMatchObject({ code: 'VALIDATION_FAILED' });
    await expect(house.upload(KBID, 'large.csv', 'a,b\n'.repeat(3_000_000))).rejects.toMatchObject({ code: 'PAYLOAD_TOO_LARGE' });
    await expect(house.upload(KBID + 1_000, 'a.txt', 'text')).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('takes no file that another organization uploaded', async () => {
    const { KBID } = await house.base();
    await house.files.put('uploads/2/theirs.txt', Readable.from([Buffer.from('secret')]), { bytesMax: 100 });
    for (const fileKey of ['uploads/2/theirs.txt', 'uploads/12/x', 'contacts/1/x', 'uploads/1']) {
      const document = { fileKey, fileName: 'theirs.txt', size: 6, contentType: 'text/plain' };
      await expect(house.ask(saveDocument, { KBID: String(KBID), document })).rejects.toMatchObject({
        code: 'VALIDATION_FAILED',
        message: 'document is not an upload of this workspace',
      });
    }
  });

  it('leaves the searches and the list when it is deleted', async () => {
    const base = await house.base();
    const { KBDocumentKeyID } = await house.upload(base.KBID, 'a.txt', 'The warranty lasts two years.');
    await house.settled({ KBDocumentKeyID });
    await house.ask(deleteDocument, { KBDocumentKeyID });
    await house.indexed(base);
    expect((await house.ask(listDocuments, { KBID: base.KBID })).totalCount).toBe(0);
    expect(await house.ask(searchKnowledge, { KBID: base.KBID, query: 'how long is the warranty' })).toMatchObject({
      passages: [],
      isKnown: false,
    });
  });
});

describe('the count of chunks', () => {
  it('is what searches can find, of every kind of source, and nothing once the vectors are cleared', async () => {
    const base = await house.base();
    const { KBID, KBKeyID } = base;
    await house.ask(saveFaqs, { KBID, faqs: [question, { ...question, Question: 'Do you deliver abroad?' }] });
    await house.ask(saveBusinessProfile, {
      KBID,
      businessInfo: {
        business_name: 'Demo Bazaar',
        office_address: 'MG Road, Pune',
        working_hours: [{ day: 'Monday', open_time: '09:00 AM', close_time: '06:00 PM', is_open: true }],
        timezone: 'Asia/Kolkata',
      },
    });
    const kettle = { product_id: null, product_name: 'Kettle', price: 1499, currency: 'INR' };
    await house.ask(saveCatalog, { KBID, products: [kettle] });
    await house.settled(await house.upload(KBID, 'a.md', '# One\n\nFirst text.\n\n# Two\n\nSecond text.'));
    await house.indexed(base);
    const { chunkCount } = await house.ask(getKnowledgeBase, { KBKeyID });
    expect(chunkCount).toBe(8);
    expect(await house.ask(clearVectors, { KBID })).toMatchObject({ removedCount: chunkCount });
    expect(await house.ask(getKnowledgeBase, { KBKeyID })).toMatchObject({ chunkCount: 0, faqCount: 2, status: 'CLEARED' });
  });
});

describe('clearing the vectors', () => {
  it('keeps the sources, and brings everything back when asked to', async () => {
    const base = await house.base();
    await house.ask(saveFaqs, { KBID: base.KBID, faqs: [question] });
    await house.settled(await house.upload(base.KBID, 'a.txt', 'The warranty lasts two years.'));
    await house.indexed(base);
    const cleared = await house.ask(clearVectors, { KBID: base.KBID });
    expect(cleared).toMatchObject({ removedCount: 2, isReindexing: false });
    expect(await house.ask(getKnowledgeBase, { KBKeyID: base.KBKeyID })).toMatchObject({
      status: 'CLEARED',
      documentCount: 1,
      faqCount: 1,
    });
    expect((await house.ask(searchKnowledge, { KBID: base.KBID, query: 'how long is the warranty' })).passages).toEqual([]);
    await house.ask(clearVectors, { collectionName: `kb_embeddings_1_${base.KBID}`, reindex: true });
    await house.indexed(base);
    expect((await house.ask(searchKnowledge, { KBID: base.KBID, query: 'how long is the warranty' })).passages).toHaveLength(1);
  });

  it('lets what is saved again unchanged be found again', async () => {
    const base = await house.base();
    const saved = await house.ask(saveFaqs, { KBID: base.KBID, faqs: [question] });
    await house.settled(await house.upload(base.KBID, 'a.txt', 'The warranty lasts two years.'));
    await house.indexed(base);
    await house.ask(clearVectors, { KBID: base.KBID });
    await house.settled(await house.upload(base.KBID, 'a.txt', 'The warranty lasts two years.'));
    await house.ask(saveFaqs, { KBID: base.KBID, faqs: [{ ...question, KBFAQID: saved.faqs[0]?.KBFAQID ?? 0 }] });
    await house.indexed(base);
    expect(await house.ask(getKnowledgeBase, { KBKeyID: base.KBKeyID })).toMatchObject({ status: 'READY' });
    expect((await house.ask(searchKnowledge, { KBID: base.KBID, query: 'how long is the warranty' })).passages).toHaveLength(1);
    expect((await house.ask(searchKnowledge, { KBID: base.KBID, query: 'when do you usually deliver' })).faq).not.toBeNull();
  });

  it('refuses two names that mean different collections', async () => {
    const [one, other] = [await house.base(), await house.base()];
    const contradiction = house.ask(clearVectors, { KBID: one.KBID, collectionName: `kb_embeddings_1_${other.KBID}` });
    await expect(contradiction).rejects.toMatchObject({ code: 'VALIDATION_FAILED' });
  });

  it('refuses the collection of another organization', async () => {
    const { KBID } = await house.base('Theirs', 2);
    await expect(house.ask(clearVectors, { collectionName: `kb_embeddings_2_${KBID}` })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
  });
});
