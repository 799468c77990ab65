import { aLaw, DtmfDetector, muLaw, samplesFromBytes } from '@parley/audio';
import {
  type MediaClock,
  type MediaEvent,
  type MediaFormat,
  type MediaOptions,
  type MediaProtocol,
  msOfBytes,
  type WiredMedia,
  type WireMessage,
} from '@parley/ports';
import type { CarrierEnd } from '@parley/ports/suites';

/** What a fake carrier needs: a clock, and the receiver of our end's events. */
export interface FakeSurroundings {
  readonly clock: MediaClock;
  readonly hear: (event: MediaEvent) => void;
  /** Opens our end; by default directly, without a connection. */
  readonly open?: (protocol: MediaProtocol, options: MediaOptions) => WiredMedia;
  /** How late messages may arrive, in which case paced messages arrive together. */
  readonly latestMs?: () => number;
}

/** A carrier's playback queue, which reports marks when they are reached. */
class PlayQueue {
  private readonly played: { bytes: Uint8Array; readonly fromMs: number }[] = [];
  private readonly marks = new Map<string, () => void>();
  private untilMs = 0;

  constructor(
    private readonly clock: MediaClock,
    private readonly format: MediaFormat,
  ) {}

  get aheadMs(): number {
    return Math.max(0, this.untilMs - this.clock.now());
  }

  add(bytes: Uint8Array): void {
    const fromMs = Math.max(this.untilMs, this.clock.now());
    this.played.push({ bytes, fromMs });
    this.untilMs = fromMs + msOfBytes(this.format, bytes.length);
  }

  mark(name: string, reached: () => void): void {
    const cancel = this.clock.wakeAt(Math.max(this.untilMs, this.clock.now()), () => {
      this.marks.delete(name);
      reached();
    });
    this.marks.set(name, cancel);
  }

  /** Returns the marks that were not reached. */
  clear(): string[] {
    for (const entry of this.played) entry.bytes = this.heardOf(entry);
    this.untilMs = this.clock.now();
    for (const cancel of this.marks.values()) cancel();
    const names = [...this.marks.keys()];
    this.marks.clear();
    return names;
  }

  heard(): Uint8Array {
    return Buffer.concat(this.played.map((entry) => this.heardOf(entry)));
  }

  private heardOf({ bytes, fromMs }: { bytes: Uint8Array; fromMs: number }): Uint8Array {
    const { sampleRate, encoding } = this.format;
    const samples = Math.max(0, Math.floor(((this.clock.now() - fromMs) * sampleRate) / 1000));
    return bytes.subarray(0, encoding === 'pcm16' ? samples * 2 : samples);
  }
}

/** The base of all fake carriers, with a connection to our end, a playback queue, and a list of violated rules. */
export abstract class FakeCarrier implements CarrierEnd {
  readonly media: WiredMedia;
  readonly violations: string[] = [];
  isToldOfEnd = false;
  protected readonly queue: PlayQueue;
  protected readonly clock: MediaClock;
  protected readonly latestMs: () => number;
  protected isSilent = false;
  private isOpen = true;

  constructor(
    protocol: MediaProtocol,
    { clock, hear, open = (adapter, options) => adapter.open(options), latestMs = () => 0 }: FakeSurroundings,
    protected readonly format: MediaFormat,
  ) {
    this.clock = clock;
    this.latestMs = latestMs;
    this.queue = new PlayQueue(clock, format);
    const wire = {
      send: (message: WireMessage) => this.handleMessage(message),
      close: () => {
        this.isOpen = false;
        this.closed();
      },
      bufferedBytes: 0,
    };
    this.media = open(protocol, { wire, clock, hear });
  }

  abstract begin(): void;
  abstract speak(bytes: Uint8Array): void;
  abstract press(digit: string): void;
  abstract hangUp(): void;
  protected abstract receive(message: WireMessage): void;

  breakOff(): void {
    this.media.disconnected({ isClean: false, message: 'read ECONNRESET' });
  }

  fallSilent(): void {
    this.isSilent = true;
  }

  heard(): Uint8Array {
    return this.queue.heard();
  }

  keysHeard(): string {
    const bytes = this.queue.heard();
    const { encoding, sampleRate } = this.format;
    const samples =
      encoding === 'mulaw' ? muLaw.decode(bytes) : encoding === 'alaw' ? aLaw.decode(bytes) : samplesFromBytes(bytes);
    return new DtmfDetector(sampleRate).push(samples).join('');
  }

  /** Our end closed the connection. */
  protected closed(): void {
    this.isToldOfEnd = true;
  }

  protected say(message: WireMessage | object): void {
    if (this.isSilent) return;
    const isReady = typeof message === 'string' || message instanceof Uint8Array;
    this.media.receive(isReady ? message : JSON.stringify(message));
  }

  /** Records a violation unless the condition holds. */
  protected rule(holds: boolean, rule: string): void {
    if (!holds) this.violations.push(rule);
  }

  private handleMessage(message: WireMessage): void {
    this.rule(this.isOpen, 'nothing is sent on a closed connection');
    try {
      this.receive(message);
    } catch (error) {
      this.violations.push(String(error));
    }
  }
}

/** Parses a text message as JSON; throws if it is not. */
export function jsonFrom(message: WireMessage): unknown {
  if (typeof message !== 'string') throw new Error('this carrier takes text messages only');
  const json: unknown = JSON.parse(message);
  return json;
}

/** Decodes base64 as strictly as carriers do: it must be canonical, and not a WAV file. */
export function payloadOf(payload: string): Uint8Array {
  const bytes = Buffer.from(payload, 'base64');
  if (bytes.toString('base64') !== payload || bytes.length === 0) throw new Error('a payload that is not base64');
  if (bytes.toString('latin1', 0, 4) === 'RIFF') throw new Error('a payload with a WAV header');
  return bytes;
}
