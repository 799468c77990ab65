import type { ClientFrame, Fault, ServerFrame, SocketWarning } from '@parley/contracts';
import type { Closing } from './closing';

export type SessionStart = Extract<ClientFrame, { type: 'session.start' }>;
/** What a client says in the course of a session. */
export type ClientWord = Exclude<ClientFrame, { type: 'session.start' | 'session.end' | 'ping' }>;

/** The client of an exchange: its socket, once the session has begun. */
export interface ClientSide {
  tell(frame: ServerFrame): void;
  sound(bytes: Uint8Array): void;
  /** Sound on its way to the client belongs to an answer that was cancelled. */
  dropSound(): void;
  warn(code: SocketWarning): void;
  /** Tells of something that went wrong with one frame; the session goes on. */
  complain(fault: Fault): void;
  /** Tells why it cannot go on, and ends. */
  fail(fault: Fault): void;
  close(closing: Closing): void;
}

/** What happens between a client and an agent, or a transcriber, on one socket. */
export interface Exchange {
  /** Resolves with the word that the session has begun; a Fault when it cannot. */
  begin(start: SessionStart): Promise<ServerFrame>;
  sound(bytes: Uint8Array): void;
  say(word: ClientWord): void;
  /** The client asked for the end: `session.ended` is still told. */
  end(): void;
  /** The socket is gone, whatever for. Resolves when everything used is paid. */
  leave(reason: string): Promise<void>;
}

const sampleBytes = { pcm16: 2, mulaw: 1 };

/** Bytes of a second of sound in the form that a client chose. */
export function bytesPerSecond({ sampleRate, encoding }: Pick<SessionStart, 'sampleRate' | 'encoding'>): number {
  return sampleRate * sampleBytes[encoding];
}
