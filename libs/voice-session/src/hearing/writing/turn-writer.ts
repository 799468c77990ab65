import type { SpokenLanguage, TimedWord } from '@parley/ports';

/** What a writer tells: guesses, parts that stay, and that it cannot go on. */
export type WrittenEvent =
  | { readonly kind: 'partial'; readonly text: string; readonly language?: SpokenLanguage }
  | { readonly kind: 'final'; readonly text: string; readonly language?: SpokenLanguage; readonly words?: readonly TimedWord[] }
  | { readonly kind: 'deaf'; readonly code: string };

/** Has what is said written down. Never waits and never throws. */
export interface TurnWriter {
  /** A voice began; what is added from now on starts at this moment of the sound. */
  begin(atMs: number): void;
  add(samples: Int16Array): void;
  /** The voice paused; what was added should be written down soon. */
  pause(): void;
  /** Everything added is to be written down for good. Answered by exactly one last `final`, empty when nothing was missing. */
  finishTurn(): void;
  close(): void;
}

/** Writes nothing down: turns end as ever, and hold no words. */
export class DeafWriter implements TurnWriter {
  constructor(private readonly tell: (event: WrittenEvent) => void) {}

  begin(): void {}
  add(): void {}
  pause(): void {}
  close(): void {}

  finishTurn(): void {
    this.tell({ kind: 'final', text: '' });
  }
}

/** Why nothing is written down any more, as clients know it. */
export const deafCode = 'SPEECH_PROVIDER_UNAVAILABLE';
