import { joinSamples, loudnessOf, muLaw } from '@parley/audio';
import type { MediaClock, WireMessage } from '@parley/ports';
import { z } from 'zod';
import { jsonOf } from '../carrier-media';

/** A step in a phone's script. */
export type PhoneStep =
  | { readonly kind: 'say'; readonly words: string }
  | { readonly kind: 'play'; readonly samples: Int16Array }
  | { readonly kind: 'wait'; readonly ms: number }
  /** Waits until the other side has spoken and then paused for this long, at most `withinMs`. */
  | { readonly kind: 'listen'; readonly silenceMs: number; readonly withinMs: number }
  | { readonly kind: 'press'; readonly digits: string }
  /** Waits until the other side has pressed these keys, at most `withinMs`. */
  | { readonly kind: 'await-digits'; readonly digits: string; readonly withinMs: number }
  | { readonly kind: 'hang-up' };

/** A telephone of the simulated network. */
export interface Phone {
  readonly answers: 'picks-up' | 'no-answer' | 'busy' | 'failed' | 'declines';
  /** How long it rings first. */
  readonly ringMs?: number;
  readonly script?: readonly PhoneStep[];
  /** Takes over once it has picked up, for a person at a keyboard or a test. */
  readonly attach?: (handset: Handset) => void;
}

/** All audio of the simulated network has this rate. */
export const networkRate = 8000;
const lineSeconds = 120;

/** A person who picks up, says a sentence at each pause of the other side, and hangs up. */
export function person(sentences: readonly string[]): Phone {
  const talk = sentences.flatMap((words): PhoneStep[] => [
    { kind: 'listen', silenceMs: 900, withinMs: 15_000 },
    { kind: 'say', words },
  ]);
  const script: PhoneStep[] = [...talk, { kind: 'listen', silenceMs: 1500, withinMs: 20_000 }, { kind: 'hang-up' }];
  return { answers: 'picks-up', script };
}

/** A mailbox: a greeting, a beep of 1 kHz, then silence while it records, until it is full. */
export function voicemail(
  greeting = 'You have reached the mailbox of this number. Please leave a message after the tone.',
): Phone {
  const script: PhoneStep[] = [
    { kind: 'wait', ms: 300 },
    { kind: 'say', words: greeting },
    { kind: 'wait', ms: 400 },
    { kind: 'play', samples: sine(1000, 400) },
    { kind: 'wait', ms: lineSeconds * 1000 },
    { kind: 'hang-up' },
  ];
  return { answers: 'picks-up', script };
}

/** A menu that requires keys before it connects to a person. */
export function menu(digits = '1', sentences: readonly string[] = ['Front desk, hello?']): Phone {
  const script: PhoneStep[] = [
    { kind: 'say', words: `Welcome. For the front desk press ${[...digits].join(' ')}.` },
    { kind: 'await-digits', digits, withinMs: 20_000 },
    ...(person(sentences).script ?? []),
  ];
  return { answers: 'picks-up', script };
}

const endings: Readonly<Record<string, Phone>> = {
  '02': { answers: 'busy' },
  '03': { answers: 'no-answer' },
  '04': { answers: 'failed' },
  '05': voicemail(),
  '06': menu(),
  '07': { answers: 'declines' },
  '08': { answers: 'picks-up', script: [{ kind: 'wait', ms: lineSeconds * 1000 }, { kind: 'hang-up' }] },
};

/**
 * The behaviour of an unregistered number, by its last two digits: 02 busy, 03 no answer, 04 failure, 05 voicemail, 06 a menu that
 * requires a 1, 07 declines, 08 picks up and is silent; any other is a person who talks.
 */
export function phoneByNumber(number: string): Phone {
  return endings[number.slice(-2)] ?? person(['Hello, who is this?', 'When are you open?', 'Thank you, goodbye.']);
}

function sine(hz: number, ms: number): Int16Array {
  const radians = (2 * Math.PI * hz) / networkRate;
  return Int16Array.from({ length: (networkRate * ms) / 1000 }, (_, i) => Math.round(12_000 * Math.sin(radians * i)));
}

/** Replaces words by a hum of the same length, which is enough for tests that detect speech. */
export async function hum(words: string): Promise<Int16Array> {
  const syllables = words
    .split(/\s+/)
    .map((word) => joinSamples([sine(180 + word.length * 10, 60 * Math.min(10, word.length)), new Int16Array(400)]));
  return joinSamples(syllables);
}

const frameMs = 20;
const frameSamples = (networkRate * frameMs) / 1000;
const loudMin = 0.01;
const playbackBytesMax = networkRate * 300;
const spokenFramesMax = (300 * 1000) / frameMs;
const heardFramesMax = (600 * 1000) / frameMs;
const silentFrame = muLaw.encode(new Int16Array(frameSamples));

/** A step of a script whose words have been synthesized. */
export type PreparedStep = Exclude<PhoneStep, { kind: 'say' }>;

/** Synthesizes the words of a phone's script. */
export async function preparedScript(
  { script = [] }: Phone,
  voice: (words: string) => Promise<Int16Array>,
): Promise<PreparedStep[]> {
  return Promise.all(
    script.map(async (step) => (step.kind === 'say' ? { kind: 'play', samples: await voice(step.words) } : step)),
  );
}

const Order = z.discriminatedUnion('event', [
  z.object({ event: z.literal('mark'), name: z.string() }),
  z.object({ event: z.enum(['clear', 'hangup']) }),
  z.object({ event: z.literal('digits'), digits: z.string() }),
]);

interface HandsetOptions {
  readonly clock: MediaClock;
  readonly script: readonly PreparedStep[];
  send(message: WireMessage): void;
  /** Either side hung up. */
  over(by: 'us' | 'them'): void;
}

/**
 * A phone in a call: sends a frame every 20 ms, plays incoming audio in real time, reports marks when they are reached, and follows its
 * script.
 */
export class Handset {
  /** The keys that the other side pressed. */
  keys = '';
  /** Called with every 20 ms of sound, silence included. */
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

  /** Everything heard so far, including silence, at most the last ten minutes. */
  get heard(): Int16Array {
    return joinSamples(this.heardFrames);
  }

  /** How much queued speech has not been said yet. */
  get unsaidMs(): number {
    return this.spoken.length * frameMs;
  }

  /** Queues speech, 16-bit at 8 kHz. */
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

  /** Handles a message from the other side. */
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

  /** Stops speaking and listening, without telling the other side. */
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

  /** The next frame to play; silence if none has arrived. */
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
