/** @waits an idle worker polls every five seconds */
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { eventually, testDatabase, type TestDatabase } from '@parley/testing';
import { IndexJobs } from './indexing/index-jobs';
import { KnowledgeHarness } from './testing/knowledge-harness.suite';

let database: TestDatabase;
let harness: KnowledgeHarness;

beforeAll(async () => {
  database = await testDatabase();
  harness = new KnowledgeHarness(database.url);
});
afterAll(async () => {
  jest.restoreAllMocks();
  await harness.close();
  await database.close();
});

it('logs once that jobs cannot be read, whichever lane notices, and again after they could', async () => {
  const take = jest.spyOn(IndexJobs.prototype, 'take');
  jest.spyOn(IndexJobs.prototype, 'areThere').mockResolvedValue(true);
  /** More polls than there are lanes, each of which is woken. */
  const polls = () => {
    take.mockClear();
    return eventually('every lane has polled again', () => {
      take.mock.contexts[0]?.announce();
      return take.mock.calls.length > 8;
    });
  };
  const lines = new PassThrough();
  const written = text(lines);
  take.mockRejectedValue(new Error('the database system is starting up'));
  await harness.start({}, lines, 'warn');
  await polls();
  take.mockResolvedValue(undefined);
  await polls();
  take.mockRejectedValue(new Error('the database system is shutting down'));
  await polls();
  take.mockResolvedValue(undefined);
  await harness.stop();
  lines.end();
  const logged = [...(await written).matchAll(/^.*"Index jobs cannot be read".*$/gm)].map(([line]) => line);
  expect(logged).toEqual([expect.stringContaining('is starting up'), expect.stringContaining('is shutting down')]);
});

it('polls once for all of its lanes while there are no jobs', async () => {
  jest.restoreAllMocks();
  const [takes, looks] = [jest.spyOn(IndexJobs.prototype, 'take'), jest.spyOn(IndexJobs.prototype, 'areThere')];
  await harness.start();
  await eventually('it has polled twice', () => looks.mock.calls.length === 3);
  expect(takes).toHaveBeenCalledTimes(3);
});
