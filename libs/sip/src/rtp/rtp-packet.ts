/** A packet of sound or of a digit. The payload is a view of the received bytes. */
export interface RtpPacket {
  readonly payloadType: number;
  readonly marker: boolean;
  readonly sequence: number;
  readonly timestamp: number;
  readonly source: number;
  readonly payload: Buffer;
}

const headerBytes = 12;
const packetBytesMax = 1500;

/** The codecs on the wire. */
export type G711 = 'PCMU' | 'PCMA';

const payloadTypes: Readonly<Record<G711, number>> = { PCMU: 0, PCMA: 8 };

/** The static payload type of a codec. */
export function payloadTypeOf(codec: G711): number {
  return payloadTypes[codec];
}

/** Parses a datagram; undefined if it is not RTP version 2. Header extensions and padding are skipped. Never throws. */
export function parseRtp(bytes: Buffer): RtpPacket | undefined {
  if (bytes.length < headerBytes || bytes.length > packetBytesMax) return undefined;
  const first = bytes.readUInt8(0);
  const second = bytes.readUInt8(1);
  // 200 to 204 are reports sent to the wrong port.
  if (first >> 6 !== 2 || (second >= 200 && second <= 204)) return undefined;
  let from = headerBytes + 4 * (first & 0x0f);
  if ((first & 0x10) !== 0) {
    if (from + 4 > bytes.length) return undefined;
    from += 4 + 4 * bytes.readUInt16BE(from + 2);
  }
  const padding = (first & 0x20) === 0 ? 0 : bytes.readUInt8(bytes.length - 1);
  const to = bytes.length - padding;
  if (from > to || ((first & 0x20) !== 0 && padding === 0)) return undefined;
  return {
    payloadType: second & 0x7f,
    marker: (second & 0x80) !== 0,
    sequence: bytes.readUInt16BE(2),
    timestamp: bytes.readUInt32BE(4),
    source: bytes.readUInt32BE(8),
    payload: bytes.subarray(from, to),
  };
}

/** The bytes of a packet, newly allocated, since the system may still be sending one when the next is created. */
export function formatRtp(packet: Omit<RtpPacket, 'payload'>, payload: Uint8Array): Buffer {
  const bytes = Buffer.allocUnsafe(headerBytes + payload.length);
  bytes.writeUInt8(0x80, 0);
  bytes.writeUInt8((packet.marker ? 0x80 : 0) | packet.payloadType, 1);
  bytes.writeUInt16BE(packet.sequence, 2);
  bytes.writeUInt32BE(packet.timestamp >>> 0, 4);
  bytes.writeUInt32BE(packet.source >>> 0, 8);
  bytes.set(payload, headerBytes);
  return bytes;
}

/** The signed distance between 16-bit sequence numbers, modulo wrap-around; negative if the second is earlier. */
export function sequenceDistance(from: number, to: number): number {
  return ((to - from) << 16) >> 16;
}

/** The same for timestamps of 32 bits. */
export function timestampDistance(from: number, to: number): number {
  return (to - from) | 0;
}

const keys = '0123456789*#ABCD';
const samplesPerTick = 160;
const pressTicks = 5;
const endings = 3;
const pauseTicks = 4;
const waitTicks = 25;
const waitingMax = 128;
const volume = 10;
const pressable = /^[0-9*#A-Dw]+$/;

/** Receives RFC 4733 digits. Each is reported once, at its first packet to arrive. */
export class DigitReceiver {
  private last: { source: number; timestamp: number } | undefined;

  push({ payload, source, timestamp }: RtpPacket): string | undefined {
    if (payload.length < 4) return undefined;
    const { last } = this;
    // All packets of a press have the same timestamp, and an older one is a late repetition.
    if (last?.source === source && timestampDistance(last.timestamp, timestamp) <= 0) return undefined;
    this.last = { source, timestamp };
    return keys[payload.readUInt8(0)];
  }
}

interface DigitPacket {
  readonly payload: Uint8Array;
  /** When the press began. All its packets must have this timestamp, or the peer would see another press. */
  readonly timestamp: number;
  readonly isFirst: boolean;
}

/** Sends keys one after the other, 100 ms each with a pause, the end packet three times; `w` waits for half a second. */
export class DigitSender {
  private readonly waiting: string[] = [];
  private ticks = 0;
  private pressedAt = 0;

  /** False if there are too many, or one is not a key. */
  press(digits: string): boolean {
    if (this.waiting.length + digits.length > waitingMax || !pressable.test(digits)) return false;
    this.waiting.push(...digits);
    return true;
  }

  get isPressing(): boolean {
    return this.waiting.length > 0;
  }

  /** The packets for this tick, which replace sound; none in the pause between two keys. */
  next(timestamp: number): DigitPacket[] {
    const key = this.waiting[0];
    if (key === undefined) return [];
    const tick = this.ticks++;
    if (tick === 0) this.pressedAt = timestamp;
    if (key === 'w') {
      if (tick >= waitTicks) this.release();
      return [];
    }
    if (tick < pressTicks) return [this.packet(key, tick)];
    if (tick === pressTicks) return Array.from({ length: endings }, () => this.packet(key, tick, true));
    if (tick >= pressTicks + pauseTicks) this.release();
    return [];
  }

  clear(): void {
    // A key that has begun is still finished.
    this.waiting.splice(this.ticks === 0 ? 0 : 1);
  }

  private release(): void {
    this.waiting.shift();
    this.ticks = 0;
  }

  private packet(key: string, tick: number, isEnd = false): DigitPacket {
    const duration = samplesPerTick * Math.max(1, isEnd ? tick : tick + 1);
    const payload = Uint8Array.from([keys.indexOf(key), (isEnd ? 0x80 : 0) | volume, duration >> 8, duration & 0xff]);
    return { payload, timestamp: this.pressedAt, isFirst: tick === 0 };
  }
}
