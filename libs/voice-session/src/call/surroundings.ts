import type { ServerFrame } from '@parley/contracts';
import type { SpeechBlock, SpokenLanguage } from '@parley/ports';
import type { AnswerEvent, AnswerLatency, HeardAnswer, HeardSoFar } from '../session/events';

export interface AnswerRequest {
  readonly question: string;
  readonly language: SpokenLanguage | undefined;
  /** Begun before it was certain that the caller is done. It must leave no trace when it is discarded. */
  readonly isSpeculative: boolean;
  readonly signal: AbortSignal;
}

/** Answers questions: the conversation service, or a script in a test. Failures are thrown as a Fault. */
export interface AnswerGenerator {
  answer(request: AnswerRequest): AsyncIterable<AnswerEvent>;
  /** Keeps only this part of the answer in history. */
  keepHeard(heard: HeardAnswer): Promise<void>;
  /** The answer continues, and this much of it was heard: enough for history if the process dies before its end. */
  keepHeardSoFar(heard: HeardSoFar): Promise<void>;
  /** The conversation ended before this was answered: history keeps it as it was said. */
  keepUnanswered(question: string): Promise<void>;
  /** The answer was begun on a wrong suspicion: nothing of it stays. */
  discard(turnUUID: string): Promise<void>;
  /** Where the time went, once the first sound has been played. */
  keepLatency(turn: AnswerLatency): Promise<void>;
}

/** Speaks text. Ending the loop, or the signal, stops it. */
export interface Synthesizer {
  speak(words: {
    readonly text: string;
    readonly language: SpokenLanguage | undefined;
    /** The first of an utterance: no pause precedes it, and the listener waits for its sound. */
    readonly isFirst: boolean;
    readonly signal: AbortSignal;
  }): AsyncIterable<SpeechBlock>;
}

/** The way to the caller: a socket, a carrier's media stream, a recorder in a test. Nothing here waits. */
export interface Line {
  /** Sound to be heard from now on, 16-bit mono at the rate of the line, handed over at the speed of hearing. */
  play(samples: Int16Array): void;
  /** Drops sound that was sent and not heard, where the carrier can. */
  clear(): void;
  /** Requests a report when everything sent so far was heard; only with `hasMarks`. */
  mark(name: string): void;
  readonly hasMarks: boolean;
  tell(frame: ServerFrame): void;
  transfer(to: string): void;
  end(reason: string): void;
}

/** Puts both channels of a call where they were heard. Nothing here waits. */
export interface Recording {
  /** The caller's sound; its first sample was spoken at this moment of the session. */
  caller(samples: Int16Array, atMs: number): void;
  /** The agent's sound; its first sample is heard at this moment. */
  agent(samples: Int16Array, atMs: number): void;
  /** Everything from this moment on was silenced. */
  agentSilenced(atMs: number): void;
}

/** Collects keys into entries: a caller may press several for one answer. */
export interface Keypad {
  /** A key may come twice, as a message of the line and as its tone. */
  press(digit: string, source: 'tone' | 'message'): void;
  close(): void;
}
