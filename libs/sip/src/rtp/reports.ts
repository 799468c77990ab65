/** What a receiver tells about the stream it gets. */
export interface ReportBlock {
  readonly source: number;
  /** Of 256, since the last report. */
  readonly fractionLost: number;
  readonly packetsLost: number;
  readonly highestSequence: number;
  readonly jitter: number;
  readonly lastSenderReport: number;
  readonly delaySinceLast: number;
}

/** What a sender tells about the stream it sends. */
export interface SenderInfo {
  readonly ntpSeconds: number;
  readonly ntpFraction: number;
  readonly timestamp: number;
  readonly packets: number;
  readonly bytes: number;
}

export interface Report {
  readonly source: number;
  readonly sender?: SenderInfo;
  readonly blocks: readonly ReportBlock[];
  readonly isGoodbye: boolean;
}

const blocksMax = 31;
const ntpEpochSeconds = 2_208_988_800;

/** Reads a compound packet of RFC 3550; nothing when it is none. Never throws. */
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

/** A sender's report where something was sent, otherwise a receiver's; with the name that joins our streams. */
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

/** A moment as reports write it. */
export function ntpOf(epochMs: number): { seconds: number; fraction: number } {
  const seconds = Math.floor(epochMs / 1000);
  return {
    seconds: (seconds + ntpEpochSeconds) >>> 0,
    fraction: Math.floor(((epochMs - seconds * 1000) / 1000) * 0x1_0000_0000) >>> 0,
  };
}

/** The middle 32 bits of such a moment, by which a report names another. */
export function middleOf(ntp: { seconds: number; fraction: number }): number {
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
  // An end of at least one zero byte, up to the next word.
  const bytes = Buffer.alloc(length + 4 - (length % 4));
  bytes.writeUInt32BE(source >>> 0, 0);
  bytes.writeUInt8(1, 4);
  bytes.writeUInt8(text.length, 5);
  text.copy(bytes, 6);
  return bytes;
}
