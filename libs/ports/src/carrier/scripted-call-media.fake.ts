import {
  type CallMedia,
  type MediaCapabilities,
  type MediaClock,
  type MediaEndReason,
  type MediaEvent,
  type MediaFormat,
  type MediaStart,
  msOfBytes,
} from './call-media';

interface Sent {
  readonly bytes: Uint8Array;
  readonly fromMs: number;
}

const plainFormat: MediaFormat = { encoding: 'mulaw', sampleRate: 8000 };

/** A call without a carrier, for tests: audio is played in real time by its clock. */
export class ScriptedCallMedia implements CallMedia {
  readonly capabilities: MediaCapabilities = {
    formats: [plainFormat],
    frameMs: 20,
    chunk: { bytesMin: 1, bytesMultiple: 1, bytesMax: 8000 },
    marks: 'carrier',
    clears: 'carrier',
    aheadMsMax: Number.POSITIVE_INFINITY,
    leadMs: 60,
    digitsIn: true,
    digitsOut: 'message',
    hangUpEndsCall: true,
  };
  /** The keys that our side pressed. */
  keys = '';
  isEnded = false;
  private start: MediaStart | undefined;
  private isHangingUp = false;
  private untilMs = 0;
  private readonly sent: Sent[] = [];
  private readonly marks = new Map<string, () => void>();
  private readonly alarms: (() => void)[] = [];

  constructor(
    private readonly clock: MediaClock,
    private readonly hear: (event: MediaEvent) => void,
  ) {
    this.alarms.push(clock.wakeAt(clock.now() + 10_000, () => !this.start && this.close('lost', 'never began')));
  }

  get format(): MediaFormat | undefined {
    return this.start?.format;
  }

  /** The carrier starts streaming. */
  begin(start: Partial<MediaStart> = {}): void {
    this.start = {
      format: plainFormat,
      callId: 'call-1',
      streamId: undefined,
      from: undefined,
      to: undefined,
      parameters: {},
      ...start,
    };
    this.tell({ kind: 'started', start: this.start });
  }

  /** The caller speaks. */
  speak(bytes: Uint8Array): void {
    this.tell({ kind: 'audio', bytes });
  }

  press(digit: string): void {
    this.tell({ kind: 'digit', digit });
  }

  /** What the caller has heard so far. */
  heard(): Uint8Array {
    const rate = plainFormat.sampleRate / 1000;
    return Buffer.concat(
      this.sent.map(({ bytes, fromMs }) => bytes.subarray(0, Math.max(0, Math.floor((this.clock.now() - fromMs) * rate)))),
    );
  }

  send(bytes: Uint8Array): void {
    if (!this.start || this.isEnded || this.isHangingUp) return;
    const fromMs = Math.max(this.untilMs, this.clock.now());
    this.sent.push({ bytes, fromMs });
    this.untilMs = fromMs + msOfBytes(plainFormat, bytes.length);
  }

  mark(name: string): void {
    if (this.isEnded || !this.start) return;
    const cancel = this.at(Math.max(this.untilMs, this.clock.now()), () => {
      this.marks.delete(name);
      this.tell({ kind: 'mark', name, wasCleared: false });
    });
    this.marks.set(name, cancel);
  }

  clear(): void {
    const heard = this.heard();
    this.sent.splice(0, this.sent.length, { bytes: heard, fromMs: Number.NEGATIVE_INFINITY });
    this.untilMs = this.clock.now();
    for (const [name, cancel] of this.marks) {
      cancel();
      this.tell({ kind: 'mark', name, wasCleared: true });
    }
    this.marks.clear();
  }

  sendDigits(digits: string): boolean {
    if (this.isEnded || !this.start || !/^[0-9*#A-Dw]{1,64}$/.test(digits)) return false;
    this.keys += digits;
    return true;
  }

  hangUp(): void {
    if (this.isEnded) return;
    this.isHangingUp = true;
    this.at(Math.max(this.untilMs, this.clock.now()), () => this.close('hung-up', 'hung up'));
  }

  close(reason: MediaEndReason, message: string): void {
    if (this.isEnded) return;
    for (const cancel of this.alarms) cancel();
    this.isEnded = true;
    this.hear({ kind: 'ended', reason, message });
  }

  private tell(event: MediaEvent): void {
    if (!this.isEnded) this.hear(event);
  }

  private at(atMs: number, wake: () => void): () => void {
    const cancel = this.clock.wakeAt(atMs, wake);
    this.alarms.push(cancel);
    return cancel;
  }
}

interface Alarm {
  readonly atMs: number;
  readonly wake: () => void;
}

/** A clock advanced by hand, synchronously: for media, which never awaits. */
export class ManualClock implements MediaClock {
  private nowMs = 0;
  private readonly alarms = new Set<Alarm>();

  now(): number {
    return this.nowMs;
  }

  wakeAt(atMs: number, wake: () => void): () => void {
    const alarm = { atMs, wake };
    this.alarms.add(alarm);
    return () => void this.alarms.delete(alarm);
  }

  /** Runs everything due within this many milliseconds, in chronological order. */
  pass(ms: number): void {
    const untilMs = this.nowMs + ms;
    for (let next = this.nextBy(untilMs); next; next = this.nextBy(untilMs)) {
      this.alarms.delete(next);
      this.nowMs = Math.max(this.nowMs, next.atMs);
      next.wake();
    }
    this.nowMs = untilMs;
  }

  /** The number of alarms set: 0 once everything that used this clock has ended. */
  get waiting(): number {
    return this.alarms.size;
  }

  private nextBy(untilMs: number): Alarm | undefined {
    let first: Alarm | undefined;
    for (const alarm of this.alarms) if (alarm.atMs <= untilMs && (!first || alarm.atMs < first.atMs)) first = alarm;
    return first;
  }
}
