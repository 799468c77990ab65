import { Fault } from '@parley/contracts';
import { eventually } from '@parley/testing';
import type { TestOrganization } from '../../testing/harness';
import { SocketClient } from '../../testing/socket-client';
import { SocketHarness } from './socket-harness.suite';

describe('a session opened twice', () => {
  let by: SocketHarness;
  let mine: TestOrganization;
  let otherUrl: string;

  beforeAll(async () => {
    by = await SocketHarness.open();
    ({ url: otherUrl } = await by.harness.startGateway());
  });
  beforeEach(() => (mine = by.harness.organization()));
  afterEach(() => by.speech.reset());
  afterAll(() => by.harness.close());

  it.each(['the same gateway', 'another gateway'])(
    'belongs to the newer connection, also on %s: the older is told and closed',
    async (where) => {
      const older = await by.caller(mine);
      const { sessionUUID } = await older.start();
      const token = await by.sessionToken(mine, { sessionUUID });
      const newer = await SocketClient.open(`${where === 'another gateway' ? otherUrl : by.url}/ws/sts?token=${token}`);
      await newer.start();
      expect(await older.next('session.ended')).toMatchObject({ reason: 'REPLACED' });
      expect((await older.closed).code).toBe(4410);
      const [first, second] = by.speech.lines;
      await first?.channel.closed;
      second?.channel.signal({ type: 'usage', usage: [{ kind: 'STT_API', units: 3 }] });
      await newer.next('usage');
      await newer.close();
      await eventually('the newer one’s use is charged', async () => (await by.charged(mine)).STT_API === 3);
    },
  );

  it('is not left open when its call is refused', async () => {
    by.speech.admit = () => {
      throw new Fault('PROVIDER_NOT_CONFIGURED');
    };
    by.conversation.ended.length = 0;
    const client = await by.caller(mine);
    client.send({ type: 'session.start' });
    await client.closed;
    await eventually('it is ended', () => by.conversation.ended.length === 1);
    expect(await by.held(mine)).toBe(0);
  });
});
