import { bytesOfMs, type CallMedia, type MediaEvent, type MediaFormat, msOfBytes } from './call-media';
import { ManualClock } from './scripted-call-media.fake';

/** The carrier's end of a call, simulated from recordings. The test fails if its rules are broken. */
export interface CarrierEnd {
  /** Our end, connected. */
  readonly media: CallMedia;
  /** Connects and reports that it streams. */
  begin(): void;
  /** The caller's sound, in the format of the line. */
  speak(bytes: Uint8Array): void;
  press(digit: string): void;
  hangUp(): void;
  /** Breaks the connection without a message. */
  breakOff(): void;
  /** From now on the carrier answers nothing, but does not disconnect. */
  fallSilent(): void;
  /** What the caller has heard so far, including silence added by the adapter. */
  heard(): Uint8Array;
  /** The keys that the caller's side received. */
  keysHeard(): string;
  /** Whether the carrier was told that our side ended the media. */
  readonly isToldOfEnd: boolean;
  /** The rules that were broken. */
  readonly violations: readonly string[];
}

/** Connects a carrier's end and ours, on the test's clock. */
export type ConnectCarrier = (options: { readonly clock: ManualClock; readonly hear: (event: MediaEvent) => void }) => CarrierEnd;

const frameMs = 20;
const speechLeadMs = 60;
/** The byte that each part of a call's speech consists of, unlike any carrier's silence. */
const words = { caller: 0x21, greeting: 0x31, longAnswer: 0x41, goodbye: 0x51 };

/** A call under test: both ends, a clock, and the events at our end. */
export class CallScene {
  readonly clock = new ManualClock();
  readonly events: MediaEvent[] = [];
  readonly carrier: CarrierEnd;

  constructor(connect: ConnectCarrier) {
    this.carrier = connect({ clock: this.clock, hear: (event) => this.events.push(event) });
  }

  get media(): CallMedia {
    return this.carrier.media;
  }

  get format(): MediaFormat {
    return this.media.format ?? { encoding: 'pcm16', sampleRate: 8000 };
  }

  speechOf(word: number, ms: number): Uint8Array {
    return new Uint8Array(bytesOfMs(this.format, ms)).fill(word);
  }

  /** The agent speaks like the speech service: frames in real time, slightly ahead. Returns once all were sent. */
  say(word: number, ms: number): void {
    for (let saidMs = 0; saidMs < ms; saidMs += frameMs) {
      this.media.send(this.speechOf(word, frameMs));
      if (saidMs >= speechLeadMs) this.clock.pass(frameMs);
    }
  }

  /** For how long the caller has heard this word. */
  heardMs(word: number): number {
    let bytes = 0;
    const heard = this.carrier.heard();
    // By index, because a minute of wideband audio has two million bytes.
    for (let at = 0; at < heard.length; at++) if (heard[at] === word) bytes++;
    return msOfBytes(this.format, bytes);
  }

  kinds(): string[] {
    return this.events.map(({ kind }) => kind);
  }

  of<Kind extends MediaEvent['kind']>(kind: Kind): Extract<MediaEvent, { kind: Kind }>[] {
    return this.events.filter((event): event is Extract<MediaEvent, { kind: Kind }> => event.kind === kind);
  }
}

/** The scripted conversation, the same for every carrier. */
const goldenTranscript = [
  'the call starts',
  'agent hears 400 ms of the caller',
  'caller hears 600 ms of the greeting',
  'mark greeting: heard',
  'key 5',
  'key #',
  'mark long answer: dropped',
  'caller hears some of the long answer, and nothing of it after the interruption',
  'agent presses 12#',
  'caller hears 200 ms of the goodbye',
  'the call ends: hung-up',
];

/**
 * Plays a conversation with a greeting, keys, an interruption, keys in the other direction and a goodbye; returns its transcript.
 */
export function holdConversation(connect: ConnectCarrier): { transcript: string[]; scene: CallScene } {
  const scene = new CallScene(connect);
  const transcript: string[] = [];
  const seen = { events: 0 };
  const note = () => {
    for (const event of scene.events.slice(seen.events)) transcript.push(...noted(event));
    seen.events = scene.events.length;
  };
  scene.carrier.begin();
  note();
  speakAsCaller(scene, 400);
  scene.clock.pass(200);
  const heardBytes = scene
    .of('audio')
    .flatMap(({ bytes }) => [...bytes])
    .filter((byte) => byte === words.caller).length;
  transcript.push(`agent hears ${msOfBytes(scene.format, heardBytes)} ms of the caller`);
  scene.say(words.greeting, 600);
  scene.media.mark('greeting');
  scene.clock.pass(600);
  transcript.push(`caller hears ${scene.heardMs(words.greeting)} ms of the greeting`);
  note();
  for (const digit of '5#') scene.carrier.press(digit);
  note();
  interrupt(scene, transcript, note);
  if (scene.media.capabilities.digitsOut !== 'control') scene.media.sendDigits('12#');
  scene.clock.pass(1200);
  transcript.push(`agent presses ${scene.carrier.keysHeard()}`);
  // Bytes of the tones may equal those of the word.
  const fromTonesMs = scene.heardMs(words.goodbye);
  scene.say(words.goodbye, 200);
  scene.media.hangUp();
  scene.clock.pass(1500);
  transcript.push(`caller hears ${scene.heardMs(words.goodbye) - fromTonesMs} ms of the goodbye`);
  note();
  return { transcript, scene };
}

function interrupt(scene: CallScene, transcript: string[], note: () => void): void {
  scene.say(words.longAnswer, 1000);
  scene.media.mark('long answer');
  const atMs = scene.heardMs(words.longAnswer);
  scene.media.clear();
  const { clears, aheadMsMax } = scene.media.capabilities;
  scene.clock.pass(1000);
  note();
  const afterMs = scene.heardMs(words.longAnswer) - atMs;
  const isSilenced = afterMs <= (clears === 'carrier' ? frameMs : aheadMsMax);
  const isHeard = atMs >= 500 && atMs < 1000;
  transcript.push(
    isHeard && isSilenced
      ? 'caller hears some of the long answer, and nothing of it after the interruption'
      : `caller hears ${atMs} ms of the long answer, and ${afterMs} ms after the interruption`,
  );
}

function speakAsCaller(scene: CallScene, ms: number): void {
  for (let at = 0; at < ms; at += frameMs) {
    scene.carrier.speak(scene.speechOf(words.caller, frameMs));
    scene.clock.pass(frameMs);
  }
}

function noted(event: MediaEvent): string[] {
  switch (event.kind) {
    case 'started':
      return ['the call starts'];
    case 'digit':
      return [`key ${event.digit}`];
    case 'mark':
      return [`mark ${event.name}: ${event.wasCleared ? 'dropped' : 'heard'}`];
    case 'warning':
      return [`warning: ${event.message}`];
    case 'held':
      return [event.isHeld ? 'the call is put on hold' : 'the call is taken off hold'];
    case 'ended':
      return [`the call ends: ${event.reason}`];
    case 'audio':
      return [];
  }
}

/** The guarantees of the port's media, tested for any carrier. */
export function describeCallMedia(name: string, connect: ConnectCarrier): void {
  describe(`a call over ${name}`, () => {
    let scene: CallScene;
    beforeEach(() => {
      scene = new CallScene(connect);
    });
    afterEach(() => {
      scene.media.close('lost', 'the test is over');
      scene.clock.pass(60_000);
      expect(scene.carrier.violations).toEqual([]);
      expect(scene.of('ended')).toHaveLength(1);
      expect(scene.kinds().at(-1)).toBe('ended');
    });

    it('completes the same scripted conversation as every carrier', () => {
      const held = holdConversation(connect);
      expect(held.transcript).toEqual(goldenTranscript);
      expect(held.scene.carrier.violations).toEqual([]);
      expect(held.scene.carrier.isToldOfEnd).toBe(true);
      held.scene.clock.pass(60_000);
      expect(held.scene.clock.waiting).toBe(0);
    });

    it('reports the line’s format before any audio, and it is a supported one', () => {
      expect(scene.media.format).toBeUndefined();
      scene.carrier.begin();
      expect(scene.kinds()[0]).toBe('started');
      expect(scene.media.capabilities.formats).toContainEqual(scene.media.format);
    });

    it('ends once when the caller hangs up, and reports nothing after', () => {
      scene.carrier.begin();
      scene.carrier.hangUp();
      scene.carrier.hangUp();
      scene.carrier.breakOff();
      expect(scene.of('ended')).toMatchObject([{ reason: 'caller-hung-up' }]);
      expect(scene.media.isEnded).toBe(true);
      for (const act of [() => scene.media.send(new Uint8Array(320)), () => scene.media.mark('m'), () => scene.media.clear()])
        act();
      scene.media.hangUp();
      expect(scene.media.sendDigits('1')).toBe(false);
    });

    it('ends as lost when the connection breaks', () => {
      scene.carrier.begin();
      scene.carrier.breakOff();
      expect(scene.of('ended')).toMatchObject([{ reason: 'lost' }]);
    });

    it('ends as lost when the carrier connects and never starts', () => {
      scene.clock.pass(15_000);
      expect(scene.of('ended')).toMatchObject([{ reason: 'lost' }]);
    });

    it('hangs up even if the carrier never confirms that all was heard', () => {
      scene.carrier.begin();
      scene.say(words.goodbye, 200);
      scene.carrier.fallSilent();
      scene.media.hangUp();
      scene.media.hangUp();
      scene.clock.pass(5000);
      expect(scene.of('ended')).toMatchObject([{ reason: 'hung-up' }]);
    });

    it('plays audio of odd lengths whole and in order', () => {
      scene.carrier.begin();
      const sampleBytes = scene.format.encoding === 'pcm16' ? 2 : 1;
      for (let part = 1; part <= 40; part++) scene.media.send(new Uint8Array(part * 7 * sampleBytes).fill(0x60 + (part % 5)));
      scene.clock.pass(3000);
      const expected = Array.from({ length: 40 }, (_, i) =>
        Array<number>((i + 1) * 7 * sampleBytes).fill(0x60 + ((i + 1) % 5)),
      ).flat();
      const heard = scene.carrier.heard().filter((byte) => byte >= 0x60 && byte < 0x65);
      expect(Buffer.compare(heard, Uint8Array.from(expected))).toBe(0);
    });

    it('tells marks in order, and those before a clear as dropped', () => {
      scene.carrier.begin();
      scene.media.mark('before all');
      scene.clock.pass(20);
      scene.say(words.greeting, 400);
      scene.media.mark('one');
      scene.say(words.greeting, 400);
      scene.media.mark('two');
      scene.media.clear();
      scene.clock.pass(1000);
      scene.say(words.greeting, 400);
      scene.media.mark('three');
      scene.clock.pass(1500);
      const marks = scene.of('mark').map(({ name: mark, wasCleared }) => `${mark} ${wasCleared ? 'dropped' : 'heard'}`);
      expect(marks).toEqual(['before all heard', 'one heard', 'two dropped', 'three heard']);
    });

    it('accepts a minute of speech at once', () => {
      scene.carrier.begin();
      for (let piece = 0; piece < 300; piece++) scene.media.send(scene.speechOf(words.greeting, 200));
      scene.clock.pass(65_000);
      expect(scene.heardMs(words.greeting)).toBe(60_000);
    });

    it('refuses keys that no keypad has', () => {
      scene.carrier.begin();
      for (const digits of ['', 'x', '1 2', '١', '1'.repeat(65)]) expect(scene.media.sendDigits(digits)).toBe(false);
    });
  });
}
