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
  /** Sound on its way to the client belongs to an answer that was cancelled. */
  dropSound(): void;
  warn(code: SocketWarning): void;
  /** Reports a problem with one frame; the session continues. */
  complain(fault: Fault): void;
  /** Reports why it cannot continue, and ends. */
  fail(fault: Fault): void;
  close(closing: Closing): void;
}

/** What happens between a client and an agent, or a transcriber, on one socket. */
export interface Exchange {
  /** Resolves with the `session.ready` frame; fails with a Fault if the session cannot begin. */
  begin(start: SessionStart): Promise<ServerFrame>;
  sound(bytes: Uint8Array): void;
  frame(frame: SessionFrame): void;
  /** The client asked for the end: `session.ended` is still told. */
  end(): void;
  /** The socket is gone. Resolves when all usage is paid. */
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

/** How many bytes a close frame has for its reason. */
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

/** How a socket ends after a fault. One that the client could have avoided is a violation of the protocol. */
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

/** What one socket may cost at most, beside what an operator can set. */
export const socketLimits = {
  /** A larger frame closes the socket with 1009. Three seconds of the richest sound; every text frame is far smaller. */
  frameBytesMax: 256 * 1024,
  /** Invalid frames: more than this many at once, or one every few seconds, closes with 1008. */
  violationsMax: 20,
  violationForgottenMs: 3_000,
  /** How far sound may come ahead of real time, and how much faster it may continue; then the socket is not read for a while. */
  soundAheadMsMax: 3_000,
  soundSpeedMax: 1.25,
  /** The same for text frames. */
  textFramesAtOnce: 200,
  textFramesPerSecond: 100,
  /** How much is handed to the operating system at a time; the rest waits here, where it can still be dropped. */
  handedBytesMax: 32 * 1024,
  /** A reader is warned so far behind, and given up so far behind. */
  behindWarnedMs: 2_000,
  behindMsMax: 10_000,
  /** The least that counts as behind: at a telephone's rate two seconds are only a few frames. */
  behindBytesMin: 128 * 1024,
  /** How long a client may take to answer a close. */
  closeMs: 2_000,
  /** How long the speech service may take to end a session with its last words. */
  endMs: 5_000,
  farewellMs: 20_000,
  /** Typed questions that wait for the answer before. */
  questionsMax: 4,
} as const;

/** The rate of sound before a client says another: 16-bit samples at 16 kHz. */
export const usualBytesPerSecond = 32_000;
