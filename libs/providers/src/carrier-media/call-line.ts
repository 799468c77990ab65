import { dtmfTone, encodeSamples } from '@parley/audio';
import {
  bytesOfMs,
  type MediaCapabilities,
  type MediaEndReason,
  type MediaEvent,
  type MediaFormat,
  type MediaOptions,
  type MediaStart,
  type WiredMedia,
  type WireMessage,
} from '@parley/ports';
import { type Dialect, type DialectEvent, silenceOf } from './dialect';
import { OutgoingAudio } from './outgoing-audio';

const startMs = 10_000;
const presumeMs = 1000;
const hangUpMs = 2000;
const warningsMax = 100;
/** After this many consecutive malformed messages, the peer is not a carrier. */
const malformedMax = 50;
const marksMax = 1000;
const digitsMax = 64;
const toneMs = 100;
const gapMs = 100;
const waitMs = 500;
const bufferedBytesMax = 1024 * 1024;
/** If playback is not reported: how much later sound is heard, so that its end is not cut off. */
const underWayMs = 100;
const lastMark = Symbol('the last mark');

interface AwaitedMark {
  readonly name: string | typeof lastMark;
  readonly wireName: string;
}

/** The media of a call in any carrier's dialect. Guarantees a valid order of events, including marks, and exactly one end. */
export class CallLine implements WiredMedia {
  readonly capabilities: MediaCapabilities;
  private outgoing: OutgoingAudio | undefined;
  private start: MediaStart | undefined;
  private state: 'open' | 'hanging-up' | 'ended' = 'open';
  private readonly named = new Map<string, string | typeof lastMark>();
  private readonly awaited: AwaitedMark[] = [];
  private readonly alarms = new Set<() => void>();
  private marks = 0;
  private warnings = 0;
  private malformed = 0;

  constructor(
    private readonly dialect: Dialect,
    private readonly options: MediaOptions,
  ) {
    this.capabilities = dialect.capabilities;
    this.inMs(presumeMs, () => {
      for (const event of this.start ? [] : (dialect.presumedStart?.() ?? [])) this.happened(event);
    });
    this.inMs(startMs, () => {
      if (!this.start) this.close('lost', 'the carrier connected and did not begin to stream');
    });
  }

  get format(): MediaFormat | undefined {
    return this.start?.format;
  }

  get isEnded(): boolean {
    return this.state === 'ended';
  }

  receive(message: WireMessage): void {
    for (const event of this.dialect.read(message)) {
      if (this.isEnded) return;
      this.malformed = event.kind === 'malformed' ? this.malformed + 1 : 0;
      this.happened(event);
    }
  }

  disconnected({ isClean, message }: { isClean: boolean; message: string }): void {
    if (this.state === 'hanging-up') this.end('hung-up', 'the other end closed the connection meanwhile');
    else this.end(isClean && !this.dialect.saysStop ? 'caller-hung-up' : 'lost', message);
  }

  send(bytes: Uint8Array): void {
    if (this.state !== 'open' || !this.outgoing) return;
    if (!this.outgoing.send(bytes)) this.warn('two minutes of audio wait to be heard: what came on top is lost');
  }

  mark(name: string): void {
    if (this.state === 'open') this.markAs(name);
  }

  clear(): void {
    if (this.state !== 'open' || !this.outgoing) return;
    const { clears, aheadMsMax } = this.capabilities;
    const waiting = this.outgoing.clear(clears === 'carrier' ? 0 : aheadMsMax);
    // Removed before the carrier is told, because some carriers echo dropped marks.
    const dropped = [...this.awaited.splice(0).map(({ name }) => name), ...waiting.map((wire) => this.nameOf(wire))];
    for (const message of this.dialect.clear?.() ?? []) this.write(message);
    for (const name of dropped) if (typeof name === 'string') this.notify({ kind: 'mark', name, wasCleared: true });
  }

  sendDigits(digits: string): boolean {
    const { digitsOut } = this.capabilities;
    if (this.state !== 'open' || !this.outgoing || digitsOut === 'control') return false;
    if (!/^[0-9*#A-Dw]+$/.test(digits) || digits.length > digitsMax) return false;
    if (digitsOut === 'tone') for (const digit of digits) this.outgoing.send(this.toneOf(digit));
    else for (const message of this.dialect.digits?.(digits) ?? []) this.write(message);
    return true;
  }

  hangUp(): void {
    if (this.state !== 'open') return;
    if (!this.outgoing) return this.close('hung-up', 'hung up before the carrier began to stream');
    this.state = 'hanging-up';
    this.inMs(this.outgoing.remainingMs + hangUpMs, () => this.finish('hung up without word that all was heard'));
    this.markAs(lastMark);
  }

  close(reason: MediaEndReason, message: string): void {
    if (this.isEnded) return;
    this.end(reason, message);
    this.options.wire.close();
  }

  private happened(event: DialectEvent): void {
    if (event.kind === 'audio') return this.heard(event.bytes);
    switch (event.kind) {
      case 'started':
        return this.begin(event.start);
      case 'digit':
        return this.start && this.notify({ kind: 'digit', digit: event.digit });
      case 'marked':
        return this.marked(event.name);
      case 'stopped':
        return this.close(this.state === 'hanging-up' ? 'hung-up' : 'caller-hung-up', event.message);
      case 'held':
      case 'released':
        return this.outgoing?.hold(event.kind === 'held');
      case 'drained':
        return this.state === 'hanging-up' ? this.finish('hung up') : undefined;
      case 'trouble':
        return this.warn(event.message);
      case 'malformed':
        if (this.malformed >= malformedMax) return this.close('protocol', event.message);
        return this.warn(event.message);
      case 'lost-track':
        return this.close('protocol', event.message);
    }
  }

  private heard(bytes: Uint8Array): void {
    if (!this.start) return this.warn('audio came before the start');
    const whole = this.start.format.encoding === 'pcm16' ? bytes.length - (bytes.length % 2) : bytes.length;
    if (whole > 0) this.notify({ kind: 'audio', bytes: whole === bytes.length ? bytes : bytes.subarray(0, whole) });
  }

  private begin(start: MediaStart): void {
    if (this.start) return this.warn('the carrier said a second time that it begins');
    const { clock } = this.options;
    this.start = start;
    this.outgoing = new OutgoingAudio({
      format: start.format,
      chunk: this.dialect.chunkOf(start.format),
      aheadMsMax: this.capabilities.aheadMsMax,
      clock,
      write: (bytes) => this.write(this.dialect.audio(bytes)),
      passed: (wireName) => this.passed(wireName),
    });
    this.notify({ kind: 'started', start });
  }

  private markAs(name: string | typeof lastMark): void {
    if (!this.outgoing) return;
    if (this.named.size + this.awaited.length >= marksMax)
      return this.warn(`mark ${String(name)} is one too many and was not set`);
    const wireName = `p${++this.marks}`;
    this.named.set(wireName, name);
    this.outgoing.mark(wireName);
  }

  /** The audio before a mark was sent; the carrier, or the clock, now reports when it is heard. */
  private passed(wireName: string): void {
    const name = this.nameOf(wireName);
    this.awaited.push({ name, wireName });
    if (name === lastMark && this.dialect.drain) this.write(this.dialect.drain());
    else if (this.dialect.mark) this.write(this.dialect.mark(wireName));
    else {
      const restMs = (this.outgoing?.soundsUntilMs ?? 0) - this.options.clock.now();
      this.inMs(name === lastMark ? restMs + underWayMs : restMs, () => this.marked(wireName));
    }
  }

  private nameOf(wireName: string): string | typeof lastMark {
    const name = this.named.get(wireName) ?? wireName;
    this.named.delete(wireName);
    return name;
  }

  /** The carrier reports a mark. Those before it were heard as well; a cleared one is ignored. */
  private marked(wireName: string): void {
    const index = this.awaited.findIndex((mark) => mark.wireName === wireName);
    for (const { name } of this.awaited.splice(0, index + 1)) {
      if (name === lastMark) this.finish('hung up');
      else this.notify({ kind: 'mark', name, wasCleared: false });
    }
  }

  private toneOf(digit: string): Uint8Array {
    const { format } = this;
    if (!format) return new Uint8Array(0);
    if (digit === 'w') return silenceOf(format, bytesOfMs(format, waitMs));
    const samples = new Int16Array(Math.round((format.sampleRate * (toneMs + gapMs)) / 1000));
    samples.set(dtmfTone(digit, format.sampleRate, toneMs) ?? []);
    return encodeSamples(samples, format.encoding);
  }

  private write(message: WireMessage): void {
    if (this.isEnded) return;
    this.options.wire.send(message);
    if (this.options.wire.bufferedBytes > bufferedBytesMax) this.close('lost', 'the carrier does not take what it is sent');
  }

  private finish(message: string): void {
    if (this.isEnded) return;
    if (this.dialect.hangUp) this.write(this.dialect.hangUp());
    this.close('hung-up', message);
  }

  private end(reason: MediaEndReason, message: string): void {
    if (this.isEnded) return;
    this.state = 'ended';
    this.outgoing?.close();
    for (const cancel of this.alarms) cancel();
    this.options.hear({ kind: 'ended', reason, message });
  }

  private warn(message: string): void {
    if (++this.warnings <= warningsMax) this.notify({ kind: 'warning', message });
  }

  private notify(event: MediaEvent): void {
    if (!this.isEnded) this.options.hear(event);
  }

  private inMs(ms: number, wake: () => void): void {
    const cancel = this.options.clock.wakeAt(this.options.clock.now() + ms, () => {
      this.alarms.delete(cancel);
      wake();
    });
    this.alarms.add(cancel);
  }
}
