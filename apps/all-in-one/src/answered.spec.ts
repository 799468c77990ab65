import { handWritten, notYet } from '@parley/apps/gateway';
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
    const inbox = `probe.${subject}`;
    line.subscribe(inbox, ({ nobodyListens }) => resolve(!nobodyListens));
    line.publish(subject, new Uint8Array(), { reply: inbox });
  });
}

const answerable = [...contractByName].filter((entry): entry is [string, MessageContract] => entry[1].kind !== 'event');
const promised = answerable.filter(([name]) => !notYet.some((waiting) => waiting === name));
/** An endpoint that leaves the list also needs its handler at the gateway, once its service answers. */
const waitsForTheGateway = new Set(handWritten.map(({ contract }) => contract.subject));
const unanswered = answerable.filter(
  ([name, { subject }]) => notYet.some((waiting) => waiting === name) && !waitsForTheGateway.has(subject),
);

it.each(promised)('%s is answered by its service', async (_name, { subject }) => {
  expect(await isHeard(subject)).toBe(true);
});

it('the list of unanswered endpoints contains nothing that is answered', async () => {
  const heard = await Promise.all(unanswered.map(async ([name, { subject }]) => ((await isHeard(subject)) ? [name] : [])));
  expect(heard.flat()).toEqual([]);
});
