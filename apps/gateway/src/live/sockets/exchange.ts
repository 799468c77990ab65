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

/** The client of an exchange: its socket, once the session has begun. */
export interface ClientSide {
  tell(frame: ServerFrame): void;
  sound(bytes: Uint8Array): void;
  /** Drops sound not yet sent: the answer it belongs to was cancelled. */
  dropSound(): void;
  warn(code: SocketWarning): void;
  /** Reports a problem with one frame; the session continues. */
  complain(fault: Fault): void;
  /** Reports why the session cannot continue, and ends it. */
  fail(fault: Fault): void;
  close(closing: Closing): void;
}

/** What runs on one socket: a conversation between a client and an agent, or a transcription. */
export interface Exchange {
  /** Resolves with the `session.ready` frame; fails with a Fault if the session cannot begin. */
  begin(start: SessionStart): Promise<ServerFrame>;
  sound(bytes: Uint8Array): void;
  frame(frame: SessionFrame): void;
  /** The client asked to end; it is still sent `session.ended`. */
  end(): void;
  /** The socket is closed. Resolves once all usage is paid. */
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

/** The most bytes that a close frame may use for its reason. */
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

/** How a socket is closed after a fault. One that the client could have avoided is a protocol violation. */
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

/** The limits of one socket, besides those that an operator can set. */
export const socketLimits = {
  /**
   * A larger frame closes the socket with 1009. This is three seconds of the highest-rate sound; every text frame is far smaller.
   */
  frameBytesMax: 256 * 1024,
  /** Invalid frames: this many at once, or more than one every few seconds, closes the socket with 1008. */
  violationsMax: 20,
  violationForgottenMs: 3_000,
  /**
   * How far ahead of real time sound may arrive, and how much faster it may continue; beyond that, reading pauses for a while.
   */
  soundAheadMsMax: 3_000,
  soundSpeedMax: 1.25,
  /** The limits for text frames. */
  textFramesAtOnce: 200,
  textFramesPerSecond: 100,
  /** How much is handed to the operating system at a time; the rest waits here, where it can still be dropped. */
  handedBytesMax: 32 * 1024,
  /** How far behind a reader is warned, and how far behind it is cut off. */
  behindWarnedMs: 2_000,
  behindMsMax: 10_000,
  /** Less than this never counts as behind: at telephone quality, two seconds are only a few frames. */
  behindBytesMin: 128 * 1024,
  /** How long a client may take to answer a close. */
  closeMs: 2_000,
  /** How long the speech service may take to end a session with its last words. */
  endMs: 5_000,
  /** How long the agent may take to say goodbye once the credits are used up. */
  lastWordsMs: 20_000,
  /** How many typed questions may wait for the previous answer. */
  questionsMax: 4,
} as const;

/** The sound rate unless a client states another: 16-bit samples at 16 kHz. */
export const usualBytesPerSecond = 32_000;
