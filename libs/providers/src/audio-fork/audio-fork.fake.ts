import type { WireMessage } from '@parley/ports';
import { z } from 'zod';
import { FakeCarrier, type FakeSurroundings, jsonFrom } from '../carrier-media/carrier.fake';
import { audioForkMedia } from './index';

const Obeyed = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('mark'), data: z.strictObject({ name: z.string().min(1) }) }),
  z.strictObject({ type: z.enum(['killAudio', 'clearMarks', 'disconnect']) }),
]);

/** The end of jambonz or FreeSWITCH: metadata first, then binary PCM; marks are reported as played or cleared. */
export class FakeAudioFork extends FakeCarrier {
  private dropped: string[] = [];

  constructor(
    surroundings: FakeSurroundings,
    private readonly sampleRate: 8000 | 16_000 = 8000,
  ) {
    super(audioForkMedia, surroundings, { encoding: 'pcm16', sampleRate });
  }

  begin(): void {
    const call = { callSid: 'js-1', direction: 'inbound', from: '+911', to: '+912', callerName: '', accountSid: 'a' };
    this.say({ ...call, sampleRate: this.sampleRate, mixType: 'mono', call: 'c-1' });
  }

  speak(bytes: Uint8Array): void {
    this.say(bytes);
  }

  press(digit: string): void {
    this.say({ event: 'dtmf', digit, duration: '1600' });
  }

  hangUp(): void {
    this.media.disconnected({ isClean: true, message: 'closed with 1000' });
  }

  protected receive(message: WireMessage): void {
    if (typeof message !== 'string') {
      this.rule(message.length % 2 === 0 && message.length > 0, 'audio is made of whole samples');
      this.queue.add(message);
      return;
    }
    const order = Obeyed.parse(jsonFrom(message));
    if (order.type === 'mark') this.queue.mark(order.data.name, () => this.markWas('playout', order.data.name));
    else if (order.type === 'killAudio') this.dropped = this.queue.clear();
    else if (order.type === 'clearMarks') for (const name of this.dropped.splice(0)) this.markWas('cleared', name);
  }

  private markWas(event: string, name: string): void {
    this.say({ type: 'mark', data: { name, event } });
  }
}
