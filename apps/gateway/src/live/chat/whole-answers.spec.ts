import { once } from 'node:events';
import { Fault, type TurnItem } from '@parley/contracts';
import { ChatHarness } from './chat-harness.suite';
import { done, scene, session, sessionUUID } from './chat-scene.suite';

describe('a whole answer', () => {
  const harness = new ChatHarness();
  const { charging } = harness;
  const send: ChatHarness['send'] = (body, sending) => harness.send(body, sending);

  beforeAll(() => harness.open());
  beforeEach(() => {
    harness.reset();
    charging.tokens = 1000;
  });
  afterAll(() => harness.close());

  /** As the conversation service tells it: nothing before its end, which comes with its session. */
  const whole = (end: (asked: { signal: AbortSignal }) => Promise<TurnItem | Fault>): typeof scene.turn =>
    async function* (_asked, call) {
      const last = await end(call);
      yield session;
      if (last instanceof Fault) throw last;
      yield last;
    };

  it('charges what a turn produced before it failed', async () => {
    scene.turn = whole(async () => new Fault('MODEL_PROVIDER_UNAVAILABLE'));
    expect((await send({ question: 'When?' })).status).toBe(503);
    expect(charging.operations.at(-1)).toEqual({ type: 'settle', used: { TTT_API: 21 } });
    // A conversation service of an earlier version names its sessions itself.
    expect(scene.read).toMatchObject([{ sessionUUID }]);
  });

  it('is asked for by ids of the gateway where its client leaves before anything was sent, and charged to its agent', async () => {
    const [begun, leaving] = [Promise.withResolvers<void>(), new AbortController()];
    scene.turn = whole(async ({ signal }) => {
      begun.resolve();
      await once(signal, 'abort');
      return done('');
    });
    const asking = send({ question: 'When?' }, { signal: leaving.signal });
    await begun.promise;
    leaving.abort();
    await expect(asking).rejects.toThrow('aborted');
    await charging.end();
    expect(charging.operations.at(-1)).toEqual({ type: 'settle', used: { TTT_API: 21 } });
    const [{ newSessionUUID, payment } = {}] = scene.asked;
    expect(scene.read).toEqual([{ sessionUUID: newSessionUUID, turnUUID: payment?.chargeId }]);
    expect(charging.agents).toEqual([12]);
  });

  it('releases the hold of a turn that never began at once, and asks for no record', async () => {
    for (const code of ['NOT_FOUND', 'SERVICE_UNAVAILABLE'] as const) {
      charging.operations.length = 0;
      scene.turn = () => {
        throw new Fault(code);
      };
      await (await send({ question: 'When?' })).text();
      expect(charging.operations.map(({ type }) => type)).toEqual(['hold', 'release']);
    }
    expect(scene.read).toEqual([]);
  });

  it('stops a whole answer whose hold is refused while its model is still asked', async () => {
    const hold = Promise.withResolvers<void>();
    const stopped = Promise.withResolvers<void>();
    charging.granted = hold.promise;
    scene.turn = whole(async ({ signal }) => {
      hold.reject(new Fault('CREDITS_EXHAUSTED'));
      await once(signal, 'abort');
      stopped.resolve();
      return done('');
    });
    const response = await send({ question: 'When?' });
    expect([response.status, await response.json()]).toMatchObject([403, { code: 'CREDITS_EXHAUSTED' }]);
    await stopped.promise;
  });
});
