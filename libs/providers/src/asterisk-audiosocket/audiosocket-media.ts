import { bytesOfMs, type MediaCapabilities, type MediaFormat, type MediaProtocol, type WireMessage } from '@parley/ports';
import { CallLine, type ChunkLimits, type Dialect, digitOf, type DialectEvent } from '../carrier-media';

const narrow = { encoding: 'pcm16', sampleRate: 8000 } as const;

function chunkOf(format: MediaFormat): ChunkLimits {
  const frame = bytesOfMs(format, 20);
  return { bytesMin: frame, bytesMultiple: frame, bytesMax: frame };
}

/**
 * An AudioSocket of Asterisk. Written audio cannot be cleared, so at most 60 ms are written ahead, and an interruption just stops writing.
 */
export const audioSocketMediaCapabilities: MediaCapabilities = {
  formats: [narrow, { encoding: 'pcm16', sampleRate: 16_000 }, { encoding: 'pcm16', sampleRate: 24_000 }],
  frameMs: 20,
  chunk: chunkOf(narrow),
  marks: 'clock',
  clears: 'adapter',
  aheadMsMax: 60,
  leadMs: 60,
  digitsIn: true,
  digitsOut: 'tone',
  hangUpEndsCall: true,
};

/**
 * AudioSocket: 16-bit PCM in frames over TCP. An incoming frame is a view of what the socket read, unless TCP split it (one copy); an
 * outgoing one is copied once, after its header of three bytes.
 */
class AudioSocketDialect implements Dialect {
  readonly capabilities = audioSocketMediaCapabilities;
  readonly saysStop = false;
  readonly chunkOf = chunkOf;
  private readonly frames = new FrameReader();
  private uuid: string | undefined;
  private sampleRate: number | undefined;

  read(message: WireMessage): readonly DialectEvent[] {
    if (typeof message === 'string') return [{ kind: 'lost-track', message: 'an AudioSocket carries no text' }];
    return this.frames.push(message).flatMap((frame) => this.frame(frame));
  }

  /** Asterisk sends nothing while there is no sound; the rate of its AudioSocket application is then assumed. */
  presumedStart(): readonly DialectEvent[] {
    return this.uuid === undefined ? [] : this.startAt(narrow.sampleRate);
  }

  audio(bytes: Uint8Array): Uint8Array {
    return audioSocketFrame(audioKindOf(this.sampleRate ?? narrow.sampleRate), bytes);
  }

  hangUp(): Uint8Array {
    return audioSocketFrame(frameKinds.hangUp);
  }

  private frame({ kind, payload }: AudioSocketFrame): DialectEvent[] {
    const rate = rateOfKind(kind);
    if (kind !== frameKinds.uuid && this.uuid === undefined) {
      return [{ kind: 'lost-track', message: 'an AudioSocket that does not begin with its UUID' }];
    }
    if (rate !== undefined) return this.audioAt(rate, payload);
    switch (kind) {
      case frameKinds.uuid:
        this.uuid ??= uuidOf(payload);
        return this.uuid === undefined ? [{ kind: 'lost-track', message: 'a UUID that is none' }] : [];
      case frameKinds.digit:
        return digitOf(String.fromCharCode(payload[0] ?? 0));
      case frameKinds.hangUp:
        return [{ kind: 'stopped', message: 'Asterisk hung up' }];
      case frameKinds.silence:
        return [];
      case frameKinds.error:
        return [{ kind: 'trouble', message: `Asterisk reports error ${payload[0] ?? 'without a code'}` }];
      default:
        // Framing is lost, so every later length would be wrong.
        return [{ kind: 'lost-track', message: `a frame of kind ${kind}, which no Asterisk sends` }];
    }
  }

  private audioAt(rate: number, bytes: Uint8Array): DialectEvent[] {
    const start = this.sampleRate === undefined ? this.startAt(rate) : [];
    if (rate === this.sampleRate) return [...start, { kind: 'audio', bytes }];
    return [{ kind: 'trouble', message: `audio at ${rate} Hz on a line of ${this.sampleRate} Hz` }];
  }

  private startAt(sampleRate: number): DialectEvent[] {
    this.sampleRate = sampleRate;
    const uuid = this.uuid ?? '';
    const format: MediaFormat = { encoding: 'pcm16', sampleRate };
    const start = { format, callId: undefined, streamId: uuid, from: undefined, to: undefined, parameters: { uuid } };
    return [{ kind: 'started', start }];
  }
}

/** Asterisk's AudioSocket, over TCP. */
export const audioSocketMedia: MediaProtocol = {
  capabilities: audioSocketMediaCapabilities,
  subprotocols: [],
  open: (options) => new CallLine(new AudioSocketDialect(), options),
};

/** The kinds of AudioSocket frames that are not audio. */
export const frameKinds = { hangUp: 0x00, uuid: 0x01, silence: 0x02, digit: 0x03, error: 0xff } as const;

/** Audio kinds count up from 0x10 in this order. */
const audioRates = [8000, 12_000, 16_000, 24_000, 32_000, 44_100, 48_000, 96_000, 192_000];
const firstAudioKind = 0x10;
const headerBytes = 3;

/** The rate of an audio kind; undefined for any other kind. */
export function rateOfKind(kind: number): number | undefined {
  return audioRates[kind - firstAudioKind];
}

interface AudioSocketFrame {
  readonly kind: number;
  readonly payload: Uint8Array;
}

/** The bytes of a frame: kind, length in network byte order, payload. */
export function audioSocketFrame(kind: number, payload: Uint8Array = new Uint8Array(0)): Uint8Array {
  const frame = new Uint8Array(headerBytes + payload.length);
  frame[0] = kind;
  frame[1] = payload.length >> 8;
  frame[2] = payload.length & 0xff;
  frame.set(payload, headerBytes);
  return frame;
}

/** The frame kind for 16-bit PCM at a rate. */
export function audioKindOf(sampleRate: number): number {
  return firstAudioKind + Math.max(0, audioRates.indexOf(sampleRate));
}

/** Splits a TCP stream into frames. Keeps at most one incomplete frame, up to 64 KiB. */
export class FrameReader {
  private rest: Uint8Array = new Uint8Array(0);

  /** The frames that these bytes complete; their payloads may be views of them. */
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
    // A copy, since a view of a few bytes would keep a whole block in memory.
    this.rest = all.slice(at);
    return frames;
  }

  /** Whether the incomplete frame may become one of this kind and length. */
  mayBecome(kind: number, payloadBytes: number): boolean {
    const header = [kind, payloadBytes >> 8, payloadBytes & 0xff];
    return this.rest.subarray(0, headerBytes).every((byte, index) => byte === header[index]);
  }
}

export const uuidBytes = 16;

/** Formats a UUID; undefined unless there are sixteen bytes. */
export function uuidOf(bytes: Uint8Array): string | undefined {
  if (bytes.length !== uuidBytes) return undefined;
  const hex = Buffer.from(bytes).toString('hex');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
