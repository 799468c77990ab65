import { bytesOfMs, type MediaCapabilities, type MediaFormat, type MediaProtocol, type WireMessage } from '@parley/ports';
import { CallLine, type ChunkLimits, type Dialect, digitOf, type Happening } from '../carrier-media';
import {
  audioKindOf,
  audioSocketFrame,
  type AudioSocketFrame,
  FrameReader,
  frameKinds,
  rateOfKind,
  uuidOf,
} from './audiosocket-frames';

const narrow = { encoding: 'pcm16', sampleRate: 8000 } as const;

function chunkOf(format: MediaFormat): ChunkLimits {
  const frame = bytesOfMs(format, 20);
  return { bytesMin: frame, bytesMultiple: frame, bytesMax: frame };
}

/**
 * An AudioSocket of Asterisk. What was written cannot be taken back, so no more than 60 ms are: barge-in is to stop writing.
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
 * AudioSocket: 16-bit PCM in frames over TCP. On its way in a frame is a view on what the socket read, unless TCP cut it in two
 * (one copy); on its way out it is copied once behind its header of three bytes.
 */
class AudioSocketDialect implements Dialect {
  readonly capabilities = audioSocketMediaCapabilities;
  readonly saysStop = false;
  readonly chunkOf = chunkOf;
  private readonly frames = new FrameReader();
  private uuid: string | undefined;
  private sampleRate: number | undefined;

  read(message: WireMessage): readonly Happening[] {
    if (typeof message === 'string') return [{ kind: 'lost-track', message: 'an AudioSocket carries no text' }];
    return this.frames.push(message).flatMap((frame) => this.frame(frame));
  }

  /** Asterisk sends nothing while it hears nothing; then the rate of its AudioSocket application is the one that there is. */
  presumedStart(): readonly Happening[] {
    return this.uuid === undefined ? [] : this.startAt(narrow.sampleRate);
  }

  audio(bytes: Uint8Array): Uint8Array {
    return audioSocketFrame(audioKindOf(this.sampleRate ?? narrow.sampleRate), bytes);
  }

  hangUp(): Uint8Array {
    return audioSocketFrame(frameKinds.hangUp);
  }

  private frame({ kind, payload }: AudioSocketFrame): Happening[] {
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
        // After a byte too many or too few every length would be a wrong one.
        return [{ kind: 'lost-track', message: `a frame of kind ${kind}, which no Asterisk sends` }];
    }
  }

  private audioAt(rate: number, bytes: Uint8Array): Happening[] {
    const start = this.sampleRate === undefined ? this.startAt(rate) : [];
    if (rate === this.sampleRate) return [...start, { kind: 'audio', bytes }];
    return [{ kind: 'trouble', message: `audio at ${rate} Hz on a line of ${this.sampleRate} Hz` }];
  }

  private startAt(sampleRate: number): Happening[] {
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
