import type { ServerFrame } from '@parley/contracts';
import type { SpeechBlock, SpokenLanguage } from '@parley/ports';
import type { AnswerEvent, AnswerLatency, HeardAnswer, HeardSoFar } from '../session/events';

export interface AnswerRequest {
  readonly question: string;
  readonly language: SpokenLanguage | undefined;
  /** Asked before it was certain that the caller has finished. If discarded, it must leave no trace. */
  readonly isSpeculative: boolean;
  /** How long the caller pauses within a sentence, if that is known. */
  readonly usualPauseMs: number | undefined;
  readonly signal: AbortSignal;
}

/** Answers questions: the conversation service, or a script in a test. Failures are thrown as a `Fault`. */
export interface AnswerGenerator {
  answer(request: AnswerRequest): AsyncIterable<AnswerEvent>;
  /** Keeps only this part of the answer in history. */
  keepHeard(heard: HeardAnswer): Promise<void>;
  /** Stores how much of an answer was heard while it is still being spoken, in case the process dies. */
  keepHeardSoFar(heard: HeardSoFar): Promise<void>;
  /** Stores a question that will not be answered because the conversation ends. */
  keepUnanswered(question: string): Promise<void>;
  /** Removes a speculative answer from history. */
  discard(turnUUID: string): Promise<void>;
  /** Stores how the time before the first sound was spent. */
  keepLatency(turn: AnswerLatency): Promise<void>;
}

/** Synthesizes text. Leaving the loop stops it, and so does the signal. */
export interface Synthesizer {
  speak(words: {
    readonly text: string;
    readonly language: SpokenLanguage | undefined;
    /** The first of an utterance: no pause precedes it, and the caller is waiting for its sound. */
    readonly isFirst: boolean;
    readonly signal: AbortSignal;
  }): AsyncIterable<SpeechBlock>;
}

/** The connection to the caller: a socket, a carrier's media stream, or a recorder in a test. No method blocks. */
export interface Line {
  /** Plays sound, 16-bit mono at the rate of the line. It is sent in real time. */
  play(samples: Int16Array): void;
  /** Drops sound that was sent but not heard, if the carrier can. */
  clear(): void;
  /** Requests a report once everything sent so far was played; only with `hasMarks`. */
  mark(name: string): void;
  readonly hasMarks: boolean;
  tell(frame: ServerFrame): void;
  transfer(to: string): void;
  end(reason: string): void;
}

/** Records both channels of a call at the times at which they were heard. No method blocks. */
export interface Recording {
  /** Adds the caller's sound, whose first sample was spoken at this moment of the session. */
  caller(samples: Int16Array, atMs: number): void;
  /** Adds the agent's sound, whose first sample is heard at this moment. */
  agent(samples: Int16Array, atMs: number): void;
  /** Removes the agent's sound from this moment on, since it was cut off. */
  agentSilenced(atMs: number): void;
}

/** Collects keys into entries, since a caller may press several for one answer. */
export interface Keypad {
  /** A key may be reported twice, by a message of the carrier and by its tone. */
  press(digit: string, source: 'tone' | 'message'): void;
  /** No more keys come, so an entry that has begun is complete. */
  close(): void;
}
