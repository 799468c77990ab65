import type { endSession, FaultCode, LatencyParts, ServerFrame, TokenUsage } from '@parley/contracts';
import type { SpokenLanguage, TimedWord } from '@parley/ports';
import type { z } from 'zod';
import type { HeardEvent, TurnVerdict } from '../hearing/heard';

/** The events of one answer: `begun`, any number of `delta`, then `done`. */
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

/** How much was heard of an answer that is still being spoken, or that all of it was. */
export interface HeardSoFar extends HeardAnswer {
  readonly soFar: { readonly question: string; readonly isDone: boolean; readonly isAll: boolean };
}

/** How the time before an answer was spent, part by part. */
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

/** An input of a session. Plain data, so that a session can be replayed from the list of its events. */
export type SessionEvent = UntimedEvent & { readonly nowMs: number };

/** An event before its time is added. */
export type UntimedEvent =
  | { readonly kind: 'opened' }
  | { readonly kind: 'heard'; readonly heard: HeardEvent }
  | { readonly kind: 'typed'; readonly text: string }
  /** A key was pressed, which silences the agent like a voice does. */
  | { readonly kind: 'key'; readonly digit: string }
  /** The keys of a complete entry. */
  | { readonly kind: 'keyed'; readonly digits: string }
  | { readonly kind: 'interrupt' }
  /** What the client reports as played since the last `agent.audio.start`. */
  | { readonly kind: 'playback'; readonly playedMs: number }
  | { readonly kind: 'marked'; readonly name: string }
  | { readonly kind: 'answered'; readonly answer: number; readonly step: AnswerEvent }
  | { readonly kind: 'answer-failed'; readonly answer: number; readonly code: FaultCode; readonly message: string }
  /**
   * Sound was synthesized for a piece, at the rate of the line; `silent` of its samples precede the voice. From the hash a log shows
   * whether the synthesizer produced the same sound again.
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
  /** After the end: the transcript of the call is complete, or will not be completed. */
  | { readonly kind: 'written' };

/** An output of a session. Sound is referenced by piece and position; the call holds the samples. */
export type SessionAction =
  | { readonly kind: 'tell'; readonly frame: ServerFrame }
  /** Send this sound to the line now; `padding` samples of silence fill the last frame. */
  | { readonly kind: 'play'; readonly generation: number; readonly slices: readonly Slice[]; readonly padding: number }
  | { readonly kind: 'clear' }
  | { readonly kind: 'mark'; readonly name: string }
  | {
      readonly kind: 'speak';
      readonly piece: number;
      readonly text: string;
      readonly language: SpokenLanguage;
      /** Whether it begins its utterance. */
      readonly isFirst: boolean;
    }
  /** Stop synthesizing this piece if necessary, and release its sound. */
  | { readonly kind: 'forget'; readonly piece: number }
  | {
      readonly kind: 'answer';
      readonly answer: number;
      readonly question: string;
      readonly language: SpokenLanguage | undefined;
      readonly isSpeculative: boolean;
      readonly usualPauseMs: number | undefined;
    }
  | { readonly kind: 'stop-answer'; readonly answer: number }
  | { readonly kind: 'discard'; readonly answer: number }
  | { readonly kind: 'keep-heard'; readonly heard: HeardAnswer }
  | { readonly kind: 'keep-heard-so-far'; readonly heard: HeardSoFar }
  | { readonly kind: 'keep-latency'; readonly turn: AnswerLatency }
  /** The caller's last words, which will not be answered. */
  | { readonly kind: 'keep-unanswered'; readonly question: string }
  | { readonly kind: 'finish-turn' }
  /** The caller has spoken for long, and recognition reports words only at pauses: request a partial transcript. */
  | { readonly kind: 'guess-now' }
  /** The caller paused, and prosody may tell whether they have finished: have it judged. */
  | { readonly kind: 'judge-end' }
  | { readonly kind: 'transfer'; readonly to: string }
  | { readonly kind: 'end'; readonly reason: EndReason };

/** Why a session ended. A drained session continues at another replica. */
export type EndReason = z.output<(typeof endSession)['request']>['reason'] | 'DRAINED' | 'VOICEMAIL';

/** Who has the floor. */
export type SessionState =
  /** Both sides are silent. */
  | { readonly kind: 'listening'; readonly sinceMs: number }
  | { readonly kind: 'user-speaking'; readonly sinceMs: number }
  /** The caller fell silent and may continue. */
  | {
      readonly kind: 'pausing';
      readonly voiceEndMs: number;
      readonly verdict: TurnVerdict;
      /** How much the prosody sounded like the end of a turn, once judged. */
      readonly soundsDone: number | undefined;
      readonly isSuspected: boolean;
      /** When the silence was found to be long enough; the transcript may still be incomplete. */
      readonly decidedAtMs: number | undefined;
    }
  /** The turn is over and nothing of the answer has been heard. */
  | { readonly kind: 'thinking'; readonly sinceMs: number }
  | { readonly kind: 'speaking' }
  /** A voice paused the agent, and it is not yet clear whether it interrupts. */
  | { readonly kind: 'interrupted'; readonly from: 'thinking' | 'speaking' }
  | { readonly kind: 'held'; readonly from: 'listening' | 'thinking' | 'speaking' }
  | { readonly kind: 'ended'; readonly reason: EndReason };
