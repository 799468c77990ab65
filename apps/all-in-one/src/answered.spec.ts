import { contractByName, type MessageContract } from '@parley/contracts';
import { within } from '@parley/ports';
import { startWholePlatform, type WholePlatform } from './testing/whole-platform';

let platform: WholePlatform;

beforeAll(async () => {
  platform = await startWholePlatform();
});
afterAll(() => platform.stop());

/** A service that never answers should fail its own line, not only the whole file. */
const patienceMs = 30_000;

/** Whether anybody subscribes to this subject. */
function isHeard(subject: string): Promise<boolean> {
  const line = platform.broker.connect();
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const inbox = `${line.inbox}.probe.${subject}`;
  line.subscribe(inbox, ({ nobodyListens }) => resolve(!nobodyListens));
  line.publish(subject, new Uint8Array(), { reply: inbox });
  return within(patienceMs, promise, () => {
    throw new Error(`${subject} was neither answered nor refused within ${patienceMs} ms`);
  });
}

const answerable = [...contractByName].filter((entry): entry is [string, MessageContract] => entry[1].kind !== 'event');

it.each(answerable)('%s is answered by its service', async (_name, { subject }) => {
  expect(await isHeard(subject)).toBe(true);
});
