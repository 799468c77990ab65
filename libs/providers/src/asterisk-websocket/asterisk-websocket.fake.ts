import { bytesOfMs, type MediaFormat, msOfBytes, type WireMessage } from '@parley/ports';
import { z } from 'zod';
import { FakeCarrier, type FakeSurroundings, jsonFrom } from '../carrier-media/carrier.fake';
import { asteriskWebSocketMedia } from './index';

const channelId = '1763790000.42';
const textMax = 128;
const xoffMs = 900 * 20;
const xonMs = 800 * 20;
const burstMs = 400;

/**
 * Asterisk's end of `chan_websocket`: accepts only whole frames, signals when to pause and continue, and hangs up after the queue is
 * drained.
 */
export class FakeAsteriskWebSocket extends FakeCarrier {
  private isFull = false;
  private isDrained = false;
  private sentMs = 0;
  private beganMs = 0;

  constructor(
    surroundings: FakeSurroundings,
    private readonly speaks: 'plain-text' | 'json' = 'plain-text',
    format: MediaFormat = { encoding: 'mulaw', sampleRate: 8000 },
  ) {
    super(asteriskWebSocketMedia, surroundings, format);
  }

  begin(): void {
    this.beganMs = this.clock.now();
    const { encoding, sampleRate } = this.format;
    const format =
      encoding === 'pcm16' ? `slin${sampleRate === 8000 ? '' : sampleRate / 1000}` : encoding.slice(-4).replace('mlaw', 'ulaw');
    this.event('MEDIA_START', {
      connection_id: 'media1',
      channel: 'WebSocket/media1/0x7f',
      channel_id: channelId,
      format: format === 'ulaw' || encoding !== 'mulaw' ? format : 'ulaw',
      optimal_frame_size: this.frameBytes,
      ptime: 20,
      ...(this.speaks === 'json' && { channel_variables: { CALL: 'c-1' } }),
    });
  }

  speak(bytes: Uint8Array): void {
    this.say(bytes);
  }

  press(digit: string): void {
    this.event('DTMF_END', { digit, channel_id: channelId });
  }

  hangUp(): void {
    this.media.disconnected({ isClean: true, message: 'closed with 1000' });
  }

  protected receive(message: WireMessage): void {
    if (typeof message !== 'string') return this.play(message);
    this.rule(message.length <= textMax, `a command has ${textMax} characters at most`);
    const { command, id } = this.commandIn(message);
    if (command === 'MARK_MEDIA' && id) this.queue.mark(id, () => this.marked(id));
    // Flushed marks are not reported.
    else if (command === 'FLUSH_MEDIA') this.queue.clear();
    else if (command === 'REPORT_QUEUE_DRAINED') this.queue.mark('drained', () => this.drained());
    else if (command === 'HANGUP') this.rule(this.isDrained || this.isSilent, 'HANGUP comes after QUEUE_DRAINED');
    else this.rule(false, `no such command as ${command}`);
  }

  private play(bytes: Uint8Array): void {
    this.rule(!this.isFull, 'nothing is sent between MEDIA_XOFF and MEDIA_XON');
    this.rule(bytes.length % this.frameBytes === 0, 'audio comes in whole frames, else Asterisk drops the rest');
    this.rule(bytes.length <= 8000, 'a message has 8000 bytes at most');
    this.sentMs += msOfBytes(this.format, bytes.length);
    this.rule(
      this.sentMs <= 1.5 * (this.clock.now() - this.beganMs) + burstMs + this.latestMs(),
      'audio comes at 1.5 times the speed of hearing at most',
    );
    this.queue.add(bytes);
    if (this.queue.aheadMs < xoffMs || this.isFull) return;
    this.isFull = true;
    this.event('MEDIA_XOFF', { channel_id: channelId });
    this.clock.wakeAt(this.clock.now() + xoffMs - xonMs, () => {
      this.isFull = false;
      this.event('MEDIA_XON', { channel_id: channelId });
    });
  }

  /** Stops reading for a while, as if Asterisk were busy. */
  stop(): void {
    this.isFull = true;
    this.event('MEDIA_XOFF', { channel_id: channelId });
  }

  goOn(): void {
    this.isFull = false;
    this.event('MEDIA_XON', { channel_id: channelId });
  }

  private drained(): void {
    this.isDrained = !this.isSilent;
    this.event('QUEUE_DRAINED', { channel_id: channelId });
  }

  private marked(id: string): void {
    if (this.speaks === 'json') this.event('MEDIA_MARK_PROCESSED', { channel_id: channelId, correlation_id: id });
    else this.say(`MEDIA_MARK_PROCESSED ${id}`);
  }

  private get frameBytes(): number {
    return bytesOfMs(this.format, 20);
  }

  private commandIn(message: string): { command: string; id?: string } {
    if (this.speaks === 'json') {
      return z
        .strictObject({ command: z.string(), correlation_id: z.string().optional() })
        .transform(({ command, correlation_id: id }) => ({ command, id }))
        .parse(jsonFrom(message));
    }
    const [command = '', id] = message.split(' ');
    return { command, ...(id !== undefined && { id }) };
  }

  private event(event: string, fields: Record<string, unknown>): void {
    if (this.speaks === 'json') return this.say({ event, ...fields });
    const isBare = event === 'MEDIA_XOFF' || event === 'MEDIA_XON' || event === 'QUEUE_DRAINED';
    const pairs = Object.entries(fields).map(([name, value]) => `${name}:${String(value)}`);
    this.say(isBare ? event : [event, ...pairs].join(' '));
  }
}
