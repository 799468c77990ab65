import type { Channel } from '@parley/messaging';
import { socketLimits } from './socket-limits';
import type { LineSignal } from './speech-line';

/** What a client says while there is no line: the last seconds of sound, and every frame up to a limit. */
export class KeptSpeech {
  private items: ({ readonly frame: Uint8Array } | { readonly signal: LineSignal })[] = [];
  private soundBytes = 0;
  private signals = 0;
  private readonly soundBytesMax: number;

  constructor(bytesPerSecond: number) {
    this.soundBytesMax = (bytesPerSecond * socketLimits.keptSoundMs) / 1_000;
  }

  sound(frame: Uint8Array): void {
    this.items.push({ frame });
    this.soundBytes += frame.byteLength;
    while (this.soundBytes > this.soundBytesMax) this.dropOldestSound();
  }

  /** False when there is no room. */
  signal(signal: LineSignal): boolean {
    if (this.signals >= socketLimits.keptFramesMax) return false;
    this.signals += 1;
    this.items.push({ signal });
    return true;
  }

  /** Says everything in the order in which it came. */
  handTo(channel: Channel<LineSignal>): void {
    for (const item of this.items.splice(0)) {
      if ('frame' in item) channel.send(item.frame);
      else channel.signal(item.signal);
    }
    this.soundBytes = 0;
    this.signals = 0;
  }

  private dropOldestSound(): void {
    const index = this.items.findIndex((item) => 'frame' in item);
    const [oldest] = this.items.splice(index, 1);
    if (oldest && 'frame' in oldest) this.soundBytes -= oldest.frame.byteLength;
  }
}
