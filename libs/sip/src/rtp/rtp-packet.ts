/** One packet of sound, or of a digit. The payload is a view on what was received. */
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

/** What a sound is packed as on the wire. */
export type G711 = 'PCMU' | 'PCMA';

const payloadTypes: Readonly<Record<G711, number>> = { PCMU: 0, PCMA: 8 };

/** The payload type that a codec has in every description. */
export function payloadTypeOf(codec: G711): number {
  return payloadTypes[codec];
}

/** Reads a datagram; nothing when it is no RTP of version 2. Header extensions and padding are left out. Never throws. */
export function parseRtp(bytes: Buffer): RtpPacket | undefined {
  if (bytes.length < headerBytes || bytes.length > packetBytesMax) return undefined;
  const first = bytes.readUInt8(0);
  const second = bytes.readUInt8(1);
  // 200 to 204 are reports that came to the wrong port.
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

/** The bytes of a packet, in memory of its own: the system may still be sending it when the next one is made. */
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

/** How far one 16-bit sequence number lies behind another, the short way round: negative when it lies before. */
export function sequenceDistance(from: number, to: number): number {
  return ((to - from) << 16) >> 16;
}

/** The same for timestamps of 32 bits. */
export function timestampDistance(from: number, to: number): number {
  return (to - from) | 0;
}
