import type { endSession, FaultCode, LatencyParts, ServerFrame, TokenUsage } from '@parley/contracts';
import type { SpokenLanguage, TimedWord } from '@parley/ports';
import type { z } from 'zod';
import type { HeardEvent, TurnVerdict } from '../hearing/heard';

/** What comes of a question, in this order: begun, any number of delta, done. */
export type AnswerEvent =
  | { readonly kind: 'begun'; readonly turnUUID: string }
  | { readonly kind: 'delta'; readonly text: string }
  | {
      readonly kind: 'done';
      readonly usage: z.output<typeof TokenUsage>;
      readonly latency: z.output<typeof LatencyParts>;
      readonly language: SpokenLanguage | undefined;
      readonly wantsToEnd: boolean;
      readonly transferTo?: string;
    };

/** How much of an answer was heard. */
export interface HeardAnswer {
  readonly turnUUID: string;
  readonly heardText: string;
  readonly playedMs: number;
}

/** The same of an answer that continues. */
export interface HeardSoFar extends HeardAnswer {
  readonly question: string;
}

/** How the time before an answer was spent. */
export interface AnswerLatency {
  readonly turnUUID: string;
  readonly latency: z.output<typeof LatencyParts>;
}

/** A stretch of the sound of one piece. */
export interface Slice {
  readonly piece: number;
  readonly from: number;
  readonly samples: number;
}

/** Something that happened to a session. Plain data: a list of them, with their times, is a session that can be run again. */
export type SessionEvent = UntimedEvent & { readonly nowMs: number };

/** The same without its time. */
export type UntimedEvent =
  | { readonly kind: 'opened' }
  | { readonly kind: 'heard'; readonly heard: HeardEvent }
  | { readonly kind: 'typed'; readonly text: string }
  /** A key was pressed. It silences the agent like a voice does. */
  | { readonly kind: 'key'; readonly digit: string }
  /** The keys of one entry, collected. */
  | { readonly kind: 'keyed'; readonly digits: string }
  | { readonly kind: 'interrupt' }
  /** What the client says to have played since the last `agent.audio.start`. */
  | { readonly kind: 'playback'; readonly playedMs: number }
  | { readonly kind: 'marked'; readonly name: string }
  | { readonly kind: 'answered'; readonly answer: number; readonly step: AnswerEvent }
  | { readonly kind: 'answer-failed'; readonly answer: number; readonly code: FaultCode; readonly message: string }
  /**
   * Sound was made for a piece, at the rate of the line, the first so many samples of it silent. The hash lets a log tell whether a
   * voice repeats itself.
   */
  | {
      readonly kind: 'sound';
      readonly piece: number;
      readonly samples: number;
      readonly silent?: number;
      readonly words?: readonly TimedWord[];
      readonly hash?: string;
    }
  | { readonly kind: 'sound-ended'; readonly piece: number }
  | { readonly kind: 'sound-failed'; readonly piece: number; readonly code: FaultCode; readonly message: string }
  | { readonly kind: 'woke' }
  | { readonly kind: 'hold' }
  | { readonly kind: 'resume' }
  /** The caller is to be transferred. */
  | { readonly kind: 'transfer'; readonly to: string }
  /** The transfer was not answered. */
  | { readonly kind: 'transfer-failed' }
  | { readonly kind: 'drain' }
  | { readonly kind: 'credits-exhausted' }
  | { readonly kind: 'end'; readonly reason: EndReason }
  /** After the end: everything that the caller said has been written down, or will not be. */
  | { readonly kind: 'written' };

/** What a session wants done. Sound is referenced, not carried: the session's runner holds it. */
export type SessionAction =
  | { readonly kind: 'tell'; readonly frame: ServerFrame }
  /** Sound to be handed over now; `padding` samples of silence fill the last frame. */
  | { readonly kind: 'play'; readonly generation: number; readonly slices: readonly Slice[]; readonly padding: number }
  | { readonly kind: 'clear' }
  | { readonly kind: 'mark'; readonly name: string }
  | {
      readonly kind: 'speak';
      readonly piece: number;
      readonly text: string;
      readonly language: SpokenLanguage;
      /** Nothing of the same utterance comes before it. */
      readonly isFirst: boolean;
    }
  /** The sound of this piece is not needed any more, whether it was made or not. */
  | { readonly kind: 'forget'; readonly piece: number }
  | {
      readonly kind: 'answer';
      readonly answer: number;
      readonly question: string;
      readonly language: SpokenLanguage | undefined;
      readonly isSpeculative: boolean;
    }
  | { readonly kind: 'stop-answer'; readonly answer: number }
  | { readonly kind: 'discard'; readonly answer: number }
  | { readonly kind: 'keep-heard'; readonly heard: HeardAnswer }
  | { readonly kind: 'keep-heard-so-far'; readonly heard: HeardSoFar }
  | { readonly kind: 'keep-latency'; readonly turn: AnswerLatency }
  /** What was said last, and is not asked any more. */
  | { readonly kind: 'keep-unanswered'; readonly question: string }
  | { readonly kind: 'finish-turn' }
  /** The caller has spoken for long, and recognition reports no words before a pause. */
  | { readonly kind: 'guess-now' }
  /** The caller paused where prosody may tell whether they have finished. */
  | { readonly kind: 'judge-end' }
  | { readonly kind: 'transfer'; readonly to: string }
  | { readonly kind: 'end'; readonly reason: EndReason };

/** Why a session ended. A drained one continues at another replica; a transferred one belongs to the person who took it. */
export type EndReason = z.output<(typeof endSession)['request']>['reason'] | 'DRAINED' | 'VOICEMAIL';

/** Who has the floor. */
export type SessionState =
  /** Everyone is silent and nothing is due but the idle prompts. */
  | { readonly kind: 'listening'; readonly sinceMs: number }
  | { readonly kind: 'user-speaking'; readonly sinceMs: number }
  /** The caller fell silent and may continue. */
  | {
      readonly kind: 'pausing';
      readonly voiceEndMs: number;
      readonly verdict: TurnVerdict;
      /** How much it sounded like the end of the turn, once that is known. */
      readonly soundsDone: number | undefined;
      readonly isSuspected: boolean;
      /** When the silence was found long enough; the transcript may still be incomplete. */
      readonly decidedAtMs: number | undefined;
    }
  /** The turn is over and nothing of the answer has been heard. */
  | { readonly kind: 'thinking'; readonly sinceMs: number }
  | { readonly kind: 'speaking' }
  /** A voice stopped the agent, and it is not yet known whether it means to. */
  | { readonly kind: 'interrupted'; readonly from: 'thinking' | 'speaking' }
  | { readonly kind: 'held'; readonly from: 'listening' | 'thinking' | 'speaking' }
  | { readonly kind: 'ended'; readonly reason: EndReason };
