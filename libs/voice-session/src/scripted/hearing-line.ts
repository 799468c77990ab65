import { joinSamples } from '@parley/audio';
import type { ServerFrame } from '@parley/contracts';
import type { Clock, Line } from '../call/surroundings';

interface Script {
  readonly sampleRate: number;
  readonly hasMarks?: boolean;
  /** How long a mark and its sound take to the ear and back. */
  readonly markMs?: number;
}

/** A fake line with a listener at its end: plays in real time what is handed over, and drops the rest when it is cleared. */
export class HearingLine implements Line {
  readonly frames: ServerFrame[] = [];
  readonly transfers: string[] = [];
  endedBecause: string | undefined;
  readonly hasMarks: boolean;
  /** The whole call as it was heard, from the clock's zero on. */
  private readonly blocks: Int16Array[] = [];
  private untilMs = 0;
  onMark: (name: string) => void = () => undefined;

  constructor(
    private readonly clock: Clock,
    private readonly script: Script,
  ) {
    this.hasMarks = script.hasMarks ?? false;
  }

  play(samples: Int16Array): void {
    const gapMs = this.clock.now() - this.untilMs;
    if (gapMs > 0) this.append(new Int16Array(Math.round((gapMs * this.script.sampleRate) / 1000)));
    this.append(samples.slice());
  }

  clear(): void {
    const heard = this.heard();
    this.blocks.splice(0, this.blocks.length, heard);
    this.untilMs = (heard.length * 1000) / this.script.sampleRate;
  }

  mark(name: string): void {
    const forget = this.clock.wakeAt(Math.max(this.untilMs, this.clock.now()) + (this.script.markMs ?? 0), () => {
      forget();
      this.onMark(name);
    });
  }

  tell(frame: ServerFrame): void {
    this.frames.push(frame);
  }

  transfer(to: string): void {
    this.transfers.push(to);
  }

  end(reason: string): void {
    this.endedBecause = reason;
  }

  /** Everything that the listener has heard until now. */
  heard(): Int16Array {
    const samples = Math.round((this.clock.now() * this.script.sampleRate) / 1000);
    return joinSamples(this.blocks).slice(0, samples);
  }

  told<Type extends ServerFrame['type']>(type: Type): Extract<ServerFrame, { type: Type }>[] {
    return this.frames.filter((frame): frame is Extract<ServerFrame, { type: Type }> => frame.type === type);
  }

  private append(samples: Int16Array): void {
    this.blocks.push(samples);
    this.untilMs += (samples.length * 1000) / this.script.sampleRate;
  }
}
