import type { SpokenLanguage, TimedWord } from '@parley/ports';

/** What is known of a turn when the caller falls silent. */
export interface PauseInTurn {
  /** The transcript of this turn so far, including a partial one. */
  readonly text: string;
  /** What the agent said last, as far as it was heard. It determines what kind of answer to expect. */
  readonly asked?: string;
  /** Whether the last words are final, rather than a partial transcript that may still grow. */
  readonly isFinal: boolean;
  readonly language: SpokenLanguage;
  /** How long this caller tends to pause within a turn, learned from earlier turns. */
  readonly usualPauseMs: number | undefined;
  /** How much the prosody sounded like the end of a turn, from 0 to 1. Absent if it is not judged, or not yet. */
  readonly soundsDone?: number | undefined;
  readonly silenceMs: number;
  readonly dictationSilenceMs: number;
}

export interface TurnVerdict {
  /** Whether judging the prosody could change this verdict. */
  readonly asksSound?: boolean;
  /** After how long a silence, counted from the end of the voice, the caller is taken to have finished. */
  readonly waitMs: number;
  /** After how long an answer may be started speculatively. At most `waitMs`. */
  readonly suspectMs: number;
  /** After how long missing words are asked for, if sooner than that. */
  readonly wordsMs?: number;
}

/** Decides how long to wait for the caller to continue. */
export interface EndOfTurnJudge {
  judge(pause: PauseInTurn): TurnVerdict;
}

/** A final part of the transcript. */
export interface FinalTranscript {
  readonly text: string;
  readonly language?: SpokenLanguage;
  readonly words?: readonly TimedWord[];
  /** How many turns had been finished before this was said. If absent, every turn requested so far had been. */
  readonly afterTurns?: number;
  /** They were said over the agent on a line that may return its voice, so they may be its own. */
  readonly isOverEcho?: boolean;
}

/**
 * Events of a session's audio recognition. Times are milliseconds of the caller's sound, by count of samples, so that a burst of
 * late packets does not shift them; `CallerVoice` converts them to the session's timeline.
 */
export type HeardEvent =
  /** Reported once, on opening: whether transcripts arrive live or only at pauses. */
  | { readonly kind: 'writing'; readonly isLive: boolean }
  /** A voice may have begun. It is soon confirmed or dismissed; until then the agent may fall silent, but nothing else changes. */
  | { readonly kind: 'voice-suspected' }
  | { readonly kind: 'voice-dismissed' }
  /** A voice was detected, which began a little earlier, at `atMs`. */
  | { readonly kind: 'speech-started'; readonly atMs: number }
  /** The voice stopped, a little earlier, at `atMs`. */
  | { readonly kind: 'speech-stopped'; readonly atMs: number }
  /** How much the prosody of the last voice sounded like the end of a turn, from 0 to 1. No voice has begun since. */
  | { readonly kind: 'end-judged'; readonly soundsDone: number }
  /** A provisional transcript, replaced by the next one, whose last word ended at `atMs` if the engine knows. */
  | {
      readonly kind: 'partial';
      readonly text: string;
      readonly language?: SpokenLanguage;
      readonly atMs?: number;
      readonly isOverEcho?: boolean;
    }
  | (FinalTranscript & { readonly kind: 'final' })
  /** The tone of a key was heard. */
  | { readonly kind: 'digit'; readonly digit: string }
  /** The transcription engine failed; voices are still detected. */
  | { readonly kind: 'recognition-failed'; readonly code: string };

/** Recognizes voices, words and keys in one session's sound. Never blocks and never throws: failures are events. */
export interface AudioRecognition {
  /** Sound from the caller, 16-bit mono at the rate that recognition was opened with. */
  hear(samples: Int16Array): void;
  /**
   * Sound played to the caller, so that its echo is not taken for a voice. It is played at this millisecond of the caller's sound, or
   * right after the previous block.
   */
  noticeOwnVoice(samples: Int16Array, atMs?: number): void;
  /** The caller's turn is over: requests what has not been transcribed yet, which arrives as `final`. */
  finishTurn(): void;
  /**
   * Requests the transcript so far, which arrives as a `partial`, empty if there is none. Live recognition reports it without being
   * asked.
   */
  guessNow(): void;
  /** Requests a judgement of the turn's prosody, which arrives as `end-judged` if prosody is judged at all. */
  judgeEnd(): void;
  /** No more sound comes. Resolves once the last `final` was reported, or the engine failed. */
  finish(): Promise<void>;
  close(): void;
}

/** Opens the audio recognition of a session. */
export type OpenRecognition = (listener: (event: HeardEvent) => void) => Promise<AudioRecognition>;
