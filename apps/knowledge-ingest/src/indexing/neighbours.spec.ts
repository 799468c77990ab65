import { testDatabase, type TestDatabase } from '@parley/testing';
import { HeldEmbeddings } from '../testing/held-embeddings.fake';
import { KnowledgeHarness } from '../testing/knowledge-harness.suite';

const [noisy, quiet] = [1, 2];
const held = new HeldEmbeddings('ponderous');
let database: TestDatabase;
let harness: KnowledgeHarness;

beforeAll(async () => {
  database = await testDatabase();
  harness = new KnowledgeHarness(database.url);
  await harness.start(await held.start());
});
afterAll(async () => {
  held.release();
  await harness.close();
  await held.stop();
  await database.close();
});

it('indexes one organization’s file while six slow ones of another are running, which complete as well', async () => {
  const { KBID: theirs } = await harness.base('Noisy', noisy);
  const uploads = [];
  for (let file = 0; file < 6; file += 1)
    uploads.push(await harness.upload(theirs, `heavy-${file}.txt`, `A ponderous file, number ${file}.`, { orgId: noisy }));
  await held.isAsked;
  const { KBID: mine } = await harness.base('Quiet', quiet);
  const small = await harness.upload(mine, 'small.txt', 'We are open on Sundays.', { orgId: quiet });
  expect(await harness.settled(small, quiet)).toMatchObject({ status: 'READY' });
  held.release();
  for (const upload of uploads) expect(await harness.settled(upload, noisy)).toMatchObject({ status: 'READY' });
});
