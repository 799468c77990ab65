import type { SpokenLanguage, TimedWord } from '@parley/ports';

/** What is known at the moment in which the caller fell silent. */
export interface PauseInTurn {
  /** Everything written down in this turn so far, the last guess included. */
  readonly text: string;
  /** What the agent said last, as far as it was heard: it tells what kind of answer to expect. */
  readonly asked?: string;
  /** Whether the last words are final, and not a guess that may still grow. */
  readonly isFinal: boolean;
  readonly language: SpokenLanguage;
  /** How long this caller tends to pause within a turn; learned from the turns before. */
  readonly usualPauseMs: number | undefined;
  /** How much it sounded like the end of a turn, from 0 to 1. Absent where nobody judges sounds, or not yet. */
  readonly soundsDone?: number | undefined;
  readonly silenceMs: number;
  readonly dictationSilenceMs: number;
}

export interface TurnVerdict {
  /** Whether the sound of the turn could change this: only then is it judged. */
  readonly asksSound?: boolean;
  /** How long a silence, counted from the end of the voice, means that the caller is done. */
  readonly waitMs: number;
  /** From here on an answer may be begun on suspicion, to be thrown away when the caller goes on. At most `waitMs`. */
  readonly suspectMs: number;
}

/** Decides how long to wait for more. */
export interface EndOfTurnJudge {
  judge(pause: PauseInTurn): TurnVerdict;
}

/**
 * What the ears of a session tell. Times are milliseconds on the session's one timeline: the caller's sound is placed by
 * counting its samples, so that a burst of late packets does not move what was said.
 */
export type HeardEvent =
  /** What these ears can do, told once they are open: whether words come while somebody speaks, or only at pauses. */
  | { readonly kind: 'writing'; readonly isLive: boolean }
  /** A voice may have begun: enough to fall silent for, too little to act on. It starts soon, or is dismissed. */
  | { readonly kind: 'voice-suspected' }
  | { readonly kind: 'voice-dismissed' }
  /** A voice is there. `atMs` is where it began, which lies before the moment at which it became certain. */
  | { readonly kind: 'speech-started'; readonly atMs: number }
  /** The voice paused. `atMs` is where it ended, so that the silence since then can be measured. */
  | { readonly kind: 'speech-stopped'; readonly atMs: number }
  /** How much the voice that stopped last sounded like the end of a turn, from 0 to 1. Nobody has spoken since. */
  | { readonly kind: 'end-judged'; readonly soundsDone: number }
  /** A guess at what is being said, which the next guess replaces. */
  | { readonly kind: 'partial'; readonly text: string; readonly language?: SpokenLanguage }
  /** A part of what was said that stays. */
  | { readonly kind: 'final'; readonly text: string; readonly language?: SpokenLanguage; readonly words?: readonly TimedWord[] }
  /** A key was pressed, heard as a tone. */
  | { readonly kind: 'digit'; readonly digit: string }
  /** The engine that writes down what is said gave up; the voice is still noticed. */
  | { readonly kind: 'deaf'; readonly code: string };

/** The hearing of one session. Never waits and never throws: what goes wrong is an event. */
export interface Ears {
  /** Sound from the caller, 16-bit mono at the rate that the ears were made for. */
  hear(samples: Int16Array): void;
  /**
   * Sound that is played to the caller, so that its echo is not taken for a voice: while this millisecond of the caller's sound is
   * spoken, or right behind what was played last.
   */
  noticeOwnVoice(samples: Int16Array, atMs?: number): void;
  /** The caller's turn is over: what has not been written down yet is asked for now, and comes as `final`. */
  finishTurn(): void;
  /** Somebody has spoken for long: what was said so far comes as a `partial`, an empty one if it was nothing. Live ears tell anyway. */
  guessNow(): void;
  /** The caller may have finished: what is heard in the prosody of the turn comes as `end-judged`, or not where nobody judges it. */
  judgeEnd(): void;
  close(): void;
}

/** Makes the ears of a session. */
export type OpenEars = (listener: (event: HeardEvent) => void) => Promise<Ears>;
