import { samplesFromBytes } from '@parley/audio';
import { InProcessBroker, type InProcessTransport } from '../transport/in-process';
import { limits } from '../limits';
import { eachFrame, encodeFrame, type Frame, FrameBatches } from './frame';

const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

describe('batches of frames', () => {
  let transport: InProcessTransport;
  let batches: FrameBatches;
  let messages: (Frame | undefined)[][];

  beforeEach(() => {
    transport = new InProcessBroker().connect();
    messages = [];
    transport.subscribe('here', ({ data }) => messages.push(framesOf(data)));
    batches = new FrameBatches(transport, 'here', encodeFrame('accept', 0, 'there'));
  });
  afterEach(() => transport.close());

  const framesOf = (message: Uint8Array): (Frame | undefined)[] => {
    const frames: (Frame | undefined)[] = [];
    eachFrame(message, (frame) => frames.push(frame));
    return frames;
  };
  const kinds = () => messages.map((frames) => frames.map((frame) => frame && `${frame.kind} ${frame.sequence}`));
  const send = (sequence: number, bytes = 1) => batches.send(encodeFrame('item', sequence, new Uint8Array(bytes)));

  it('carry all frames of one turn of the event loop in order, after those that waited', async () => {
    send(1);
    await Promise.resolve();
    send(2);
    await nextTurn();
    send(3);
    await nextTurn();
    expect(kinds()).toEqual([['accept 0', 'item 1', 'item 2'], ['item 3']]);
  });

  it('send a waiting frame on request, once', async () => {
    batches.flush();
    batches.flush();
    await nextTurn();
    batches.flush();
    await nextTurn();
    expect(kinds()).toEqual([['accept 0']]);
  });

  it('carry every byte, keep the order around frames too large to share, and stay within their limit', async () => {
    const sizes = [10, limits.batchBytesMax, 20, limits.batchBytesMax - 100, 120, 120];
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

  it('are rejected if a length in them is wrong', async () => {
    const whole = encodeFrame('batch', 2, new Uint8Array([6, 0, 0, 0, ...encodeFrame('item', 1, 'a'), 200, 0, 0, 0, 1]));
    expect(framesOf(whole).map((frame) => frame?.kind)).toEqual(['item', undefined]);
    expect(framesOf(encodeFrame('batch', 1, new Uint8Array([1, 0])))).toEqual([undefined]);
  });
});

describe('a frame', () => {
  const decoded = (frame: Uint8Array): Frame | undefined => {
    let found: Frame | undefined;
    eachFrame(frame, (each) => (found = each));
    return found;
  };

  it('keeps its sequence number up to the largest', () => {
    for (const sequence of [0, 1, 255, 256, 0x01020304, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff])
      expect(decoded(encodeFrame('frame', sequence, new Uint8Array(2)))).toMatchObject({ sequence });
  });

  it.each([1, 320, 640, 100_000])('of %i samples is read without a copy', (length) => {
    const sent = encodeFrame('frame', 1, new Uint8Array(2 * length));
    const body = decoded(sent)?.body ?? new Uint8Array(0);
    const samples = samplesFromBytes(body);
    expect(samples).toHaveLength(length);
    expect(samples.buffer).toBe(sent.buffer);
  });
});
