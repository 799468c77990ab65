/** @waits peers are silent for as long as one is believed to live */
import { InProcessBroker } from './index';
import { describeTransport } from './suite/describe-transport';

describeTransport('in-process', async () => {
  const broker = new InProcessBroker();
  return { connect: async () => broker.connect(), stop: async () => undefined };
});

describe('packets within a process', () => {
  const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

  it.each(['one.two', 'one.*'])(
    'reach those who listen to %s now, not those who did when one was sent before',
    async (pattern) => {
      const broker = new InProcessBroker();
      const [sender, listener] = [broker.connect(), broker.connect()];
      const returned: string[] = [];
      const received: string[] = [];
      sender.subscribe('sender', ({ nobodyListens }) => nobodyListens && returned.push('returned'));
      const send = async () => {
        sender.publish('one.two', new Uint8Array(1), { reply: 'sender' });
        await nextTurn();
        await nextTurn();
        return { returned: returned.splice(0).length, received: received.splice(0) };
      };
      expect(await send()).toEqual({ returned: 1, received: [] });
      const first = listener.subscribe(pattern, () => received.push('first'));
      expect(await send()).toEqual({ returned: 0, received: ['first'] });
      listener.subscribe('one.two', () => received.push('second'));
      expect((await send()).received.toSorted()).toEqual(['first', 'second']);
      first.stop();
      expect(await send()).toEqual({ returned: 0, received: ['second'] });
      await listener.close();
      expect(await send()).toEqual({ returned: 1, received: [] });
    },
  );
});
