import { randomUUID } from 'node:crypto';
import { conversationEnded, endSession, getHistory, openSession, recordSound, recordUnanswered } from '@parley/contracts';
import { eventually } from '@parley/testing';
import { Client } from 'pg';
import { Installation, type Shop } from '../installation.suite';

describe('a caller who asks never to be called again', () => {
  let installation: Installation;
  let shop: Shop;
  let admin: Client;
  beforeAll(async () => {
    installation = await Installation.start();
    admin = new Client({ connectionString: installation.database.adminUrl });
    await admin.connect();
  });
  beforeEach(() => {
    shop = installation.shop();
  });
  afterAll(async () => {
    await admin.end();
    await installation.stop();
  });

  const asker = () => ({ principal: shop.caller });
  const open = (channel: 'PHONE' | 'VOICE') => installation.bus.ask(openSession, { channel }, asker());
  const end = (sessionUUID: string) => installation.bus.ask(endSession, { sessionUUID, reason: 'CALL_ENDED' }, asker());
  /** A turn that its process left like this. */
  const said = (sessionUUID: string, question: string, status: string) =>
    admin.query(
      `INSERT INTO conversation.turns (org_id, session_id, turn_uuid, status, question)
       SELECT org_id, id, gen_random_uuid(), $2, $3 FROM conversation.sessions WHERE session_uuid = $1`,
      [sessionUUID, status, question],
    );

  it.each(['COMPLETED', 'INTERRUPTED', 'FAILED', 'LOST', 'RUNNING'])(
    'is told of at the end of the call, also where the turn is %s',
    async (status) => {
      const { sessionUUID } = await open('PHONE');
      await said(sessionUUID, 'Please never call me again. Take me off your list.', status);
      const ended = installation.nextEvent(conversationEnded);
      await end(sessionUUID);
      await expect(ended).resolves.toMatchObject({ sessionUUID, asksNeverToBeCalled: true });
    },
  );

  it.each([
    ['PHONE', 'Please do not call me before noon.', 'COMPLETED'],
    ['PHONE', 'Never call me again', 'DISCARDED'],
    ['VOICE', 'Please never call me again.', 'COMPLETED'],
  ] as const)('is not met in a %s conversation with: %s (%s)', async (channel, question, status) => {
    const { sessionUUID } = await open(channel);
    await said(sessionUUID, question, status);
    const ended = installation.nextEvent(conversationEnded);
    await end(sessionUUID);
    await expect(ended).resolves.toMatchObject({ sessionUUID, asksNeverToBeCalled: false });
  });

  it('is reported once, even if the words were transcribed after the end', async () => {
    const { sessionUUID } = await open('PHONE');
    const ended = installation.nextEvent(conversationEnded);
    await end(sessionUUID);
    await ended;
    const words = { sessionUUID, turnUUID: randomUUID(), question: 'Never call me again!' };
    await installation.bus.ask(recordUnanswered, words, asker());
    await installation.bus.ask(recordUnanswered, words, asker());
    const again = installation.nextEvent(conversationEnded);
    await installation.bus.ask(recordSound, { sessionUUID, heardSeconds: 3 }, asker());
    await expect(again).resolves.toMatchObject({ asksNeverToBeCalled: true, turnCount: 1 });
    const { chatHistory } = await installation.bus.ask(getHistory, { sessionUUID }, asker());
    expect(chatHistory).toEqual([{ sender: 'user', text: 'Never call me again!' }]);
  });

  it('is reported beside much longer calls that end in the same sweep', async () => {
    const hasty = await Installation.start({ CONVERSATION_IDLE: '2s' });
    const looking = new Client({ connectionString: hasty.database.adminUrl });
    await looking.connect();
    const { caller } = hasty.shop();
    const call = async () => (await hasty.bus.ask(openSession, { channel: 'PHONE' }, { principal: caller })).sessionUUID;
    const [refusing, talkative] = [await call(), await call()];
    const asked = new Map<string, boolean | undefined>();
    hasty.surroundings.hearing.on('event', ({ subject, payload }: { subject: string; payload: unknown }) => {
      if (subject !== conversationEnded.subject) return;
      const { sessionUUID, asksNeverToBeCalled } = conversationEnded.payload.parse(payload);
      asked.set(sessionUUID, asksNeverToBeCalled);
    });
    await looking.query(
      `WITH said AS (
         INSERT INTO conversation.turns (org_id, session_id, turn_uuid, status, question)
         SELECT org_id, id, gen_random_uuid(), 'COMPLETED', CASE session_uuid WHEN $1 THEN 'Never call me again!' ELSE 'And then?' END
         FROM conversation.sessions JOIN generate_series(1, 1200) place ON session_uuid = $2 OR session_uuid = $1 AND place = 1
         ORDER BY session_uuid = $2
       )
       UPDATE conversation.sessions SET created_on = now() - interval '1 hour', active_on = now() - interval '1 hour' WHERE session_uuid IN ($1, $2)`,
      [refusing, talkative],
    );
    await eventually('both have ended', async () => asked.size === 2);
    expect(Object.fromEntries(asked)).toEqual({ [refusing]: true, [talkative]: false });
    await looking.end();
    await hasty.stop();
  });
});
