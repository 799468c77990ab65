import { joinSamples, loudnessOf, muLaw } from '@parley/audio';
import type { MediaClock, WireMessage } from '@parley/ports';
import { z } from 'zod';
import { jsonOf } from '../carrier-media';
import { networkRate, type PhoneStep } from './phone';

const frameMs = 20;
const frameSamples = (networkRate * frameMs) / 1000;
const loudMin = 0.01;
const playbackBytesMax = networkRate * 300;
const spokenFramesMax = (300 * 1000) / frameMs;
const heardFramesMax = (600 * 1000) / frameMs;
const silentFrame = muLaw.encode(new Int16Array(frameSamples));

/** A script whose words have become sound. */
export type PreparedStep = Exclude<PhoneStep, { kind: 'say' }>;

const Order = z.discriminatedUnion('event', [
  z.object({ event: z.literal('mark'), name: z.string() }),
  z.object({ event: z.enum(['clear', 'hangup']) }),
  z.object({ event: z.literal('digits'), digits: z.string() }),
]);

export interface HandsetOptions {
  readonly clock: MediaClock;
  readonly script: readonly PreparedStep[];
  send(message: WireMessage): void;
  /** Either side hung up. */
  over(by: 'us' | 'them'): void;
}

/**
 * A telephone that was picked up: sends a frame every 20 ms as a line does, plays what comes at the speed of hearing, answers
 * marks when they are reached, and follows its script.
 */
export class Handset {
  /** The keys that the other side pressed. */
  keys = '';
  /** Called with every 20 ms of what is heard, silence included. */
  onHeard: ((frame: Int16Array) => void) | undefined;
  private readonly playback: Uint8Array[] = [];
  private readonly marks: { readonly name: string; readonly place: number }[] = [];
  private readonly heardFrames: Int16Array[] = [];
  private readonly spoken: Uint8Array[] = [];
  private readonly script: PreparedStep[];
  private received = 0;
  private played = 0;
  private nextMs: number;
  private stepSinceMs: number;
  private silentMs = 0;
  private hasHeardSpeech = false;
  private isOver = false;
  private cancel: () => void;

  constructor(private readonly options: HandsetOptions) {
    this.script = [...options.script];
    this.nextMs = options.clock.now();
    this.stepSinceMs = this.nextMs;
    this.cancel = options.clock.wakeAt(this.nextMs, () => {
      const [first] = this.script;
      if (first) this.begin(first);
      this.tick();
    });
  }

  /** Everything heard so far, with its silences; the last ten minutes at most. */
  get heard(): Int16Array {
    return joinSamples(this.heardFrames);
  }

  /** How much of what was handed over has not been said yet. */
  get unsaidMs(): number {
    return this.spoken.length * frameMs;
  }

  /** Says something after all that is being said already; 16-bit at 8 kHz. */
  speak(samples: Int16Array): void {
    for (let at = 0; at < samples.length && this.spoken.length < spokenFramesMax; at += frameSamples) {
      const frame = new Int16Array(frameSamples);
      frame.set(samples.subarray(at, at + frameSamples));
      this.spoken.push(muLaw.encode(frame));
    }
  }

  press(digits: string): void {
    for (const digit of digits) this.options.send(JSON.stringify({ event: 'digit', digit }));
  }

  hangUp(): void {
    if (this.isOver) return;
    this.options.send('{"event":"stop"}');
    this.end('us');
  }

  /** What the other side sends. */
  receive(message: WireMessage): void {
    if (this.isOver) return;
    if (typeof message !== 'string') {
      if (this.received - this.played > playbackBytesMax) return;
      this.playback.push(message);
      this.received += message.length;
      return;
    }
    const order = Order.safeParse(jsonOf(message)).data;
    if (!order) return;
    if (order.event === 'mark') this.marks.push({ name: order.name, place: this.received });
    else if (order.event === 'digits') this.keys += order.digits;
    else if (order.event === 'clear') this.clear();
    else this.end('them');
    this.answerMarks();
  }

  end(by: 'us' | 'them'): void {
    if (this.isOver) return;
    this.silence();
    this.options.over(by);
  }

  /** Neither speaks nor hears from now on; nobody is told. */
  silence(): void {
    this.isOver = true;
    this.cancel();
  }

  private tick(): void {
    this.hear();
    this.follow();
    if (this.isOver) return;
    this.options.send(this.spoken.shift() ?? silentFrame);
    this.nextMs += frameMs;
    this.cancel = this.options.clock.wakeAt(this.nextMs, () => this.tick());
  }

  private hear(): void {
    const frame = muLaw.decode(this.nextBytes());
    this.heardFrames.push(frame);
    if (this.heardFrames.length > heardFramesMax) this.heardFrames.shift();
    const isLoud = loudnessOf(frame) > loudMin;
    this.silentMs = isLoud ? 0 : this.silentMs + frameMs;
    this.hasHeardSpeech ||= isLoud;
    this.onHeard?.(frame);
    this.answerMarks();
  }

  /** A frame of what is to be heard, silence where nothing has come. */
  private nextBytes(): Uint8Array {
    const frame = silentFrame.slice();
    for (let at = 0; at < frame.length;) {
      const [first] = this.playback;
      if (!first) break;
      const part = first.subarray(0, frame.length - at);
      frame.set(part, at);
      at += part.length;
      this.played += part.length;
      if (part.length === first.length) this.playback.shift();
      else this.playback[0] = first.subarray(part.length);
    }
    return frame;
  }

  private clear(): void {
    this.playback.length = 0;
    this.played = this.received;
  }

  private answerMarks(): void {
    for (let [first] = this.marks; first && first.place <= this.played; [first] = this.marks) {
      this.marks.shift();
      this.options.send(JSON.stringify({ event: 'mark', name: first.name }));
    }
  }

  private follow(): void {
    for (let [step] = this.script; step && this.isDone(step); [step] = this.script) {
      this.script.shift();
      this.stepSinceMs = this.nextMs;
      this.hasHeardSpeech = false;
      const [next] = this.script;
      if (next) this.begin(next);
    }
  }

  private begin(step: PreparedStep): void {
    if (step.kind === 'play') this.speak(step.samples);
    if (step.kind === 'press') this.press(step.digits);
    if (step.kind === 'hang-up') this.hangUp();
  }

  private isDone(step: PreparedStep): boolean {
    const sinceMs = this.nextMs - this.stepSinceMs;
    switch (step.kind) {
      case 'play':
        return this.spoken.length === 0;
      case 'wait':
        return sinceMs >= step.ms;
      case 'listen':
        return (this.hasHeardSpeech && this.silentMs >= step.silenceMs) || sinceMs >= step.withinMs;
      case 'await-digits':
        return this.keys.includes(step.digits) || sinceMs >= step.withinMs;
      case 'press':
      case 'hang-up':
        return true;
    }
  }
}
