import { testDatabase, type TestDatabase } from '@parley/testing';
import { HeldEmbeddings } from '../testing/held-embeddings.fake';
import { KnowledgeHouse } from '../testing/knowledge-house.suite';

const [noisy, quiet] = [1, 2];
const held = new HeldEmbeddings('ponderous');
let database: TestDatabase;
let house: KnowledgeHouse;

beforeAll(async () => {
  database = await testDatabase();
  house = new KnowledgeHouse(database.url);
  await house.start(await held.start());
});
afterAll(async () => {
  held.release();
  await house.close();
  await held.stop();
  await database.close();
});

it('indexes the file of one organization while six of another take for ever, and those come to an end as well', async () => {
  const { KBID: theirs } = await house.base('Noisy', noisy);
  const uploads = [];
  for (let file = 0; file < 6; file += 1)
    uploads.push(await house.upload(theirs, `heavy-${file}.txt`, `A ponderous file, number ${file}.`, { orgId: noisy }));
  await held.isAsked;
  const { KBID: mine } = await house.base('Quiet', quiet);
  const small = await house.upload(mine, 'small.txt', 'We are open on Sundays.', { orgId: quiet });
  expect(await house.settled(small, quiet)).toMatchObject({ status: 'READY' });
  held.release();
  for (const upload of uploads) expect(await house.settled(upload, noisy)).toMatchObject({ status: 'READY' });
}, 120_000);
