import {
  type ClientFrame,
  Fault,
  type FaultCode,
  type ServerFrame,
  socketCloseCodes,
  type SocketWarning,
} from '@parley/contracts';
import { faultBody } from '../../door/faults';

export type SessionStart = Extract<ClientFrame, { type: 'session.start' }>;
/** A text frame within a session. */
export type SessionFrame = Exclude<ClientFrame, { type: 'session.start' | 'session.end' | 'ping' }>;

/** The client's end of a relay: its socket. */
export interface ClientSide {
  tell(frame: ServerFrame): void;
  sound(bytes: Uint8Array): void;
  /** Drops sound that is waiting to be sent, since its answer was cancelled. */
  dropSound(): void;
  warn(code: SocketWarning): void;
  /** Reports a problem with one frame; the session continues. */
  complain(fault: Fault): void;
  /** Reports why the session cannot continue, and ends it. */
  fail(fault: Fault): void;
  close(closing: Closing): void;
}

/** Relays one socket's session between its client and the agent, or the transcriber. */
export interface Relay {
  /** Resolves with the `session.ready` frame; fails with a Fault if the session cannot begin. */
  begin(start: SessionStart): Promise<ServerFrame>;
  sound(bytes: Uint8Array): void;
  frame(frame: SessionFrame): void;
  /** The client asked to end the session: `session.ended` is still sent. */
  end(): void;
  /** Calls back once nobody speaks or is being answered, at once if that is now: the server restarts then, and breaks off no word. */
  whenQuiet(then: () => void): void;
  /** The socket is gone. Resolves when all usage has been charged. */
  leave(reason: string): Promise<void>;
}

const sampleBytes = { pcm16: 2, mulaw: 1 };

/** Bytes per second of sound in the client's format. */
export function bytesPerSecond({ sampleRate, encoding }: Pick<SessionStart, 'sampleRate' | 'encoding'>): number {
  return sampleRate * sampleBytes[encoding];
}

/** How a socket ends. */
export interface Closing {
  readonly code: number;
  readonly reason: string;
}

/** The maximum size of the reason in a close frame. */
const reasonBytesMax = 120;

const byFault: Partial<Record<FaultCode, number>> = {
  API_KEY_MISSING: socketCloseCodes.unauthenticated,
  API_KEY_INVALID: socketCloseCodes.unauthenticated,
  SCOPE_MISSING: socketCloseCodes.forbidden,
  ADDRESS_NOT_ALLOWED: socketCloseCodes.forbidden,
  CREDITS_EXHAUSTED: socketCloseCodes.forbidden,
  RATE_LIMITED: socketCloseCodes.tooManyConnections,
  INTERNAL: socketCloseCodes.failed,
  SERVICE_UNAVAILABLE: socketCloseCodes.unavailable,
  SPEECH_PROVIDER_UNAVAILABLE: socketCloseCodes.unavailable,
  MODEL_PROVIDER_UNAVAILABLE: socketCloseCodes.unavailable,
  DEADLINE_EXCEEDED: socketCloseCodes.unavailable,
};

/** How a socket is closed after a fault. Faults that the client could have avoided count as protocol violations. */
export function closingFor(fault: Fault, code = byFault[fault.code] ?? socketCloseCodes.badFrames): Closing {
  return { code, reason: shortened(fault.message) };
}

/** The frame that reports a fault. */
export function errorFrame(fault: Fault, requestId: string): ServerFrame {
  return { type: 'error', ...faultBody(fault, requestId) };
}

function shortened(text: string): string {
  let short = text.slice(0, reasonBytesMax);
  while (Buffer.byteLength(short) > reasonBytesMax) short = short.slice(0, -1);
  return short;
}

/** The limits of one socket that an operator cannot set. */
export const socketLimits = {
  /** A larger frame closes the socket with 1009. It holds nearly three seconds of the densest sound; text frames are far smaller. */
  frameBytesMax: 256 * 1024,
  /** More than this many invalid frames at once, or one every few seconds, close the socket with 1008. */
  violationsMax: 20,
  violationForgottenMs: 3_000,
  /** How far ahead of real time sound may arrive, and how much faster it may continue. Beyond that, reading pauses. */
  soundAheadMsMax: 3_000,
  soundSpeedMax: 1.25,
  /** The limits for text frames. */
  textFramesAtOnce: 200,
  textFramesPerSecond: 100,
  /** How much is given to the operating system at a time; the rest waits here, where it can still be dropped. */
  handedBytesMax: 32 * 1024,
  /** How far behind a reader is warned, and how far behind it is disconnected. */
  behindWarnedMs: 2_000,
  behindMsMax: 10_000,
  /** The minimum that counts as behind, since at a telephone's rate two seconds are only a few frames. */
  behindBytesMin: 128 * 1024,
  /** How long a client may take to answer a close frame. */
  closeMs: 2_000,
  /** How long the speech service may take to end a session, including its last transcript. */
  endMs: 5_000,
  /** How long the agent may take to say goodbye once the credits are used up, and a line that is only transcribed to be written. */
  lastWordsMs: 20_000,
  /** How many typed questions may wait for the previous answer. */
  questionsMax: 4,
} as const;

/** The assumed rate of sound before a client declares one: 16-bit samples at 16 kHz. */
export const usualBytesPerSecond = 32_000;
