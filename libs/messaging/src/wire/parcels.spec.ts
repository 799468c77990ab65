import { InProcessBroker, type InProcessTransport } from '../transport/in-process';
import { limits } from '../limits';
import { eachFrame, encodeFrame, type Frame, Parcels } from './frame';

const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

describe('parcels', () => {
  let transport: InProcessTransport;
  let parcels: Parcels;
  let messages: (Frame | undefined)[][];

  beforeEach(() => {
    transport = new InProcessBroker().connect();
    messages = [];
    transport.subscribe('here', ({ data }) => messages.push(framesOf(data)));
    parcels = new Parcels(transport, 'here', encodeFrame('accept', 0, 'there'));
  });
  afterEach(() => transport.close());

  const framesOf = (message: Uint8Array): (Frame | undefined)[] => {
    const frames: (Frame | undefined)[] = [];
    eachFrame(message, (frame) => frames.push(frame));
    return frames;
  };
  const kinds = () => messages.map((frames) => frames.map((frame) => frame && `${frame.kind} ${frame.sequence}`));
  const send = (sequence: number, bytes = 1) => parcels.send(encodeFrame('item', sequence, new Uint8Array(bytes)));

  it('carry all of one turn of the event loop, in its order, and what waited for it', async () => {
    send(1);
    await Promise.resolve();
    send(2);
    await nextTurn();
    send(3);
    await nextTurn();
    expect(kinds()).toEqual([['accept 0', 'item 1', 'item 2'], ['item 3']]);
  });

  it('let leave what waits for company, once', async () => {
    parcels.leave();
    parcels.leave();
    await nextTurn();
    parcels.leave();
    await nextTurn();
    expect(kinds()).toEqual([['accept 0']]);
  });

  it('carry every byte, keep the order around what is too large to share a message, and are no larger than their limit', async () => {
    const sizes = [10, limits.parcelBytesMax, 20, limits.parcelBytesMax - 100, 120, 120];
    sizes.forEach((bytes, index) => send(index + 1, bytes));
    await nextTurn();
    expect(kinds()).toEqual([['accept 0', 'item 1'], ['item 2'], ['item 3', 'item 4'], ['item 5', 'item 6']]);
    expect(
      messages
        .flat()
        .slice(1)
        .map((frame) => frame?.body.byteLength),
    ).toEqual(sizes);
  });

  it('are no frames where a length in them is wrong', async () => {
    const whole = encodeFrame('parcel', 2, new Uint8Array([6, 0, 0, 0, ...encodeFrame('item', 1, 'a'), 200, 0, 0, 0, 1]));
    expect(framesOf(whole).map((frame) => frame?.kind)).toEqual(['item', undefined]);
    expect(framesOf(encodeFrame('parcel', 1, new Uint8Array([1, 0])))).toEqual([undefined]);
  });
});
