import type { ReportBlock } from './reports';
import { sequenceDistance } from './rtp-packet';

const clockRate = 8000;
// A jump of more than this is a stream that began anew, as in RFC 3550 A.1.
const dropoutMax = 3000;

/** Counts what came of one stream, as RFC 3550 appendix A does: loss by sequence numbers, jitter by arrival. */
export class Reception {
  private first = 0;
  private highest = 0;
  private received = 0;
  private lostBefore = 0;
  private reportedExpected = 0;
  private reportedReceived = 0;
  private transit: number | undefined;
  private jitter = 0;
  private lastSenderReport = 0;
  private senderReportAtMs = 0;
  source: number | undefined;

  packet({ sequence, timestamp, source }: { sequence: number; timestamp: number; source: number }, nowMs: number): void {
    const distance = sequenceDistance(this.highest & 0xffff, sequence);
    if (source !== this.source || Math.abs(distance) > dropoutMax) this.restart(sequence, source);
    else if (distance > 0) this.highest += distance;
    this.received += 1;
    const transit = (nowMs * clockRate) / 1000 - timestamp;
    const moved = this.transit === undefined ? 0 : Math.abs(wrapped(transit - this.transit));
    // A clock that jumped is not the network's doing.
    if (moved < clockRate * 2) this.jitter += (moved - this.jitter) / 16;
    this.transit = transit;
  }

  senderReport(ntpMiddle: number, nowMs: number): void {
    this.lastSenderReport = ntpMiddle;
    this.senderReportAtMs = nowMs;
  }

  get packetsReceived(): number {
    return this.received + this.lostBefore;
  }

  /** Below zero when packets came twice. */
  get packetsLost(): number {
    return this.source === undefined ? 0 : this.expected - this.received;
  }

  get jitterMs(): number {
    return (this.jitter * 1000) / clockRate;
  }

  /** What our next report says of this stream. */
  block(nowMs: number): ReportBlock | undefined {
    if (this.source === undefined) return undefined;
    const expected = this.expected - this.reportedExpected;
    const lost = expected - (this.received - this.reportedReceived);
    this.reportedExpected = this.expected;
    this.reportedReceived = this.received;
    return {
      source: this.source,
      fractionLost: expected > 0 && lost > 0 ? Math.min(255, Math.floor((lost * 256) / expected)) : 0,
      packetsLost: this.packetsLost,
      highestSequence: this.highest >>> 0,
      jitter: Math.round(this.jitter),
      lastSenderReport: this.lastSenderReport,
      delaySinceLast: this.lastSenderReport === 0 ? 0 : Math.round(((nowMs - this.senderReportAtMs) * 65_536) / 1000),
    };
  }

  private get expected(): number {
    return this.highest - this.first + 1;
  }

  private restart(sequence: number, source: number): void {
    this.lostBefore += this.received;
    this.source = source;
    this.first = this.highest = sequence;
    this.received = this.reportedExpected = this.reportedReceived = 0;
    this.transit = undefined;
  }
}

function wrapped(difference: number): number {
  const modulus = 0x1_0000_0000;
  return difference - modulus * Math.round(difference / modulus);
}
