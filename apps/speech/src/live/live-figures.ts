import { Injectable } from '@nestjs/common';
import type { LatencyParts } from '@parley/contracts';
import { type Figure, ServiceFigures } from '@parley/service-kit';
import type { z } from 'zod';

const figures = {
  held: {
    name: 'parley_lines_held',
    help: 'Live conversations of this replica, those that are being opened included.',
    labels: [],
  },
  begun: { name: 'parley_voice_sessions_begun_total', help: 'Live conversations that were begun.', labels: [] },
  ended: { name: 'parley_voice_sessions_ended_total', help: 'Live conversations that ended, by the reason.', labels: ['reason'] },
  silence: { name: 'parley_voice_silence_seconds', help: 'Silence before an answer was heard, by its parts.', labels: ['part'] },
  frames: {
    name: 'parley_voice_frames_total',
    help: 'Frames of sound that callers were to hear, by whether they came in time.',
    labels: ['outcome'],
  },
} as const satisfies Record<string, Figure<string>>;

/** Metrics of live conversations on this replica. */
@Injectable()
export class LiveFigures {
  constructor(private readonly service: ServiceFigures) {}

  holds(count: () => number): void {
    this.service.watch(figures.held, count);
  }

  begun(): void {
    this.service.count(figures.begun, {});
  }

  ended(reason: string, { frames, lateFrames }: { readonly frames: number; readonly lateFrames: number }): void {
    this.service.count(figures.ended, { reason });
    // A gap is counted in frames, so a line that stood still for long has missed more of them than it was sent.
    const late = Math.min(lateFrames, frames);
    this.service.count(figures.frames, { outcome: 'in time' }, frames - late);
    this.service.count(figures.frames, { outcome: 'late' }, late);
  }

  /** A part that did not happen is not a part of no length. */
  answered(latency: z.output<typeof LatencyParts>): void {
    for (const [name, ms] of Object.entries(latency)) {
      if (ms !== null) this.service.time(figures.silence, { part: name.replace(/Ms$/, '') }, ms / 1000);
    }
  }
}
