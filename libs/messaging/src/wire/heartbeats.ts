import { Chain, type Link } from '../fairness/fair-queue';
import { limits } from '../limits';

/** The other end of a stream or channel, in another process. */
export interface Peer {
  /** Called at every beat, except one right after the start: the time to send a sign of life. */
  beat(): void;
  /** Called when the other side was silent for too long. Absent if its silence does not matter. */
  silent?(): void;
  /** Set if a reader waits for every frame: a peer that was always in time is then given up sooner. */
  readonly isUrgent?: boolean;
  /** How many beats the other side may be silent for, if not the default. */
  readonly silentBeatsMax?: number | undefined;
}

/** Watches one peer; report every sign of life to `heard`. */
export interface Watch {
  heard(): void;
  stop(): void;
}

/**
 * One timer for everything long-lived in a process. Silence is counted in beats of this process, not by the clock: a process that
 * was itself paused for seconds must not conclude that the others died.
 */
export class Heartbeats {
  private readonly watched = new Chain<WatchedPeer>();
  private timer: NodeJS.Timeout | undefined;

  /** @param onBeat Called at every beat while anything is watched. */
  constructor(private readonly onBeat: () => void = () => undefined) {}

  watch(peer: Peer): Watch {
    const watch = new WatchedPeer(peer, this.watched);
    this.timer ??= setInterval(() => this.tick(), limits.beatMs).unref();
    return watch;
  }

  close(): void {
    clearInterval(this.timer);
    this.timer = undefined;
    for (const watch of [...this.watched]) watch.stop();
  }

  private tick(): void {
    // Most calls end before the next beat, and need no sign of life.
    const oldMs = performance.now() - limits.beatMs / 2;
    // Copied, because beats may end other watches.
    for (const watch of [...this.watched]) watch.beat(oldMs);
    if (this.watched.first) return this.onBeat();
    clearInterval(this.timer);
    this.timer = undefined;
  }
}

/** There is one per message in progress, so it is a single object without closures. */
class WatchedPeer implements Watch {
  private readonly sinceMs = performance.now();
  private silentBeats = 0;
  private beats = 0;
  private longestSilence = 0;
  private place: Link<WatchedPeer> | undefined;

  constructor(
    private readonly peer: Peer,
    private readonly watched: Chain<WatchedPeer>,
  ) {
    this.place = watched.add(this);
  }

  heard(): void {
    this.longestSilence = Math.max(this.longestSilence, this.silentBeats);
    this.silentBeats = 0;
  }

  stop(): void {
    if (this.place) this.watched.drop(this.place);
    this.place = undefined;
  }

  beat(oldMs: number): void {
    if (!this.place) return;
    if (this.sinceMs <= oldMs) this.peer.beat();
    this.beats += 1;
    this.silentBeats += 1;
    if (!this.peer.silent || this.silentBeats <= this.silentBeatsMax()) return;
    this.stop();
    this.peer.silent();
  }

  /** A process that was late before may be late again; only for one that never was does a short silence mean that it hangs. */
  private silentBeatsMax(): number {
    if (this.peer.silentBeatsMax !== undefined) return this.peer.silentBeatsMax;
    const isSteady = this.beats >= limits.steadyBeatsMin && this.longestSilence <= 2;
    return this.peer.isUrgent && isSteady ? limits.steadySilentBeatsMax : limits.silentBeatsMax;
  }
}
