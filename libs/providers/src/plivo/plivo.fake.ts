import type { MediaFormat, WireMessage } from '@parley/ports';
import { z } from 'zod';
import { FakeCarrier, type FakeSurroundings, jsonFrom, payloadOf } from '../carrier-media/carrier.fake';
import { plivoMedia } from './index';

const streamId = 'b77e037d-4119-44b5-902d-25826b654539';

/** Plivo's end of an audio stream. Like the real one, it never acknowledges the first checkpoint. */
export class FakePlivo extends FakeCarrier {
  private sequence = 0;
  private chunk = 0;
  private checkpoints = 0;

  constructor(
    surroundings: FakeSurroundings,
    format: MediaFormat = { encoding: 'mulaw', sampleRate: 8000 },
    private readonly forgetsFirst = false,
  ) {
    super(plivoMedia, surroundings, format);
  }

  begin(): void {
    const { contentType: encoding, sampleRate } = this;
    const start = { callId: 'fb2a04a1', streamId, accountId: 'MA1', tracks: ['inbound'], mediaFormat: { encoding, sampleRate } };
    this.event('start', { start, extra_headers: '{X-PH-call: c-1}' });
  }

  speak(bytes: Uint8Array): void {
    const payload = Buffer.from(bytes).toString('base64');
    this.event('media', {
      streamId,
      media: { track: 'inbound', chunk: ++this.chunk, timestamp: String(this.clock.now()), payload },
    });
  }

  press(digit: string): void {
    this.event('dtmf', { streamId, dtmf: { track: 'inbound', digit, timestamp: String(this.clock.now()) } });
  }

  hangUp(): void {
    this.event('stop', { streamId });
  }

  protected receive(message: WireMessage): void {
    const order = this.obeyed.parse(jsonFrom(message));
    if (order.event === 'playAudio') this.queue.add(payloadOf(order.media.payload));
    else if (order.event === 'clearAudio') {
      this.queue.clear();
      this.event('clearedAudio', { streamId });
    } else {
      const isForgotten = ++this.checkpoints === 1 && this.forgetsFirst;
      this.queue.mark(order.name, () => !isForgotten && this.event('playedStream', { streamId, name: order.name }));
    }
  }

  private get contentType(): string {
    return this.format.encoding === 'mulaw' ? 'audio/x-mulaw' : 'audio/x-l16';
  }

  private get sampleRate(): number {
    return this.format.sampleRate;
  }

  private get obeyed() {
    const media = z.strictObject({
      contentType: z.literal(this.contentType),
      sampleRate: z.literal(this.sampleRate),
      payload: z.string(),
    });
    return z.discriminatedUnion('event', [
      z.strictObject({ event: z.literal('playAudio'), media }),
      z.strictObject({ event: z.literal('checkpoint'), streamId: z.literal(streamId), name: z.string().min(1) }),
      z.strictObject({ event: z.literal('clearAudio'), streamId: z.literal(streamId) }),
    ]);
  }

  private event(event: string, fields: object): void {
    this.say({ sequenceNumber: this.sequence++, event, ...fields });
  }
}
