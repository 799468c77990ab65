import { aLaw, muLaw } from '@parley/audio';
import { type G711, type RtpPacket, sequenceDistance, timestampDistance } from './rtp-packet';

export interface ReceivedFrame {
  readonly payload: Uint8Array;
  /** Whether it was generated here for packets that did not arrive in time. */
  readonly isConcealed: boolean;
  /** Whether it is only silence that keeps the time. */
  readonly isFiller?: boolean;
}

const samplesPerMs = 8;
const frameSamples = 160;
const frameMs = 20;
const heldMax = 32;
// A larger jump of the timestamp means another stream.
const gapSamplesMax = 5000 * samplesPerMs;
// Gaps are filled for this long, in case the peer uses silence suppression; after that it counts as silent.
const filledMsMax = 5000;
const silenceFilledMax = 1000 * samplesPerMs;
const patienceMs = { min: 60, max: 200, step: 20 } as const;
// After this many consecutive late packets the sender's clock is assumed to have fallen behind for good, and packets are timed by it.
const lateInARowMax = 3;

/**
 * Orders packets without adding delay: packets in order pass at once, and only those after a gap wait. Packets that do not arrive in
 * time are concealed, so that the receiver gets 50 frames a second and a correct timeline. The wait grows if packets arrive later.
 */
export class JitterBuffer {
  private readonly held = new Map<number, { packet: RtpPacket; atMs: number }>();
  private readonly concealment: Concealment;
  private source: number | undefined;
  private expected = 0;
  private dueMs = 0;
  private lastPacketMs = 0;
  private lastSequence = 0;
  private lateInARow = 0;
  private patience: number = patienceMs.min;
  /** The number of packets that arrived after their gap had been filled. */
  late = 0;
  concealedSamples = 0;

  constructor(
    private readonly codec: G711,
    private readonly hear: (sound: ReceivedFrame) => void,
  ) {
    this.concealment = new Concealment(codec);
  }

  push(packet: RtpPacket, nowMs: number): void {
    if (packet.payload.length === 0) return;
    this.lastPacketMs = nowMs;
    if (packet.source !== this.source) this.startAt(packet);
    const ahead = timestampDistance(this.expected, packet.timestamp);
    if (Math.abs(ahead) > gapSamplesMax) {
      this.startAt(packet);
      this.release(packet, nowMs);
    } else if (ahead < 0) this.takeLate(packet, nowMs);
    else if (ahead === 0) this.release(packet, nowMs);
    else if (sequenceDistance(this.lastSequence, packet.sequence) === 1) this.afterPause(packet, ahead, nowMs);
    else this.hold(packet, nowMs);
    this.releaseHeld();
  }

  /** A packet of digits replaced this packet of sound, so it is not missing. */
  passed(sequence: number): void {
    if (sequenceDistance(this.lastSequence, sequence) > 0) this.lastSequence = sequence;
  }

  /** Called every 20 ms: fills what is overdue, for five seconds after the last packet. */
  tick(nowMs: number): void {
    if (this.source === undefined || nowMs - this.lastPacketMs > filledMsMax) return;
    for (let filled = 0; nowMs - this.dueMs > this.patience && filled < 10; filled++) {
      this.conceal(Math.min(frameSamples, this.untilHeld()));
      this.dueMs += frameMs;
      this.releaseHeld();
    }
    // After a longer sleep of the process only as much is filled; the rest of the gap is dropped.
    if (nowMs - this.dueMs > this.patience) this.dueMs = nowMs - this.patience;
  }

  /** Forgets the stream, because after a hold another one may begin at any position. */
  reset(): void {
    this.source = undefined;
    this.held.clear();
  }

  private startAt(packet: RtpPacket): void {
    this.held.clear();
    this.source = packet.source;
    this.expected = packet.timestamp;
    this.lastSequence = (packet.sequence - 1) & 0xffff;
    this.lateInARow = 0;
  }

  private release({ payload, sequence }: RtpPacket, atMs: number): void {
    this.expected = (this.expected + payload.length) >>> 0;
    this.dueMs = atMs + payload.length / samplesPerMs;
    this.lastSequence = sequence;
    this.lateInARow = 0;
    this.concealment.heard(payload);
    this.hear({ payload, isConcealed: false });
  }

  private releaseHeld(): void {
    for (let next = this.held.get(this.expected); next; next = this.held.get(this.expected)) {
      this.held.delete(this.expected);
      this.release(next.packet, next.atMs);
    }
  }

  private hold(packet: RtpPacket, nowMs: number): void {
    this.held.set(packet.timestamp, { packet, atMs: nowMs });
    if (this.held.size > heldMax) this.conceal(this.untilHeld());
  }

  /** The sender paused on purpose: sequence numbers continue, but the timestamp has jumped. */
  private afterPause(packet: RtpPacket, ahead: number, nowMs: number): void {
    const samples = Math.min(ahead, silenceFilledMax);
    this.hear({ payload: silence(this.codec, samples), isConcealed: true, isFiller: true });
    this.expected = packet.timestamp;
    this.release(packet, nowMs);
  }

  private takeLate(packet: RtpPacket, nowMs: number): void {
    this.late += 1;
    if (sequenceDistance(this.lastSequence, packet.sequence) <= 0) return;
    this.lastSequence = packet.sequence;
    this.lateInARow += 1;
    this.patience = Math.min(patienceMs.max, this.patience + patienceMs.step);
    if (this.lateInARow < lateInARowMax) return;
    this.startAt(packet);
    this.release(packet, nowMs);
  }

  private conceal(samples: number): void {
    this.concealedSamples += samples;
    this.expected = (this.expected + samples) >>> 0;
    const isFiller = this.concealment.isFaded;
    this.hear({ payload: this.concealment.conceal(samples), isConcealed: true, isFiller });
    for (const timestamp of this.held.keys()) if (timestampDistance(this.expected, timestamp) < 0) this.held.delete(timestamp);
  }

  private untilHeld(): number {
    const distances = [...this.held.keys()].map((timestamp) => timestampDistance(this.expected, timestamp));
    return distances.length === 0 ? frameSamples : Math.min(...distances);
  }
}

const companding = { PCMU: muLaw, PCMA: aLaw } as const;
const silent = { PCMU: 0xff, PCMA: 0xd5 } as const;
const historySamples = 480;
// The pitch of voices on a telephone line is between 66 and 200 Hz.
const lagMin = 40;
const lagMax = 120;
// Unchanged for 10 ms, then fading to silence at 60 ms, since a sustained tone is worse than a gap.
const steadySamples = 80;
const fadedSamples = 480;

/** Replaces lost sound by the fading repetition of the last pitch period, as G.711 appendix I without overlap. */
export class Concealment {
  private recent: Uint8Array[] = [];
  private period: Int16Array | undefined;
  private made = 0;

  constructor(private readonly codec: G711) {}

  /** Notes received sound, which is decoded only if something is missing. */
  heard(payload: Uint8Array): void {
    this.recent.push(payload);
    if (this.recent.length > Math.ceil(historySamples / Math.max(1, payload.length))) this.recent.shift();
    this.period = undefined;
    this.made = 0;
  }

  /** Whether the repetition has faded to silence. */
  get isFaded(): boolean {
    return this.made >= fadedSamples;
  }

  /** Generates a replacement for missing samples. */
  conceal(samples: number): Uint8Array {
    if (this.isFaded) return silence(this.codec, samples);
    this.period ??= this.lastPeriod();
    const { period } = this;
    if (period.length === 0) return silence(this.codec, samples);
    const filled = new Int16Array(samples);
    for (let i = 0; i < samples; i++) {
      const at = this.made + i;
      const gain = Math.max(0, Math.min(1, (fadedSamples - at) / (fadedSamples - steadySamples)));
      filled[i] = Math.round((period[at % period.length] ?? 0) * gain);
    }
    this.made += samples;
    return companding[this.codec].encode(filled);
  }

  private lastPeriod(): Int16Array {
    const history = companding[this.codec].decode(Buffer.concat(this.recent)).subarray(-historySamples);
    if (history.length < frameSamples + lagMax) return history.slice(-frameSamples);
    return history.slice(history.length - lagOf(history));
  }
}

/** Transcodes sound. */
export function recoded(sound: Uint8Array, from: G711, to: G711): Uint8Array {
  return from === to ? sound : companding[to].encode(companding[from].decode(sound));
}

/** Encoded silence. */
export function silence(codec: G711, samples: number): Uint8Array {
  return new Uint8Array(samples).fill(silent[codec]);
}

/** The lag at which the end of the history best matches its earlier part. */
function lagOf(history: Int16Array): number {
  const from = history.length - frameSamples;
  let best = lagMax;
  let bestLikeness = 0;
  for (let lag = lagMin; lag <= lagMax; lag++) {
    let product = 0;
    let energy = 1;
    for (let i = from; i < history.length; i += 2) {
      const before = history[i - lag] ?? 0;
      product += (history[i] ?? 0) * before;
      energy += before * before;
    }
    const likeness = product / Math.sqrt(energy);
    if (likeness > bestLikeness) [best, bestLikeness] = [lag, likeness];
  }
  return best;
}
