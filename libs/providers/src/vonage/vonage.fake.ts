import { bytesOfMs, type WireMessage } from '@parley/ports';
import { z } from 'zod';
import { FakeCarrier, type FakeSurroundings, jsonFrom } from '../carrier-media/carrier.fake';
import { vonageMedia } from './index';

const queueMsMax = 3072 * 20;

const Obeyed = z.discriminatedUnion('action', [
  z.strictObject({ action: z.literal('clear') }),
  z.strictObject({ action: z.literal('notify'), payload: z.strictObject({ name: z.string() }) }),
]);

/** Vonage's end of a WebSocket: binary frames of exactly 20 ms, with at most 3072 of them queued. */
export class FakeVonage extends FakeCarrier {
  constructor(
    surroundings: FakeSurroundings,
    private readonly sampleRate: 8000 | 16_000 = 16_000,
  ) {
    super(vonageMedia, surroundings, { encoding: 'pcm16', sampleRate });
  }

  begin(): void {
    this.say({ event: 'websocket:connected', 'content-type': `audio/l16;rate=${this.sampleRate}`, call: 'c-1', uuid: 'u-1' });
  }

  speak(bytes: Uint8Array): void {
    this.say(bytes);
  }

  press(digit: string): void {
    this.say({ event: 'websocket:dtmf', digit, duration: 260 });
  }

  hangUp(): void {
    this.media.disconnected({ isClean: true, message: 'closed with 1000' });
  }

  protected receive(message: WireMessage): void {
    if (typeof message !== 'string') {
      const frame = bytesOfMs(this.format, 20);
      this.rule(message.length === frame, `a frame has ${frame} bytes, not ${message.length}`);
      this.queue.add(message);
      this.rule(this.queue.aheadMs <= queueMsMax, 'no more than 3072 frames wait');
      return;
    }
    const order = Obeyed.parse(jsonFrom(message));
    if (order.action === 'notify') {
      this.queue.mark(order.payload.name, () => this.say({ event: 'websocket:notify', payload: order.payload }));
      return;
    }
    this.queue.clear();
    this.say({ event: 'websocket:cleared' });
  }
}
