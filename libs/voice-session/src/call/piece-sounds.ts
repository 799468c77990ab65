import { Fault } from '@parley/contracts';
import type { SpeechBlock } from '@parley/ports';
import type { SessionAction, Slice } from '../session/actions';
import type { UntimedEvent } from '../session/events';
import { joinSlices, PieceSound, soundHash } from './piece-sound';
import type { Mouth } from './surroundings';

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

  private async follow({ piece, text, language }: Speak, sound: PieceSound): Promise<void> {
    const { signal } = sound.stop;
    try {
      for await (const block of this.mouth.speak({ text, language, signal })) {
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
