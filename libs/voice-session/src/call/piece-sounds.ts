import { joinSamples, Resampler } from '@parley/audio';
import { Fault } from '@parley/contracts';
import type { SpeechBlock } from '@parley/ports';
import type { UntimedEvent, SessionAction, Slice } from '../session/events';
import type { Mouth } from './surroundings';

/** No sentence takes longer to say; a voice that goes on is stopped. */
const pieceSecondsMax = 60;

type Speak = Extract<SessionAction, { kind: 'speak' }>;

interface Listener {
  readonly sampleRate: number;
  /** Hashes cost time and are wanted only where events are logged. */
  readonly isHashed: boolean;
  tell(event: UntimedEvent): void;
}

/** The sentences that the voice was asked for, and their sound. */
export class PieceSounds {
  private readonly sounds = new Map<number, PieceSound>();

  constructor(
    private readonly mouth: Mouth,
    private readonly listener: Listener,
  ) {}

  speak(speak: Speak): void {
    const sound = new PieceSound(this.listener.sampleRate);
    this.sounds.set(speak.piece, sound);
    void this.follow(speak, sound);
  }

  forget(piece: number): void {
    this.sounds.get(piece)?.close();
    this.sounds.delete(piece);
  }

  join(slices: readonly Slice[], padding: number): Int16Array {
    return joinSlices(this.sounds, slices, padding);
  }

  close(): void {
    for (const piece of [...this.sounds.keys()]) this.forget(piece);
  }

  private async follow({ piece, text, language, isFirst }: Speak, sound: PieceSound): Promise<void> {
    const { signal } = sound.stop;
    try {
      for await (const block of this.mouth.speak({ text, language, isFirst, signal })) {
        if (signal.aborted) return;
        const isRoom = await this.keep(piece, sound, block);
        if (signal.aborted) return;
        if (!isRoom) break;
      }
      if (signal.aborted) return;
      this.told(piece, sound.flush());
      this.listener.tell({ kind: 'sound-ended', piece });
    } catch (failure) {
      if (signal.aborted) return;
      const { code, message } = failure instanceof Fault ? failure : new Fault('SPEECH_PROVIDER_UNAVAILABLE');
      this.listener.tell({ kind: 'sound-failed', piece, code, message });
    }
  }

  private async keep(piece: number, sound: PieceSound, block: SpeechBlock): Promise<boolean> {
    const samples = sound.take(block) ?? (await sound.takeAtNewRate(block));
    if (sound.stop.signal.aborted) return false;
    this.told(piece, samples, block.words);
    return sound.hasRoom;
  }

  private told(piece: number, samples: Int16Array, words?: SpeechBlock['words']): void {
    if (samples.length === 0 && !words) return;
    const hash = this.listener.isHashed ? { hash: soundHash(samples) } : {};
    this.listener.tell({ kind: 'sound', piece, samples: samples.length, ...(words && { words }), ...hash });
  }
}

/** The sound of one sentence at the rate of the line, kept until nobody can want it again. */
class PieceSound {
  readonly stop = new AbortController();
  private readonly blocks: Int16Array[] = [];
  private samples = 0;
  private resampler: Resampler | undefined;

  constructor(private readonly sampleRate: number) {}

  get hasRoom(): boolean {
    return this.samples < pieceSecondsMax * this.sampleRate;
  }

  /** The block as the line takes it; undefined when it comes at a rate that has not come before. */
  take({ samples, sampleRate }: SpeechBlock): Int16Array | undefined {
    if (sampleRate === this.sampleRate) return this.keep(samples);
    return this.resampler?.fromRate === sampleRate ? this.keep(this.resampler.push(samples)) : undefined;
  }

  async takeAtNewRate({ samples, sampleRate }: SpeechBlock): Promise<Int16Array> {
    this.resampler?.close();
    this.resampler = await Resampler.create(sampleRate, this.sampleRate);
    if (!this.stop.signal.aborted) return this.keep(this.resampler.push(samples));
    this.resampler.close();
    return new Int16Array(0);
  }

  /** What the filter still held back. */
  flush(): Int16Array {
    const rest = this.resampler?.flush() ?? new Int16Array(0);
    this.resampler?.close();
    this.resampler = undefined;
    return this.keep(rest);
  }

  /** A stretch of it. What was not made is silence, which keeps the line's count true. */
  cut({ from, samples }: Slice): Int16Array {
    const out = new Int16Array(samples);
    let at = 0;
    for (const block of this.blocks) {
      const start = Math.max(from, at);
      const end = Math.min(from + samples, at + block.length);
      if (end > start) out.set(block.subarray(start - at, end - at), start - from);
      at += block.length;
      if (at >= from + samples) break;
    }
    return out;
  }

  close(): void {
    this.stop.abort();
    this.resampler?.close();
    this.resampler = undefined;
    this.blocks.length = 0;
  }

  private keep(samples: Int16Array): Int16Array {
    if (samples.length > 0) this.blocks.push(samples);
    this.samples += samples.length;
    return samples;
  }
}

/** One block of sound for the line: stretches of sentences, and silence to fill the last frame. */
function joinSlices(sounds: ReadonlyMap<number, PieceSound>, slices: readonly Slice[], padding: number): Int16Array {
  const parts = slices.map((slice) => sounds.get(slice.piece)?.cut(slice) ?? new Int16Array(slice.samples));
  const [only] = parts;
  if (parts.length === 1 && padding === 0 && only) return only;
  return joinSamples([...parts, new Int16Array(padding)]);
}

/** FNV-1a over the samples: enough to see whether a voice said the same thing twice. */
function soundHash(samples: Int16Array): string {
  let hash = 0x811c9dc5;
  for (const sample of samples) hash = Math.imul(hash ^ (sample & 0xffff), 0x01000193);
  return (hash >>> 0).toString(16).padStart(8, '0');
}
