import type { GuardedWindow } from './speech-detector';

/** A window above this may be the first of a voice. */
const suspectAbove = 0.3;
/** What may be an echo has to look like a voice for longer. */
const doubtfulAbove = 0.8;
const doubtfulWindows = 2;
/** A word may begin with more than a quarter of a second of hissing, in which the model hears no voice yet. */
const patienceMs = 320;

/** What a line is listened to for: where any voice interrupts at once, any sound is enough to fall silent for a moment. */
export function suspectedIn({ minSpeechMs }: { readonly minSpeechMs: number }): 'voice' | 'sound' {
  return minSpeechMs === 0 ? 'sound' : 'voice';
}

/** Tells early that a voice may have begun, and when it has come to nothing. Certainty is the speech detector's business. */
export class Suspicion {
  private likelyRun = 0;
  private untilMs: number | undefined;

  /** What changed with this window of no speech. */
  hear({ probability, isDoubtful = false, endMs }: GuardedWindow): 'raised' | 'dismissed' | undefined {
    this.likelyRun = probability >= (isDoubtful ? doubtfulAbove : suspectAbove) ? this.likelyRun + 1 : 0;
    if (this.untilMs !== undefined && endMs >= this.untilMs) {
      this.settle();
      return 'dismissed';
    }
    return this.likelyRun >= (isDoubtful ? doubtfulWindows : 1) && this.raise(endMs) ? 'raised' : undefined;
  }

  /** Suspects for another reason. False when it did already. */
  raise(atMs: number): boolean {
    if (this.untilMs !== undefined) return false;
    this.untilMs = atMs + patienceMs;
    return true;
  }

  /** It is certain now; the next suspicion is a new one. */
  settle(): void {
    this.likelyRun = 0;
    this.untilMs = undefined;
  }
}
