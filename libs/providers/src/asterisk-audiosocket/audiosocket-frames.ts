/** The kinds of AudioSocket frames that are not audio. */
export const frameKinds = { hangUp: 0x00, uuid: 0x01, silence: 0x02, digit: 0x03, error: 0xff } as const;

/** Audio kinds count up from 0x10 in this order. */
export const audioRates = [8000, 12_000, 16_000, 24_000, 32_000, 44_100, 48_000, 96_000, 192_000];
const firstAudioKind = 0x10;
const headerBytes = 3;

/** The rate of an audio kind; undefined for every other kind. */
export function rateOfKind(kind: number): number | undefined {
  return audioRates[kind - firstAudioKind];
}

export interface AudioSocketFrame {
  readonly kind: number;
  readonly payload: Uint8Array;
}

/** A frame as it goes over TCP: the kind, the length in network byte order, the payload. */
export function audioSocketFrame(kind: number, payload: Uint8Array = new Uint8Array(0)): Uint8Array {
  const frame = new Uint8Array(headerBytes + payload.length);
  frame[0] = kind;
  frame[1] = payload.length >> 8;
  frame[2] = payload.length & 0xff;
  frame.set(payload, headerBytes);
  return frame;
}

/** The kind that carries 16-bit PCM at a rate. */
export function audioKindOf(sampleRate: number): number {
  return firstAudioKind + Math.max(0, audioRates.indexOf(sampleRate));
}

/** Cuts a TCP stream into frames. Keeps at most one unfinished frame, which is 64 KiB at most. */
export class FrameReader {
  private rest: Uint8Array = new Uint8Array(0);

  /** The frames that these bytes complete; their payloads may be views on them. */
  push(bytes: Uint8Array): AudioSocketFrame[] {
    const all = this.rest.length === 0 ? bytes : Buffer.concat([this.rest, bytes]);
    const frames: AudioSocketFrame[] = [];
    let at = 0;
    for (;;) {
      const length = ((all[at + 1] ?? 0) << 8) | (all[at + 2] ?? 0);
      const end = at + headerBytes + length;
      if (at + headerBytes > all.length || end > all.length) break;
      frames.push({ kind: all[at] ?? 0, payload: all.subarray(at + headerBytes, end) });
      at = end;
    }
    // A copy, lest a few bytes keep a whole block of the socket in memory.
    this.rest = all.slice(at);
    return frames;
  }
}

/** A UUID as text; undefined when these are not sixteen bytes. */
export function uuidOf(bytes: Uint8Array): string | undefined {
  if (bytes.length !== 16) return undefined;
  const hex = Buffer.from(bytes).toString('hex');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
