import { randomInt } from 'node:crypto';
import type { RemoteInfo } from 'node:dgram';
import { type ReceivedFrame, JitterBuffer, recoded, silence } from './jitter-buffer';
import { DigitReceiver, DigitSender, formatRtp, type G711, parseRtp, payloadTypeOf, type RtpPacket } from './rtp-packet';
import { type Beat, type FrameClock, RtpSendQueue } from './paced-sending';
import { type Place, type PortPair, SourceLatch, type Stream } from './port-pairs';
import { ReceptionStatistics, RtcpReports } from './reports';

/** The agreed parameters of a call's sound. */
interface AgreedSound {
  readonly address: string;
  readonly port: number;
  readonly reportsPort?: number;
  readonly codec: G711;
  /** The payload type of digits, if both sides support them. */
  readonly digits?: number;
  readonly sends: boolean;
  readonly receives: boolean;
}

/** A call's sound events. None of these may throw. */
interface SoundListener {
  sound(heard: ReceivedFrame): void;
  digit(key: string): void;
  marks(names: readonly string[], wasCleared: boolean): void;
  /** Nothing has arrived for too long. */
  starved(): void;
}

interface SoundOptions {
  readonly ports: PortPair;
  readonly clock: FrameClock;
  readonly listener: SoundListener;
  /** The address from which the peer's signalling comes. */
  readonly signalling: string;
  readonly starvedAfterMs: number;
  /** Whether we may send to an address in a description. Absent: to any. */
  readonly reaches?: (address: string) => boolean;
}

/** The quality of the line. */
interface SoundStatistics {
  readonly packetsReceived: number;
  readonly packetsLost: number;
  readonly packetsLate: number;
  readonly packetsForeign: number;
  readonly packetsSent: number;
  readonly jitterMs: number;
  readonly concealedMs: number;
  /** As last reported by the peer. */
  readonly remoteLoss: number | undefined;
  readonly roundTripMs: number | undefined;
}

const samplesPerFrame = 160;
/** How many phones may ring for one call. */
const ringingMax = 8;

/** The sound of a call: G.711 over RTP in both directions, digits and reports. Sends a frame at every beat of the clock, even silence. */
export class SoundSession {
  private readonly queue = new RtpSendQueue();
  private readonly digitsOut = new DigitSender();
  private readonly digitsIn = new DigitReceiver();
  private readonly reception = new ReceptionStatistics();
  private readonly source = randomInt(2 ** 32);
  private readonly reports: RtcpReports;
  private readonly leave: () => void;
  private sequence = randomInt(2 ** 15);
  private timestamp = randomInt(2 ** 32);
  private agreed: AgreedSound | undefined;
  private lineCodec: G711 | undefined;
  private earlier = { late: 0, concealedSamples: 0 };
  private jitter: JitterBuffer | undefined;
  private latch: SourceLatch | undefined;
  /** Where each phone that rings sends from, as it says, by its tag, and the stream that came from there. */
  private readonly ringing = new Map<string, Place & { stream?: Stream }>();
  private early: Stream | undefined;
  private quiet: Uint8Array = silence('PCMU', samplesPerFrame);
  private lastHeardMs: number;
  private heldMs = 0;
  private isStarved = false;
  private isFirst = true;
  private isClosed = false;

  constructor(private readonly options: SoundOptions) {
    const { ports, clock } = options;
    this.lastHeardMs = clock.now();
    this.reports = new RtcpReports(this.source, clock.now());
    ports.sound.on('message', (bytes, from) => this.receive(bytes, from));
    ports.reports.on('message', (bytes, from) => this.report(bytes, from));
    this.leave = clock.join((beat) => this.beat(beat));
  }

  get port(): number {
    return this.options.ports.port;
  }

  /** Whether the peer supports RFC 4733 digits. */
  get takesDigits(): boolean {
    return this.agreed?.digits !== undefined;
  }

  /** The codec on our side, which is the first one agreed, for the whole call. */
  get codec(): G711 | undefined {
    return this.lineCodec;
  }

  /** The codec on the wire, which is the last one agreed. */
  get wireCodec(): G711 | undefined {
    return this.agreed?.codec;
  }

  /** A phone that rings has described its sound. What comes from there before it answers proves which stream is its own. */
  expect(tag: string, { address, port }: Place): void {
    if (!this.ringing.has(tag) && this.ringing.size < ringingMax) this.ringing.set(tag, { address, port });
  }

  answeredBy(tag: string): void {
    this.early = this.ringing.get(tag)?.stream;
    this.ringing.clear();
  }

  /** Applies an agreement, initially and after each change. Queued sound is kept, so hold and resume lose nothing. */
  agree(agreed: AgreedSound): void {
    const before = this.agreed;
    this.agreed = agreed;
    const { signalling, reaches } = this.options;
    // An address that we may not send to is behind the peer's NAT or malicious, so sound goes to the signalling address instead.
    const address = agreed.address === signalling || (reaches?.(agreed.address) ?? true) ? agreed.address : signalling;
    const place = { address, port: agreed.port, isAsWritten: address === agreed.address };
    if (this.latch) this.latch.describe(place, this.options.clock.now());
    else this.latch = new SourceLatch(place, signalling, place.isAsWritten ? this.early : undefined);
    this.lineCodec ??= agreed.codec;
    if (before?.codec !== agreed.codec) this.speak(agreed.codec, this.lineCodec);
    if (!agreed.receives) this.jitter?.reset();
    if (agreed.receives && !before?.receives) {
      this.lastHeardMs = this.options.clock.now();
      this.isStarved = false;
    }
  }

  /** Queues sound in the call's codec, of any length. False if two minutes are queued already. */
  send(sound: Uint8Array): boolean {
    return !this.isClosed && this.queue.push(sound);
  }

  mark(name: string): boolean {
    return !this.isClosed && this.queue.mark(name);
  }

  /** Drops queued sound; its marks are reported as cleared. */
  clear(): void {
    const names = this.queue.clear();
    if (names.length > 0) this.options.listener.marks(names, true);
  }

  /** Sends keys. False if they are invalid, too many, or the peer does not support them as events and needs tones. */
  press(digits: string): boolean {
    return this.agreed?.digits !== undefined && this.digitsOut.press(digits);
  }

  /** Milliseconds of queued sound. */
  get queuedMs(): number {
    return this.queue.queuedMs;
  }

  get statistics(): SoundStatistics {
    return {
      packetsReceived: this.reception.packetsReceived,
      packetsLost: this.reception.packetsLost,
      packetsLate: this.late,
      packetsForeign: this.latch?.foreign ?? 0,
      packetsSent: this.reports.packets,
      jitterMs: this.reception.jitterMs,
      concealedMs: this.concealedSamples / 8,
      remoteLoss: this.reports.remoteLoss,
      roundTripMs: this.reports.roundTripMs,
    };
  }

  /** Sends the peer a goodbye, and frees the ports. */
  close(): void {
    if (this.isClosed) return;
    this.isClosed = true;
    this.leave();
    const { reports } = this.options.ports;
    const target = this.reportsTarget();
    if (!target) return this.options.ports.close();
    const goodbye = this.reports.make(this.reception, {
      nowMs: this.options.clock.now(),
      timestamp: this.timestamp,
      isGoodbye: true,
    });
    reports.send(goodbye, target.port, target.address, () => this.options.ports.close());
  }

  /** Sets up transcoding, since a peer may switch to the other codec during a call. */
  private speak(wire: G711, line: G711): void {
    this.earlier = { late: this.late, concealedSamples: this.concealedSamples };
    this.quiet = silence(line, samplesPerFrame);
    this.jitter = new JitterBuffer(wire, ({ payload, ...heard }) =>
      this.options.listener.sound({ ...heard, payload: recoded(payload, wire, line) }),
    );
  }

  private get late(): number {
    return this.earlier.late + (this.jitter?.late ?? 0);
  }

  private get concealedSamples(): number {
    return this.earlier.concealedSamples + (this.jitter?.concealedSamples ?? 0);
  }

  private beat({ nowMs, dueMs, ticks, skipped }: Beat): void {
    const { agreed } = this;
    if (!agreed) return;
    // Skipping them makes a pause; otherwise sound would be late for the rest of the call.
    this.timestamp = (this.timestamp + skipped * samplesPerFrame) >>> 0;
    for (let tick = 0; tick < ticks; tick++) this.sendFrame(agreed);
    // `dueMs` instead of now: packets that arrived while the process slept are read after this beat, so they are not missing.
    if (agreed.receives) this.jitter?.tick(dueMs);
    // On hold a peer may send music or nothing. Neither is transcribed or filled, since transcription is charged by the second.
    if (!agreed.sends) this.heldMs = nowMs;
    else if (agreed.receives) this.watch(dueMs);
    if (this.reports.isDue(nowMs)) this.sendReport(nowMs);
  }

  private sendFrame(agreed: AgreedSound): void {
    if (agreed.sends && agreed.digits !== undefined && this.digitsOut.isPressing) {
      for (const { payload, timestamp, isFirst } of this.digitsOut.next(this.timestamp)) {
        this.transmit(payload, { payloadType: agreed.digits, marker: isFirst, timestamp });
      }
    } else {
      const { marks, payload } = agreed.sends ? this.queue.take(this.quiet[0] ?? 0xff) : { marks: [], payload: undefined };
      if (marks.length > 0) this.options.listener.marks(marks, false);
      if (agreed.sends) {
        const payloadType = payloadTypeOf(agreed.codec);
        const sound = recoded(payload ?? this.quiet, this.lineCodec ?? agreed.codec, agreed.codec);
        this.transmit(sound, { payloadType, marker: this.isFirst, timestamp: this.timestamp });
      }
    }
    this.timestamp = (this.timestamp + samplesPerFrame) >>> 0;
  }

  private transmit(payload: Uint8Array, head: Pick<RtpPacket, 'payloadType' | 'marker' | 'timestamp'>): void {
    const target = this.latch?.target;
    if (!target || this.isClosed) return;
    this.isFirst = false;
    const packet = formatRtp({ ...head, sequence: this.sequence, source: this.source }, payload);
    this.sequence = (this.sequence + 1) & 0xffff;
    this.reports.sent(payload.length);
    this.options.ports.sound.send(packet, target.port, target.address);
  }

  private receive(bytes: Buffer, from: RemoteInfo): void {
    const packet = parseRtp(bytes);
    const { agreed, latch } = this;
    if (!packet || this.isClosed) return;
    if (!agreed || !latch) return this.noteEarly(packet, from);
    const isDigit = packet.payloadType === agreed.digits;
    if (!isDigit && packet.payloadType !== payloadTypeOf(agreed.codec)) return;
    const nowMs = this.options.clock.now();
    if (!latch.admits(packet, from, nowMs)) return;
    this.lastHeardMs = nowMs;
    this.isStarved = false;
    this.reception.packet(packet, nowMs);
    if (!isDigit) {
      if (agreed.receives) this.jitter?.push(packet, nowMs);
      return;
    }
    this.jitter?.passed(packet.sequence);
    const key = this.digitsIn.push(packet);
    if (key !== undefined) this.options.listener.digit(key);
  }

  private noteEarly({ source, sequence }: RtpPacket, { address, port }: RemoteInfo): void {
    for (const phone of this.ringing.values())
      if (phone.address === address && phone.port === port) phone.stream = { source, sequence };
  }

  private report(bytes: Buffer, from: RemoteInfo): void {
    // Reports are accepted only from the source of the sound.
    if (this.isClosed || from.address !== this.latch?.target.address) return;
    this.reports.receive(bytes, this.reception, this.options.clock.now());
  }

  private sendReport(nowMs: number): void {
    const target = this.reportsTarget();
    const report = this.reports.make(this.reception, { nowMs, timestamp: this.timestamp, isGoodbye: false });
    if (target) this.options.ports.reports.send(report, target.port, target.address);
  }

  private reportsTarget(): { address: string; port: number } | undefined {
    const target = this.latch?.target;
    const { agreed } = this;
    if (!target || !agreed) return undefined;
    const port = target.port === agreed.port ? (agreed.reportsPort ?? target.port + 1) : target.port + 1;
    return port > 65_535 ? undefined : { address: target.address, port };
  }

  private watch(nowMs: number): void {
    if (this.isStarved || nowMs - Math.max(this.lastHeardMs, this.heldMs) < this.options.starvedAfterMs) return;
    this.isStarved = true;
    this.options.listener.starved();
  }
}
