import type { WireMessage } from '@parley/ports';
import { z } from 'zod';
import { FakeCarrier, type FakeSurroundings, jsonFrom } from '../carrier-media/carrier.fake';
import { loopbackMedia } from './index';

const Obeyed = z.discriminatedUnion('event', [
  z.strictObject({ event: z.literal('mark'), name: z.string() }),
  z.strictObject({ event: z.literal('digits'), digits: z.string() }),
  z.strictObject({ event: z.enum(['clear', 'hangup']) }),
]);

/** The simulated network's end of a line, as strict as the real carriers. */
export class FakeLoopback extends FakeCarrier {
  private keys = '';

  constructor(surroundings: FakeSurroundings) {
    super(loopbackMedia, surroundings, { encoding: 'mulaw', sampleRate: 8000 });
  }

  begin(): void {
    this.say({
      event: 'start',
      callId: 'LB1',
      from: '+1',
      to: '+2',
      encoding: 'mulaw',
      sampleRate: 8000,
      parameters: { call: 'c-1' },
    });
  }

  speak(bytes: Uint8Array): void {
    this.say(bytes);
  }

  press(digit: string): void {
    this.say({ event: 'digit', digit });
  }

  hangUp(): void {
    this.say({ event: 'stop' });
  }

  override keysHeard(): string {
    return this.keys;
  }

  protected receive(message: WireMessage): void {
    if (typeof message !== 'string') return this.queue.add(message);
    const order = Obeyed.parse(jsonFrom(message));
    if (order.event === 'mark') this.queue.mark(order.name, () => this.say({ event: 'mark', name: order.name }));
    else if (order.event === 'digits') this.keys += order.digits;
    else if (order.event === 'clear') for (const name of this.queue.clear()) this.say({ event: 'mark', name });
  }
}
