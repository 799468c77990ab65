import { DtmfDetector, dtmfTone, encodeSamples, aLaw, muLaw } from '@parley/audio';
import type {
  CallMedia,
  MediaCapabilities,
  MediaClock,
  MediaEndReason,
  MediaEvent,
  MediaFormat,
  MediaStart,
  Reception,
} from '@parley/ports';
import type { CallEnd, CallListener, ReceivedFrame, SoundSession } from '@parley/sip';

const startMs = 10_000;
const hangUpSlackMs = 2000;
const digitsMax = 64;
const warningsMax = 100;
const toneMs = 100;
const gapMs = 100;
const pressable = /^[0-9*#A-Dw]+$/;

export const sipMediaCapabilities: MediaCapabilities = {
  formats: [
    { encoding: 'mulaw', sampleRate: 8000 },
    { encoding: 'alaw', sampleRate: 8000 },
  ],
  frameMs: 20,
  chunk: { bytesMin: 1, bytesMultiple: 1, bytesMax: 65_536 },
  // Our pacing determines what was sent; the delay of the peer's jitter buffer is unknown.
  marks: 'clock',
  clears: 'adapter',
  aheadMsMax: 20,
  leadMs: 60,
  digitsIn: true,
  digitsOut: 'message',
  hangUpEndsCall: true,
};

/** The media of a SIP call for the platform. G.711 passes unchanged in both directions. */
export class SipMedia implements CallMedia, CallListener {
  readonly capabilities = sipMediaCapabilities;
  private begun: MediaStart | undefined;
  private awaited: Omit<MediaStart, 'format'> | undefined;
  private state: 'open' | 'hanging-up' | 'ended' = 'open';
  private warnings = 0;
  private detector: DtmfDetector | undefined;
  private readonly alarms = new Set<() => void>();

  constructor(
    private readonly line: SoundSession,
    private readonly options: {
      readonly clock: MediaClock;
      readonly hear: (event: MediaEvent) => void;
      /** Hangs up; the end may or may not be reported. */
      readonly hangUpCall: () => void;
    },
  ) {
    this.inMs(startMs, () => {
      if (!this.begun) this.close('lost', 'the call was never agreed on');
    });
  }

  get format(): MediaFormat | undefined {
    return this.begun?.format;
  }

  get isEnded(): boolean {
    return this.state === 'ended';
  }

  get reception(): Reception {
    const { packetsReceived, packetsLate, packetsLost, jitterMs } = this.line.statistics;
    return { frames: packetsReceived, lateFrames: packetsLate, lostFrames: Math.max(0, packetsLost), jitterMs };
  }

  /** The call is established. The media starts at once, or when the caller's answer to our offer arrives. */
  start(start: Omit<MediaStart, 'format'>): void {
    const { codec, takesDigits } = this.line;
    if (this.begun || this.isEnded) return;
    this.awaited = codec ? undefined : start;
    if (!codec) return;
    const format: MediaFormat = { encoding: codec === 'PCMA' ? 'alaw' : 'mulaw', sampleRate: 8000 };
    this.begun = { ...start, format };
    if (!takesDigits) this.detector = new DtmfDetector(format.sampleRate);
    this.notify({ kind: 'started', start: this.begun });
  }

  /** The caller answered our offer. */
  agreed(): void {
    if (this.awaited) this.start(this.awaited);
  }

  send(bytes: Uint8Array): void {
    if (this.state !== 'open' || !this.begun) return;
    if (!this.line.send(bytes)) this.warn('two minutes of audio wait to be heard: what came on top is lost');
  }

  mark(name: string): void {
    if (this.state !== 'open' || !this.begun) return;
    if (!this.line.mark(name)) this.warn(`mark ${name} is one too many and was not set`);
  }

  clear(): void {
    if (this.state === 'open') this.line.clear();
  }

  sendDigits(digits: string): boolean {
    if (this.state !== 'open' || !this.begun || digits.length > digitsMax || !pressable.test(digits)) return false;
    if (this.line.takesDigits) return this.line.press(digits);
    return [...digits].every((digit) => this.line.send(this.toneOf(digit)));
  }

  hangUp(): void {
    if (this.state !== 'open') return;
    if (!this.begun) return this.close('hung-up', 'hung up before the call was agreed on');
    this.state = 'hanging-up';
    this.inMs(this.line.queuedMs + hangUpSlackMs, () => this.close('hung-up', 'hung up without having said all'));
    this.line.mark(lastMark);
  }

  close(reason: MediaEndReason, message: string): void {
    if (this.isEnded) return;
    this.finish(reason, message);
    this.options.hangUpCall();
  }

  sound({ payload, isFiller }: ReceivedFrame): void {
    if (!this.begun) return;
    this.notify({ kind: 'audio', bytes: payload, ...(isFiller && { isFiller }) });
    if (!this.detector) return;
    const codec = this.begun.format.encoding === 'alaw' ? aLaw : muLaw;
    for (const digit of this.detector.push(codec.decode(payload))) this.notify({ kind: 'digit', digit, isInSound: true });
  }

  digit(key: string): void {
    if (this.begun) this.notify({ kind: 'digit', digit: key });
  }

  marks(names: readonly string[], wasCleared: boolean): void {
    for (const name of names) {
      if (name !== lastMark) this.notify({ kind: 'mark', name, wasCleared });
      else if (!wasCleared) this.close('hung-up', 'hung up');
    }
  }

  held(isHeld: boolean): void {
    if (this.begun) this.notify({ kind: 'held', isHeld });
    this.warn(isHeld ? 'the other side put the call on hold' : 'the other side took the call off hold');
  }

  starved(): void {
    this.warn('no sound comes from the other side');
  }

  ended({ kind, words }: CallEnd): void {
    const isTheirs = kind === 'hung-up-by-peer' || kind === 'transferred' || kind === 'cancelled';
    if (this.state === 'hanging-up') this.finish('hung-up', words);
    else if (isTheirs) this.finish('caller-hung-up', words);
    else if (kind === 'hung-up-by-us') this.finish('hung-up', words);
    else this.finish('lost', words, words);
  }

  private toneOf(digit: string): Uint8Array {
    const encoding = this.begun?.format.encoding ?? 'mulaw';
    const samples = new Int16Array(digit === 'w' ? 4000 : 8 * (toneMs + gapMs));
    samples.set(dtmfTone(digit, 8000, toneMs) ?? []);
    return encodeSamples(samples, encoding);
  }

  private warn(message: string): void {
    if (++this.warnings <= warningsMax) this.notify({ kind: 'warning', message });
  }

  private finish(reason: MediaEndReason, message: string, brokenOff?: string): void {
    if (this.isEnded) return;
    this.state = 'ended';
    for (const cancel of this.alarms) cancel();
    this.options.hear({ kind: 'ended', reason, message, ...(brokenOff !== undefined && { brokenOff }) });
  }

  private notify(event: MediaEvent): void {
    if (!this.isEnded) this.options.hear(event);
  }

  private inMs(ms: number, wake: () => void): void {
    const { clock } = this.options;
    const cancel = clock.wakeAt(clock.now() + ms, () => {
      this.alarms.delete(cancel);
      wake();
    });
    this.alarms.add(cancel);
  }
}

/** A name that no user of the port would choose. */
const lastMark = '\u0000last';
