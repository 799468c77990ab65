const windowMs = 20;
const lowestHz = 400;
const highestHz = 2_100;
const stepHz = 50;
/** How much of a window's energy one tone must hold: a voice spreads it over its harmonics. */
const purityMin = 0.75;
const loudnessMin = 500;
const windowsMin = 7;

/** Hears the tone after which a mailbox records: one frequency, pure and steady for a seventh of a second. */
export class BeepDetector {
  private readonly size: number;
  private rest = new Int16Array();
  private lastHz = 0;
  private windows = 0;

  constructor(private readonly sampleRate: number) {
    this.size = (sampleRate * windowMs) / 1000;
  }

  /** Whether a tone has stood long enough in what was heard so far. It is told once, when it does. */
  hear(samples: Int16Array): boolean {
    const all = new Int16Array(this.rest.length + samples.length);
    all.set(this.rest);
    all.set(samples, this.rest.length);
    let isHeard = false;
    let at = 0;
    for (; at + this.size <= all.length; at += this.size) isHeard = this.look(all.subarray(at, at + this.size)) || isHeard;
    this.rest = all.slice(at);
    return isHeard;
  }

  private look(window: Int16Array): boolean {
    const hz = this.toneOf(window);
    const isSame = hz > 0 && Math.abs(hz - this.lastHz) <= stepHz;
    this.windows = hz === 0 ? 0 : isSame ? this.windows + 1 : 1;
    this.lastHz = hz;
    return this.windows === windowsMin;
  }

  /** The frequency that holds nearly all of the energy; 0 where none does. */
  private toneOf(window: Int16Array): number {
    let energy = 0;
    for (const sample of window) energy += sample * sample;
    if (energy / window.length < loudnessMin * loudnessMin) return 0;
    let best = { hz: 0, power: 0 };
    for (let hz = lowestHz; hz <= highestHz; hz += stepHz) {
      const power = this.powerAt(window, hz);
      if (power > best.power) best = { hz, power };
    }
    // A pure tone has a power of half the square of the window's size times its energy.
    return (2 * best.power) / (energy * window.length) >= purityMin ? best.hz : 0;
  }

  /** Goertzel's algorithm: the power of one frequency in a window. */
  private powerAt(window: Int16Array, hz: number): number {
    const factor = 2 * Math.cos((2 * Math.PI * hz) / this.sampleRate);
    let [before, last] = [0, 0];
    for (const sample of window) [before, last] = [last, sample + factor * last - before];
    return before * before + last * last - factor * before * last;
  }
}
