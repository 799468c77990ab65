import type { WireMessage } from '@parley/ports';
import { z } from 'zod';
import { FakeCarrier, type FakeSurroundings, jsonFrom, payloadOf } from '../carrier-media/carrier.fake';
import { twilioMedia } from './index';

const streamSid = 'MZ18ad3ab5a668481ce02b83e7395059f0';
const callSid = 'CA2ae6ee8a2d9e5a4ef2c4e7d2b6bd44fa';
const heldMsMax = 600_000;
const accountSid = 'AC00000000000000000000000000000001';

const Obeyed = z.discriminatedUnion('event', [
  z.strictObject({ event: z.literal('media'), streamSid: z.literal(streamSid), media: z.strictObject({ payload: z.string() }) }),
  z.strictObject({
    event: z.literal('mark'),
    streamSid: z.literal(streamSid),
    mark: z.strictObject({ name: z.string().min(1) }),
  }),
  z.strictObject({ event: z.literal('clear'), streamSid: z.literal(streamSid) }),
]);

/**
 * Twilio's end of a media stream: strict about fields, queues at most ten minutes of sound, and echoes every mark, including those
 * dropped by a clear.
 */
export class FakeTwilio extends FakeCarrier {
  private sequence = 0;
  private chunk = 0;

  constructor(surroundings: FakeSurroundings) {
    super(twilioMedia, surroundings, { encoding: 'mulaw', sampleRate: 8000 });
  }

  begin(): void {
    this.say({ event: 'connected', protocol: 'Call', version: '1.0.0' });
    const mediaFormat = { encoding: 'audio/x-mulaw', sampleRate: 8000, channels: 1 };
    const start = { accountSid, streamSid, callSid, tracks: ['inbound'], mediaFormat, customParameters: { call: 'c-1' } };
    this.event('start', { start });
  }

  speak(bytes: Uint8Array): void {
    const payload = Buffer.from(bytes).toString('base64');
    this.event('media', {
      media: { track: 'inbound', chunk: String(++this.chunk), timestamp: String(this.clock.now()), payload },
    });
    this.event('media', {
      media: { track: 'outbound', chunk: String(this.chunk), timestamp: String(this.clock.now()), payload },
    });
  }

  press(digit: string): void {
    this.event('dtmf', { dtmf: { track: 'inbound_track', digit } });
  }

  hangUp(): void {
    this.event('stop', { stop: { accountSid, callSid } });
  }

  protected receive(message: WireMessage): void {
    const order = Obeyed.parse(jsonFrom(message));
    this.rule(this.sequence > 0, 'nothing is sent before the start');
    if (order.event === 'media') {
      this.queue.add(payloadOf(order.media.payload));
      this.rule(this.queue.aheadMs <= heldMsMax, `sound above ${heldMsMax} ms is dropped, not held: ${this.queue.aheadMs}`);
    } else if (order.event === 'mark') this.queue.mark(order.mark.name, () => this.echo(order.mark.name));
    else for (const name of this.queue.clear()) this.echo(name);
  }

  private echo(name: string): void {
    this.event('mark', { mark: { name } });
  }

  private event(event: string, fields: object): void {
    this.say({ event, sequenceNumber: String(++this.sequence), ...fields, streamSid });
  }
}
