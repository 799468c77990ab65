import { limits } from '../limits';

/** Something that lasts, with another process at its far end. */
export interface Heart {
  /** Called at every beat, but for one that comes right after the beginning: time to let the other side know that this one lives. */
  beat(): void;
  /** Called once the other side was silent for too long. Absent: the other side need not be heard. */
  silent?(): void;
  /** Somebody waits for every word of the other side: one that was always heard in time is given up sooner. */
  readonly isUrgent?: boolean;
}

interface Silence {
  readonly sinceMs: number;
  silentBeats: number;
  beats: number;
  longestSilence: number;
}

/** Keeps one heart: every sign from the other side is reported by `heard`. */
export interface Watch {
  heard(): void;
  stop(): void;
}

/**
 * One timer for everything that lasts in a process. Silence is counted in beats of this process, not by the clock: a process
 * that was itself stopped for seconds must not conclude that the others died.
 */
export class Pulse {
  private readonly hearts = new Map<Heart, Silence>();
  private timer: NodeJS.Timeout | undefined;

  watch(heart: Heart): Watch {
    const state = { sinceMs: performance.now(), silentBeats: 0, beats: 0, longestSilence: 0 };
    this.hearts.set(heart, state);
    this.timer ??= setInterval(() => this.tick(), limits.beatMs).unref();
    return {
      heard: () => {
        state.longestSilence = Math.max(state.longestSilence, state.silentBeats);
        state.silentBeats = 0;
      },
      stop: () => {
        this.hearts.delete(heart);
      },
    };
  }

  close(): void {
    clearInterval(this.timer);
    this.timer = undefined;
    this.hearts.clear();
  }

  private tick(): void {
    // What has just begun is over before the next beat, mostly, and needs no sign of life.
    const oldMs = performance.now() - limits.beatMs / 2;
    for (const [heart, state] of this.hearts) {
      if (state.sinceMs <= oldMs) heart.beat();
      state.beats += 1;
      state.silentBeats += 1;
      if (heart.silent && state.silentBeats > silentBeatsMax(heart, state)) {
        this.hearts.delete(heart);
        heart.silent();
      }
    }
    if (this.hearts.size > 0) return;
    clearInterval(this.timer);
    this.timer = undefined;
  }
}

/** A process that answers late now and then will do so again: only of one that never did, silence means soon that it hangs. */
function silentBeatsMax({ isUrgent }: Heart, { beats, longestSilence }: Silence): number {
  const isSteady = beats >= limits.steadyBeatsMin && longestSilence <= 2;
  return isUrgent && isSteady ? limits.steadySilentBeatsMax : limits.silentBeatsMax;
}
