import { type MediaFormat, msOfBytes, type WireMessage } from '@parley/ports';
import { z } from 'zod';
import { FakeCarrier, type FakeSurroundings, jsonFrom, payloadOf } from '../carrier-media/carrier.fake';
import { telnyxMedia } from './index';

const streamId = '32DE0DEA-53CB-4B21-89A4-9E1819C043BC';
const names = { mulaw: 'PCMU', alaw: 'PCMA', pcm16: 'L16' };

const Obeyed = z.discriminatedUnion('event', [
  z.strictObject({ event: z.literal('media'), media: z.strictObject({ payload: z.string() }) }),
  z.strictObject({ event: z.literal('mark'), mark: z.strictObject({ name: z.string().min(1) }) }),
  z.strictObject({ event: z.literal('clear') }),
]);

/** Telnyx's end of a media stream: accepts chunks of 20 ms to 30 s, and sends pairs of frames in the wrong order. */
export class FakeTelnyx extends FakeCarrier {
  private sequence = 0;
  private chunk = 0;
  private held: object | undefined;

  constructor(surroundings: FakeSurroundings, format: MediaFormat = { encoding: 'mulaw', sampleRate: 8000 }) {
    super(telnyxMedia, surroundings, format);
  }

  begin(): void {
    this.say({ event: 'connected', version: '1.0.0' });
    const media_format = { encoding: names[this.format.encoding], sample_rate: this.format.sampleRate, channels: 1 };
    const call = { user_id: 'u', call_control_id: 'v3:1', call_session_id: 's', from: '+13122010094', to: '+13122123456' };
    this.event('start', { start: { ...call, client_state: 'YQ==', custom_parameters: { call: 'c-1' }, media_format } });
  }

  speak(bytes: Uint8Array): void {
    const payload = Buffer.from(bytes).toString('base64');
    const media = { track: 'inbound', chunk: String(++this.chunk), timestamp: String(this.clock.now()), payload };
    if (this.chunk % 2 === 0 || this.chunk === 1) {
      this.event('media', { media });
      if (this.held) this.event('media', { media: this.held });
      this.held = undefined;
    } else this.held = media;
  }

  press(digit: string): void {
    this.event('dtmf', { occurred_at: '2026-01-01T00:00:00Z', dtmf: { digit } });
  }

  hangUp(): void {
    this.event('stop', { stop: { user_id: 'u', call_control_id: 'v3:1' } });
  }

  protected receive(message: WireMessage): void {
    const order = Obeyed.parse(jsonFrom(message));
    if (order.event === 'media') {
      const bytes = payloadOf(order.media.payload);
      const ms = msOfBytes(this.format, bytes.length);
      this.rule(ms >= 20 && ms <= 30_000, `a chunk lasts 20 ms to 30 s, not ${ms} ms`);
      this.queue.add(bytes);
    } else if (order.event === 'mark') this.queue.mark(order.mark.name, () => this.event('mark', { mark: order.mark }));
    else for (const name of this.queue.clear()) this.event('mark', { mark: { name } });
  }

  private event(event: string, fields: object): void {
    this.say({ event, sequence_number: String(++this.sequence), stream_id: streamId, ...fields });
  }
}
