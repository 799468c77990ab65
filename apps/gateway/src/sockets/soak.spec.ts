import { InProcessBroker } from '@parley/messaging';
import { soak } from '../testing/soak/soak';

// The size of every run; `npm run bench -- sockets` is the long one, and looks at memory.
const size = { sessions: 30, framesPerSecond: 50, seconds: 5 };

it('many callers whose lines drop, move and dawdle hear everything once and in order', async () => {
  const broker = new InProcessBroker();
  const { sent, echoed, outOfOrder, lost, moves, reconnects, closes } = await soak(size, async () => broker.connect(), () => 0);
  expect(sent).toBeGreaterThan(size.sessions * size.framesPerSecond);
  expect(echoed).toBeGreaterThan(sent * 0.8);
  expect({ outOfOrder, lost }).toEqual({ outOfOrder: 0, lost: 0 });
  expect(moves).toBeGreaterThan(0);
  expect(reconnects).toBeGreaterThan(0);
  // Callers who left, and those whose network dropped: nobody was thrown out.
  expect(Object.keys(closes).filter((code) => !['1005', '1006'].includes(code))).toEqual([]);
}, 120_000);
