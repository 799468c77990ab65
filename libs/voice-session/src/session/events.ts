import type { FaultCode } from '@parley/contracts';
import type { TimedWord } from '@parley/ports';
import type { AnswerEvent } from '../call/surroundings';
import type { HeardEvent } from '../hearing/heard';
import type { EndReason } from './state';

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
  /** Sound was made for a piece, at the rate of the line. The hash lets a log tell whether a voice repeats itself. */
  | {
      readonly kind: 'sound';
      readonly piece: number;
      readonly samples: number;
      readonly words?: readonly TimedWord[];
      readonly hash?: string;
    }
  | { readonly kind: 'sound-ended'; readonly piece: number }
  | { readonly kind: 'sound-failed'; readonly piece: number; readonly code: FaultCode; readonly message: string }
  | { readonly kind: 'woke' }
  | { readonly kind: 'hold' }
  | { readonly kind: 'resume' }
  | { readonly kind: 'drain' }
  | { readonly kind: 'credits-exhausted' }
  | { readonly kind: 'end'; readonly reason: EndReason };
