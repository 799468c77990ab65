import { aLaw, muLaw } from '@parley/audio';
import { type G711, type RtpPacket, sequenceDistance, timestampDistance } from './rtp-packet';

export interface ReceivedFrame {
  readonly payload: Uint8Array;
  /** Made by us for what did not come in time. */
  readonly isConcealed: boolean;
  /** Nothing but silence that keeps the time: no sound of the speaker is in it. */
  readonly isFiller?: boolean;
}

const samplesPerMs = 8;
const frameSamples = 160;
const frameMs = 20;
const heldMax = 32;
// Beyond this a timestamp is not a gap but another stream.
const gapSamplesMax = 5000 * samplesPerMs;
// A peer with silence suppression sends nothing for a while; after this long it has no sound at all.
const filledMsMax = 5000;
const silenceFilledMax = 1000 * samplesPerMs;
const patienceMs = { min: 60, max: 200, step: 20 } as const;
// What the sender's clock lost for good is not waited for: after so many late packets in a row theirs is the time.
const lateInARowMax = 3;

/**
 * Orders packets without adding delay: packets in order pass at once, and only those after a gap wait. Packets that do not come
 * within the wait are concealed, so that the receiver gets 50 frames a second and a true timeline; the wait grows when packets
 * come later than that.
 */
export class JitterBuffer {
  private readonly held = new Map<number, { packet: RtpPacket; atMs: number }>();
  private readonly concealment: Concealment;
  private source: number | undefined;
  private expected = 0;
  private dueMs = 0;
  private lastCameMs = 0;
  private lastSequence = 0;
  private lateInARow = 0;
  private patience: number = patienceMs.min;
  /** Packets that came after their place had been filled. */
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
    this.lastCameMs = nowMs;
    if (packet.source !== this.source) this.startAt(packet);
    const ahead = timestampDistance(this.expected, packet.timestamp);
    if (Math.abs(ahead) > gapSamplesMax) {
      this.startAt(packet);
      this.release(packet, nowMs);
    } else if (ahead < 0) this.cameLate(packet, nowMs);
    else if (ahead === 0) this.release(packet, nowMs);
    else if (sequenceDistance(this.lastSequence, packet.sequence) === 1) this.afterPause(packet, ahead, nowMs);
    else this.hold(packet, nowMs);
    this.releaseHeld();
  }

  /** A packet of digits came in the place of sound: nothing is missing there. */
  passed(sequence: number): void {
    if (sequenceDistance(this.lastSequence, sequence) > 0) this.lastSequence = sequence;
  }

  /** Called every 20 ms: fills what is overdue, for five seconds after the last packet. */
  tick(nowMs: number): void {
    if (this.source === undefined || nowMs - this.lastCameMs > filledMsMax) return;
    for (let filled = 0; nowMs - this.dueMs > this.patience && filled < 10; filled++) {
      this.conceal(Math.min(frameSamples, this.untilHeld()));
      this.dueMs += frameMs;
      this.releaseHeld();
    }
    // Asleep for longer than that: the rest is not made up for.
    if (nowMs - this.dueMs > this.patience) this.dueMs = nowMs - this.patience;
  }

  /** Forgets the stream: after a hold another one may begin anywhere. */
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

  /** The sender was silent on purpose: its sequence continues, its timestamp jumped. */
  private afterPause(packet: RtpPacket, ahead: number, nowMs: number): void {
    const samples = Math.min(ahead, silenceFilledMax);
    this.hear({ payload: silence(this.codec, samples), isConcealed: true, isFiller: true });
    this.expected = packet.timestamp;
    this.release(packet, nowMs);
  }

  private cameLate(packet: RtpPacket, nowMs: number): void {
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
// Voices have their pitch between 66 and 200 Hz for what a telephone line carries of them.
const lagMin = 40;
const lagMax = 120;
// Repeats unchanged for 10 ms, then fades to silence at 60 ms: a held tone is worse than a gap.
const steadySamples = 80;
const fadedSamples = 480;

/** Fills what the network lost with the speaker's last pitch period, fading; as G.711 appendix I does, without its overlaps. */
export class Concealment {
  private recent: Uint8Array[] = [];
  private period: Int16Array | undefined;
  private made = 0;

  constructor(private readonly codec: G711) {}

  /** Sound that really came. It is kept by reference and decoded only when something is missing. */
  heard(payload: Uint8Array): void {
    this.recent.push(payload);
    if (this.recent.length > Math.ceil(historySamples / Math.max(1, payload.length))) this.recent.shift();
    this.period = undefined;
    this.made = 0;
  }

  /** Whether nothing is left of the speaker's sound: what comes now is silence. */
  get isFaded(): boolean {
    return this.made >= fadedSamples;
  }

  /** Samples that replace missing ones. */
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

/** Sound of one codec as another writes it. */
export function recoded(sound: Uint8Array, from: G711, to: G711): Uint8Array {
  return from === to ? sound : companding[to].encode(companding[from].decode(sound));
}

/** Silence as a codec writes it. */
export function silence(codec: G711, samples: number): Uint8Array {
  return new Uint8Array(samples).fill(silent[codec]);
}

/** The lag at which the end of the history best matches what came before. */
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
