import { contractByName, type MessageContract } from '@parley/contracts';
import { startWholePlatform, type WholePlatform } from './testing/whole-platform';

let platform: WholePlatform;

beforeAll(async () => {
  platform = await startWholePlatform();
});
afterAll(() => platform.stop());

/** Whether anybody subscribes to this subject. */
function isHeard(subject: string): Promise<boolean> {
  const line = platform.broker.connect();
  return new Promise((resolve) => {
    const inbox = `${line.inbox}.probe.${subject}`;
    line.subscribe(inbox, ({ nobodyListens }) => resolve(!nobodyListens));
    line.publish(subject, new Uint8Array(), { reply: inbox });
  });
}

const answerable = [...contractByName].filter((entry): entry is [string, MessageContract] => entry[1].kind !== 'event');

it.each(answerable)('%s is answered by its service', async (_name, { subject }) => {
  expect(await isHeard(subject)).toBe(true);
});
