import { limits } from '../limits';

/** Something that lasts, with another process at its far end. */
export interface Heart {
  /** Called at every beat, but for one that comes right after the beginning: time to let the other side know that this one lives. */
  beat(): void;
  /** Called once the other side was silent for too long. Absent: the other side need not be heard. */
  silent?(): void;
  /** Somebody waits for every word of the other side: one that was always heard in time is given up sooner. */
  readonly isUrgent?: boolean;
  /** How many beats the other side may be silent for, where that is not the usual. */
  readonly silentBeatsMax?: number | undefined;
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
  private readonly watched = new Set<WatchedHeart>();
  private timer: NodeJS.Timeout | undefined;

  watch(heart: Heart): Watch {
    const watch = new WatchedHeart(heart, this.watched);
    this.watched.add(watch);
    this.timer ??= setInterval(() => this.tick(), limits.beatMs).unref();
    return watch;
  }

  close(): void {
    clearInterval(this.timer);
    this.timer = undefined;
    this.watched.clear();
  }

  private tick(): void {
    // What has just begun is over before the next beat, mostly, and needs no sign of life.
    const oldMs = performance.now() - limits.beatMs / 2;
    for (const watch of this.watched) watch.beat(oldMs);
    if (this.watched.size > 0) return;
    clearInterval(this.timer);
    this.timer = undefined;
  }
}

/** There is one for every message under way, so it is one object and makes no functions. */
class WatchedHeart implements Watch {
  private readonly sinceMs = performance.now();
  private silentBeats = 0;
  private beats = 0;
  private longestSilence = 0;

  constructor(
    private readonly heart: Heart,
    private readonly watched: Set<WatchedHeart>,
  ) {}

  heard(): void {
    this.longestSilence = Math.max(this.longestSilence, this.silentBeats);
    this.silentBeats = 0;
  }

  stop(): void {
    this.watched.delete(this);
  }

  beat(oldMs: number): void {
    if (this.sinceMs <= oldMs) this.heart.beat();
    this.beats += 1;
    this.silentBeats += 1;
    if (!this.heart.silent || this.silentBeats <= this.silentBeatsMax()) return;
    this.stop();
    this.heart.silent();
  }

  /** A process that answers late now and then will do so again: only of one that never did, silence means soon that it hangs. */
  private silentBeatsMax(): number {
    if (this.heart.silentBeatsMax !== undefined) return this.heart.silentBeatsMax;
    const isSteady = this.beats >= limits.steadyBeatsMin && this.longestSilence <= 2;
    return this.heart.isUrgent && isSteady ? limits.steadySilentBeatsMax : limits.silentBeatsMax;
  }
}
