import type { LatencyParts } from '@parley/contracts';
import type { z } from 'zod';

type Parts = z.output<typeof LatencyParts>;
const names = ['endOfTurnMs', 'transcriptionMs', 'retrievalMs', 'firstTokenMs', 'firstAudioMs', 'pacingMs'] as const;

/** The mean of where the time of a call's answers went. */
export class CallLatency {
  private readonly told: Parts[] = [];

  get turns(): number {
    return this.told.length;
  }

  /** Lines that nobody asked for were not waited for. */
  add(parts: Parts): void {
    if (parts.totalMs > 0 && this.told.length < 10_000) this.told.push(parts);
  }

  mean(): Parts | undefined {
    if (this.told.length === 0) return undefined;
    const parts = Object.fromEntries(names.map((name) => [name, meanOf(this.told.map((each) => each[name]))]));
    return {
      endOfTurnMs: null,
      transcriptionMs: null,
      retrievalMs: null,
      firstTokenMs: null,
      firstAudioMs: null,
      pacingMs: null,
      ...parts,
      totalMs: meanOf(this.told.map(({ totalMs }) => totalMs)) ?? 0,
    };
  }
}

/** A part that did not happen is not a part of no length. */
function meanOf(values: readonly (number | null)[]): number | null {
  const there = values.filter((value) => value !== null);
  return there.length === 0 ? null : Math.round(there.reduce((sum, value) => sum + value, 0) / there.length);
}
