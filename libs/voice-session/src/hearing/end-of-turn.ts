import type { SpokenLanguage } from '@parley/ports';

/** What is known at the moment in which the caller fell silent. */
export interface PauseInTurn {
  /** Everything written down in this turn so far, the last guess included. */
  readonly text: string;
  /** Whether the last words are final, and not a guess that may still grow. */
  readonly isFinal: boolean;
  readonly language: SpokenLanguage;
  /** How long this caller tends to pause within a turn; learned from the turns before. */
  readonly usualPauseMs: number | undefined;
  readonly silenceMs: number;
  readonly dictationSilenceMs: number;
}

export interface TurnVerdict {
  /** How long a silence, counted from the end of the voice, means that the caller is done. */
  readonly waitMs: number;
  /** From here on an answer may be begun on suspicion, to be thrown away when the caller goes on. At most `waitMs`. */
  readonly suspectMs: number;
}

/** Decides how long to wait for more. A learned model may stand in for the rules. */
export interface EndOfTurnJudge {
  judge(pause: PauseInTurn): TurnVerdict;
}
