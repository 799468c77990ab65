import type { WireMessage } from '@parley/ports';
import { z } from 'zod';
import { FakeCarrier, type FakeSurroundings, jsonFrom, payloadOf } from '../carrier-media/carrier.fake';
import { exotelMedia } from './index';

const streamSid = 'MZexotel0001';
const framesPerMessage = 5;

const Obeyed = z.discriminatedUnion('event', [
  z.strictObject({ event: z.literal('media'), stream_sid: z.literal(streamSid), media: z.strictObject({ payload: z.string() }) }),
  z.strictObject({
    event: z.literal('mark'),
    stream_sid: z.literal(streamSid),
    mark: z.strictObject({ name: z.string().min(1) }),
  }),
  z.strictObject({ event: z.literal('clear'), stream_sid: z.literal(streamSid) }),
]);

/** Exotel's end of a voicebot stream: accepts 3200 bytes to 100 KB in multiples of 320, and sends 100 ms at a time. */
export class FakeExotel extends FakeCarrier {
  private sequence = 0;
  private chunk = 0;
  private readonly spoken: Uint8Array[] = [];

  constructor(
    surroundings: FakeSurroundings,
    private readonly sampleRate: 8000 | 16_000 = 8000,
  ) {
    super(exotelMedia, surroundings, { encoding: 'pcm16', sampleRate });
  }

  begin(): void {
    this.say({ event: 'connected' });
    const media_format = { encoding: 'audio/x-raw', sample_rate: String(this.sampleRate), bit_rate: '16' };
    const numbers = { from: '+919876543210', to: '+918047491899' };
    this.event('start', {
      start: {
        stream_sid: streamSid,
        call_sid: 'exo-1',
        account_sid: 'ex',
        ...numbers,
        custom_parameters: { call: 'c-1' },
        media_format,
      },
    });
  }

  speak(bytes: Uint8Array): void {
    this.spoken.push(bytes);
    if (this.spoken.length < framesPerMessage) return;
    const payload = Buffer.concat(this.spoken.splice(0)).toString('base64');
    this.event('media', { media: { chunk: String(++this.chunk), timestamp: String(this.clock.now()), payload } });
  }

  press(digit: string): void {
    this.event('dtmf', { dtmf: { digit, duration: '100' } });
  }

  hangUp(): void {
    this.event('stop', { stop: { call_sid: 'exo-1', account_sid: 'ex', reason: 'callended' } });
  }

  protected receive(message: WireMessage): void {
    const order = Obeyed.parse(jsonFrom(message));
    if (order.event === 'media') {
      const bytes = payloadOf(order.media.payload);
      this.rule(bytes.length >= 3200, `a chunk has 3200 bytes at least, not ${bytes.length}`);
      this.rule(bytes.length <= 100_000, `a chunk has 100 KB at most, not ${bytes.length}`);
      this.rule(bytes.length % 320 === 0, `a chunk is a multiple of 320 bytes, not ${bytes.length}`);
      this.queue.add(bytes);
    } else if (order.event === 'mark') this.queue.mark(order.mark.name, () => this.event('mark', { mark: order.mark }));
    else for (const name of this.queue.clear()) this.event('mark', { mark: { name } });
  }

  private event(event: string, fields: object): void {
    this.say({ event, sequence_number: String(++this.sequence), stream_sid: streamSid, ...fields });
  }
}
