import { TurnBuffer } from './nats';

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

describe('a turn buffer', () => {
  it('passes on together what one turn of the event loop sent, in order', async () => {
    const handedOver: number[][] = [];
    const buffer = new TurnBuffer<number>((items) => handedOver.push([...items]));
    buffer.add(1, 1);
    await Promise.resolve();
    buffer.add(2, 1);
    expect(handedOver).toEqual([]);
    await nextTurn();
    buffer.add(3, 1);
    await nextTurn();
    expect(handedOver).toEqual([[1, 2], [3]]);
  });

  it('is limited: a large amount is passed on at once, and nothing twice', async () => {
    const handedOver: number[] = [];
    const buffer = new TurnBuffer<number>((items) => handedOver.push(...items));
    buffer.add(1, 64 * 1024);
    expect(handedOver).toEqual([1]);
    for (let item = 2; item <= 300; item += 1) buffer.add(item, 1);
    expect(handedOver.length).toBe(257);
    await nextTurn();
    expect(handedOver).toEqual(Array.from({ length: 300 }, (_, index) => index + 1));
  });
});
