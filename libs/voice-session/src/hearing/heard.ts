import type { SpokenLanguage, TimedWord } from '@parley/ports';

/** What is known when the caller falls silent. */
export interface PauseInTurn {
  /** Everything written down in this turn so far, the last guess included. */
  readonly text: string;
  /** What the agent said last, as far as it was heard: it decides what kind of answer to expect. */
  readonly asked?: string;
  /** Whether the last words are final, and not a guess that may still grow. */
  readonly isFinal: boolean;
  readonly language: SpokenLanguage;
  /** How long this caller tends to pause within a turn; learned from the turns before. */
  readonly usualPauseMs: number | undefined;
  /** How much it sounded like the end of a turn, from 0 to 1. Absent if prosody is not judged, or not yet. */
  readonly soundsDone?: number | undefined;
  readonly silenceMs: number;
  readonly dictationSilenceMs: number;
}

export interface TurnVerdict {
  /** Whether the sound of the turn could change this: only then is it judged. */
  readonly asksSound?: boolean;
  /** How long a silence, counted from the end of the voice, means that the caller is done. */
  readonly waitMs: number;
  /** From here on an answer may be started speculatively, and dropped if the caller continues. At most `waitMs`. */
  readonly suspectMs: number;
}

/** Decides how long to wait for more. */
export interface EndOfTurnJudge {
  judge(pause: PauseInTurn): TurnVerdict;
}

/** A part of the transcript that stays. */
export interface WrittenForGood {
  readonly text: string;
  readonly language?: SpokenLanguage;
  readonly words?: readonly TimedWord[];
  /** How often a turn had been finished before what is written here was said; absent: as often as it was asked for. */
  readonly afterTurns?: number;
}

/**
 * Events of a session's audio recognition. Times are milliseconds on the session's one timeline: the caller's sound is placed by
 * counting samples, so that a burst of late packets does not move it.
 */
export type HeardEvent =
  /** Reported once, on opening: whether words arrive live, or only at pauses. */
  | { readonly kind: 'writing'; readonly isLive: boolean }
  /** A voice may have begun: enough to fall silent for, too little to act on. It is soon confirmed or dismissed. */
  | { readonly kind: 'voice-suspected' }
  | { readonly kind: 'voice-dismissed' }
  /** A voice is certain. `atMs` is where it began, before the moment at which it became certain. */
  | { readonly kind: 'speech-started'; readonly atMs: number }
  /** The voice paused. `atMs` is where it ended, so that the silence since then can be measured. */
  | { readonly kind: 'speech-stopped'; readonly atMs: number }
  /** How much the voice that stopped last sounded like the end of a turn, from 0 to 1. No one has spoken since. */
  | { readonly kind: 'end-judged'; readonly soundsDone: number }
  /** A provisional transcript, replaced by the next one. */
  | { readonly kind: 'partial'; readonly text: string; readonly language?: SpokenLanguage }
  | (WrittenForGood & { readonly kind: 'final' })
  /** A key was pressed, heard as a tone. */
  | { readonly kind: 'digit'; readonly digit: string }
  /** The transcription engine gave up; voices are still detected. */
  | { readonly kind: 'deaf'; readonly code: string };

/** Voices, words and keys in one session's sound. Never waits and never throws: what goes wrong is an event. */
export interface AudioRecognition {
  /** Sound from the caller, 16-bit mono at the rate that recognition was opened with. */
  hear(samples: Int16Array): void;
  /**
   * Sound played to the caller, so that its echo is not taken for a voice: at this millisecond of the caller's sound, or right
   * after the last one played.
   */
  noticeOwnVoice(samples: Int16Array, atMs?: number): void;
  /** The caller's turn is over: what has not been transcribed yet is requested now, and comes as `final`. */
  finishTurn(): void;
  /**
   * The caller has spoken for long: the transcript so far comes as a `partial`, empty if there is none. Live recognition
   * reports it anyway.
   */
  guessNow(): void;
  /** The caller may have finished: the judgement of the turn's prosody comes as `end-judged`, if it is judged at all. */
  judgeEnd(): void;
  /** No more sound comes. Resolves when everything that was said is written down, or cannot be; its last part came as `final`. */
  finish(): Promise<void>;
  close(): void;
}

/** Opens the audio recognition of a session. */
export type OpenRecognition = (listener: (event: HeardEvent) => void) => Promise<AudioRecognition>;
