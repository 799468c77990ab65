import { AsyncLocalStorage } from 'node:async_hooks';
import type { Channel } from '../index';
import { limits } from '../limits';
import { talk } from './services';
import { Harness, type Installation, silencePassed } from './harness';

type Talk = Channel<{ say: string }>;

export function describeChannels(installation: Installation): void {
  describe('channel', () => {
    let harness: Harness;
    beforeEach(() => (harness = new Harness(installation)));
    afterEach(() => harness.leave());

    it('carries frames and signals both ways, in order', async () => {
      await harness.start('agent-config');
      const bus = await harness.caller();
      const { accepted, channel } = await bus.open(talk, { room: 'blue' });
      expect(accepted).toEqual({ welcome: 'blue' });
      for (let n = 0; n < 100; n += 1) channel.send(Uint8Array.of(n));
      channel.signal({ say: 'hi' });
      const heard = await take(channel, 101);
      expect(heard).toEqual([...Array.from({ length: 100 }, (_, n) => n), 'hi!']);
      channel.close();
    });

    it('calls a reader with what arrived before it began to read and after, in order, until the end', async () => {
      await harness.start('agent-config');
      const bus = await harness.caller();
      const { channel } = await bus.open(talk, { room: 'blue' });
      const heard: (number | string | undefined)[] = [];
      const arrived = Promise.withResolvers<void>();
      for (let n = 0; n < 3; n += 1) channel.send(Uint8Array.of(n));
      channel.signal({ say: 'first' });
      await silencePassed();
      const over = channel.read({
        frame: ([first]) => void heard.push(first),
        signal: ({ say }) => (heard.push(say), say === 'last!' && arrived.resolve()),
      });
      for (let n = 3; n < 6; n += 1) channel.send(Uint8Array.of(n));
      channel.signal({ say: 'last' });
      await arrived.promise;
      channel.close();
      await over;
      expect(heard).toEqual([0, 1, 2, 'first!', 3, 4, 5, 'last!']);
    });

    it('calls a reader in the context in which it began to read', async () => {
      await harness.start('agent-config');
      const bus = await harness.caller();
      const { channel } = await bus.open(talk, { room: 'blue' });
      const place = new AsyncLocalStorage<string>();
      const { promise: placeOfReader, resolve } = Promise.withResolvers<string | undefined>();
      const noSignals = (): void => undefined;
      void place.run('reader', () => channel.read({ frame: () => resolve(place.getStore()), signal: noSignals }));
      place.run('sender', () => channel.send(Uint8Array.of(1)));
      await expect(placeOfReader).resolves.toBe('reader');
      channel.close();
    });

    it('calls a reader no more that has failed, and reports why', async () => {
      await harness.start('agent-config');
      const bus = await harness.caller();
      const { channel } = await bus.open(talk, { room: 'blue' });
      let frames = 0;
      const over = channel.read({
        frame: () => {
          frames += 1;
          throw new Error('no ear');
        },
        signal: () => undefined,
      });
      channel.send(Uint8Array.of(1));
      await expect(over).rejects.toThrow('no ear');
      channel.send(Uint8Array.of(2));
      channel.signal({ say: 'bye' });
      await channel.closed;
      expect(frames).toBe(1);
    });

    it('ends on both sides with the reason of the side that closed it', async () => {
      await harness.start('agent-config');
      const bus = await harness.caller();
      const { channel } = await bus.open(talk, { room: 'blue' });
      channel.signal({ say: 'bye' });
      await expect(channel.closed).resolves.toEqual({ reason: 'said bye' });
      const again = await bus.open(talk, { room: 'blue' });
      again.channel.close('enough');
      await harness.workLog.has('channel closed: enough');
    });

    it('is refused with a fault', async () => {
      await harness.start('agent-config');
      const bus = await harness.caller();
      await expect(bus.open(talk, { room: 'locked' })).rejects.toMatchObject({ code: 'SCOPE_MISSING' });
    });

    it('drops the oldest frames of a reader that does not read, and counts them', async () => {
      await harness.start('agent-config');
      const bus = await harness.caller();
      const { channel } = await bus.open(talk, { room: 'deaf' });
      await harness.workLog.has('deaf');
      const extra = 50;
      for (let n = 0; n < limits.queuedFramesMax + extra; n += 1) channel.send(Uint8Array.of(n % 256));
      channel.signal({ say: 'all sent' });
      channel.close('done');
      await harness.workLog.has('channel closed: done');
      const [served] = harness.workLog.channels;
      expect(served?.dropped).toBe(extra);
      const first = await served?.incoming[Symbol.asyncIterator]().next();
      expect(first?.value).toEqual({ frame: Buffer.from([extra]) });
    });

    it('stays open while neither side sends anything', async () => {
      await harness.start('agent-config');
      const bus = await harness.caller();
      const { channel } = await bus.open(talk, { room: 'blue' });
      await silencePassed();
      channel.signal({ say: 'still here' });
      await expect(take(channel, 1)).resolves.toEqual(['still here!']);
      channel.close();
    });

    it('ends on the calling side when the serving side dies', async () => {
      const replica = await harness.start('agent-config');
      const bus = await harness.caller();
      const { channel } = await bus.open(talk, { room: 'blue' });
      await replica.transport.close();
      await expect(channel.closed).resolves.toEqual({ reason: 'SERVICE_UNAVAILABLE' });
    });

    it('ends on the serving side when the calling side dies', async () => {
      await harness.start('agent-config');
      const bus = await harness.caller();
      await bus.open(talk, { room: 'blue' });
      await bus.transport.close();
      await harness.workLog.has('channel closed: the other side fell silent');
    });

    it('closes when a signal does not fit its contract', async () => {
      await harness.start('agent-config');
      const bus = await harness.caller();
      const { channel } = await bus.open({ ...talk, signal: talk.signal.partial() }, { room: 'blue' });
      channel.signal({});
      await expect(channel.closed).resolves.toEqual({ reason: 'a signal does not fit its contract' });
    });
  });
}

async function take(channel: Talk, items: number): Promise<(number | string | undefined)[]> {
  const heard: (number | string | undefined)[] = [];
  for await (const item of channel.incoming) {
    heard.push('frame' in item ? item.frame[0] : item.signal.say);
    if (heard.length === items) break;
  }
  return heard;
}
