import { aLaw, muLaw } from '@parley/audio';
import type { G711 } from './rtp-packet';

const companding = { PCMU: muLaw, PCMA: aLaw } as const;
const silent = { PCMU: 0xff, PCMA: 0xd5 } as const;
const historySamples = 480;
const frameSamples = 160;
// Voices have their pitch between 66 and 200 Hz for what a telephone line carries of them.
const lagMin = 40;
const lagMax = 120;
// After 10 ms as it was, softer with each sample, and silent at 60 ms: a held tone is worse than a gap.
const steadySamples = 80;
const fadedSamples = 480;

/** Fills what the network lost with the speaker's last pitch period, fading; as G.711 appendix I does, without its overlaps. */
export class Concealment {
  private recent: Uint8Array[] = [];
  private period: Int16Array | undefined;
  private made = 0;

  constructor(private readonly codec: G711) {}

  /** Sound that really came. It is kept by reference and decoded only when something is missing. */
  heard(payload: Uint8Array): void {
    this.recent.push(payload);
    if (this.recent.length > Math.ceil(historySamples / Math.max(1, payload.length))) this.recent.shift();
    this.period = undefined;
    this.made = 0;
  }

  /** So many samples in the place of what is missing. */
  conceal(samples: number): Uint8Array {
    if (this.made >= fadedSamples) return silence(this.codec, samples);
    this.period ??= this.lastPeriod();
    const { period } = this;
    if (period.length === 0) return silence(this.codec, samples);
    const filled = new Int16Array(samples);
    for (let i = 0; i < samples; i++) {
      const at = this.made + i;
      const gain = Math.max(0, Math.min(1, (fadedSamples - at) / (fadedSamples - steadySamples)));
      filled[i] = Math.round((period[at % period.length] ?? 0) * gain);
    }
    this.made += samples;
    return companding[this.codec].encode(filled);
  }

  private lastPeriod(): Int16Array {
    const history = companding[this.codec].decode(Buffer.concat(this.recent)).subarray(-historySamples);
    if (history.length < frameSamples + lagMax) return history.slice(-frameSamples);
    return history.slice(history.length - lagOf(history));
  }
}

/** Silence as a codec writes it. */
export function silence(codec: G711, samples: number): Uint8Array {
  return new Uint8Array(samples).fill(silent[codec]);
}

/** The lag at which the end of the history is most like what was before it. */
function lagOf(history: Int16Array): number {
  const from = history.length - frameSamples;
  let best = lagMax;
  let bestLikeness = 0;
  for (let lag = lagMin; lag <= lagMax; lag++) {
    let product = 0;
    let energy = 1;
    for (let i = from; i < history.length; i += 2) {
      const before = history[i - lag] ?? 0;
      product += (history[i] ?? 0) * before;
      energy += before * before;
    }
    const likeness = product / Math.sqrt(energy);
    if (likeness > bestLikeness) [best, bestLikeness] = [lag, likeness];
  }
  return best;
}
