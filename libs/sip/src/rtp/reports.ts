import { sequenceDistance } from './rtp-packet';

const everyMs = 5000;

/** Sends and receives RTCP reports: our statistics, the peer's, and the round-trip time. */
export class RtcpReports {
  packets = 0;
  /** The share of our packets lost between the peer's last two reports. */
  remoteLoss: number | undefined;
  roundTripMs: number | undefined;
  private bytes = 0;
  private dueMs: number;
  private readonly name: string;

  constructor(
    private readonly source: number,
    nowMs: number,
  ) {
    this.dueMs = nowMs + spread();
    this.name = `${source.toString(16)}@parley`;
  }

  sent(bytes: number): void {
    this.packets += 1;
    this.bytes += bytes;
  }

  isDue(nowMs: number): boolean {
    if (nowMs < this.dueMs) return false;
    this.dueMs = nowMs + spread();
    return true;
  }

  make(
    reception: ReceptionStatistics,
    { nowMs, timestamp, isGoodbye }: { nowMs: number; timestamp: number; isGoodbye: boolean },
  ): Buffer {
    const ntp = ntpOf(Date.now());
    const block = reception.block(nowMs);
    const sender = { ntpSeconds: ntp.seconds, ntpFraction: ntp.fraction, timestamp, packets: this.packets, bytes: this.bytes };
    const report = { source: this.source, ...(this.packets > 0 && { sender }), blocks: block ? [block] : [], isGoodbye };
    return formatReport(report, this.name);
  }

  receive(bytes: Buffer, reception: ReceptionStatistics, nowMs: number): void {
    const report = parseReports(bytes);
    if (!report) return;
    if (report.sender) {
      const { ntpSeconds, ntpFraction } = report.sender;
      reception.senderReport(middleOf({ seconds: ntpSeconds, fraction: ntpFraction }), nowMs);
    }
    const block = report.blocks.find(({ source }) => source === this.source);
    if (!block) return;
    this.remoteLoss = block.fractionLost / 256;
    if (block.lastSenderReport === 0) return;
    const away = (middleOf(ntpOf(Date.now())) - block.lastSenderReport - block.delaySinceLast) | 0;
    this.roundTripMs = Math.max(0, (away * 1000) / 65_536);
  }
}

/** Randomized, so that reports of many calls are not sent at the same time. */
function spread(): number {
  return everyMs * (0.5 + Math.random());
}

const clockRate = 8000;
// A larger jump means that the stream restarted (RFC 3550 A.1).
const dropoutMax = 3000;

/** Statistics of a received stream (RFC 3550 appendix A): loss by sequence numbers, jitter by arrival times. */
export class ReceptionStatistics {
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
    // A larger difference is a jump of the sender's clock, not jitter.
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

  /** Negative if packets arrived twice. */
  get packetsLost(): number {
    return this.source === undefined ? 0 : this.expected - this.received;
  }

  get jitterMs(): number {
    return (this.jitter * 1000) / clockRate;
  }

  /** The block about this stream for our next report. */
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

/** A receiver's report about a stream. */
interface ReportBlock {
  readonly source: number;
  /** In 1/256, since the last report. */
  readonly fractionLost: number;
  readonly packetsLost: number;
  readonly highestSequence: number;
  readonly jitter: number;
  readonly lastSenderReport: number;
  readonly delaySinceLast: number;
}

/** A sender's report about its stream. */
interface SenderInfo {
  readonly ntpSeconds: number;
  readonly ntpFraction: number;
  readonly timestamp: number;
  readonly packets: number;
  readonly bytes: number;
}

interface Report {
  readonly source: number;
  readonly sender?: SenderInfo;
  readonly blocks: readonly ReportBlock[];
  readonly isGoodbye: boolean;
}

const blocksMax = 31;
const ntpEpochSeconds = 2_208_988_800;

/** Parses a compound RTCP packet (RFC 3550); undefined if it is not one. Never throws. */
export function parseReports(bytes: Buffer): Report | undefined {
  let report: Report | undefined;
  for (let at = 0; at + 8 <= bytes.length;) {
    const first = bytes.readUInt8(at);
    const type = bytes.readUInt8(at + 1);
    const length = 4 * (bytes.readUInt16BE(at + 2) + 1);
    if (first >> 6 !== 2 || at + length > bytes.length) return undefined;
    const part = bytes.subarray(at, at + length);
    const read = type === 200 || type === 201 ? readReport(part, type === 200) : undefined;
    if ((type === 200 || type === 201) && !read) return undefined;
    if (read) report = read;
    if (type === 203) report = { source: part.readUInt32BE(4), blocks: [], ...report, isGoodbye: true };
    at += length;
  }
  return report;
}

/** Formats a sender's report if something was sent, otherwise a receiver's, with our CNAME. */
export function formatReport(report: Report, name: string): Buffer {
  const sender = report.sender;
  const words: number[] = [report.source];
  if (sender) words.push(sender.ntpSeconds, sender.ntpFraction, sender.timestamp, sender.packets, sender.bytes);
  for (const block of report.blocks.slice(0, blocksMax)) {
    const lost = ((block.fractionLost & 0xff) << 24) | (Math.max(-0x80_0000, Math.min(0x7f_ffff, block.packetsLost)) & 0xff_ffff);
    words.push(block.source, lost, block.highestSequence, block.jitter, block.lastSenderReport, block.delaySinceLast);
  }
  const count = Math.min(report.blocks.length, blocksMax);
  const parts = [packetOf(sender ? 200 : 201, count, wordsOf(words)), packetOf(202, 1, descriptionOf(report.source, name))];
  if (report.isGoodbye) parts.push(packetOf(203, 1, wordsOf([report.source])));
  return Buffer.concat(parts);
}

/** A moment in NTP format. */
function ntpOf(epochMs: number): { seconds: number; fraction: number } {
  const seconds = Math.floor(epochMs / 1000);
  return {
    seconds: (seconds + ntpEpochSeconds) >>> 0,
    fraction: Math.floor(((epochMs - seconds * 1000) / 1000) * 0x1_0000_0000) >>> 0,
  };
}

/** The middle 32 bits of an NTP time, by which a report refers to another. */
function middleOf(ntp: { seconds: number; fraction: number }): number {
  return (((ntp.seconds & 0xffff) << 16) | (ntp.fraction >>> 16)) >>> 0;
}

function readReport(part: Buffer, isSender: boolean): Report | undefined {
  const count = part.readUInt8(0) & 0x1f;
  const from = isSender ? 28 : 8;
  if (part.length < from + 24 * count) return undefined;
  const blocks = Array.from({ length: count }, (_, i) => readBlock(part.subarray(from + 24 * i)));
  return { source: part.readUInt32BE(4), ...(isSender && { sender: readSender(part) }), blocks, isGoodbye: false };
}

function readSender(part: Buffer): SenderInfo {
  return {
    ntpSeconds: part.readUInt32BE(8),
    ntpFraction: part.readUInt32BE(12),
    timestamp: part.readUInt32BE(16),
    packets: part.readUInt32BE(20),
    bytes: part.readUInt32BE(24),
  };
}

function readBlock(bytes: Buffer): ReportBlock {
  return {
    source: bytes.readUInt32BE(0),
    fractionLost: bytes.readUInt8(4),
    packetsLost: bytes.readIntBE(5, 3),
    highestSequence: bytes.readUInt32BE(8),
    jitter: bytes.readUInt32BE(12),
    lastSenderReport: bytes.readUInt32BE(16),
    delaySinceLast: bytes.readUInt32BE(20),
  };
}

function wordsOf(words: readonly number[]): Buffer {
  const bytes = Buffer.alloc(4 * words.length);
  words.forEach((word, i) => bytes.writeUInt32BE(word >>> 0, 4 * i));
  return bytes;
}

function packetOf(type: number, count: number, body: Buffer): Buffer {
  const head = Buffer.from([0x80 | count, type, 0, 0]);
  head.writeUInt16BE(body.length / 4, 2);
  return Buffer.concat([head, body]);
}

function descriptionOf(source: number, name: string): Buffer {
  const text = Buffer.from(name).subarray(0, 255);
  const length = 4 + 2 + text.length;
  // At least one zero byte, up to the next word boundary.
  const bytes = Buffer.alloc(length + 4 - (length % 4));
  bytes.writeUInt32BE(source >>> 0, 0);
  bytes.writeUInt8(1, 4);
  bytes.writeUInt8(text.length, 5);
  text.copy(bytes, 6);
  return bytes;
}
