import { z } from 'zod';
import { LatencyParts, TokenUsage, Variables } from '../conversation';
import { FaultDetailSchema } from '../faults';
import { described, sessionExample, SpeechLanguage, text, Uuid } from '../vocabulary';

const SessionStart = z.object({
  type: z.literal('session.start'),
  sessionUUID: Uuid.optional(),
  sampleRate: z.literal([8000, 16_000, 24_000, 48_000]).default(16_000),
  encoding: z.enum(['pcm16', 'mulaw']).default('pcm16'),
  language: SpeechLanguage.optional(),
  variables: Variables.optional(),
});

/** What a client may say on a voice socket; audio goes in binary frames beside it. */
export const ClientFrame = described(
  'ClientFrame',
  'A JSON text frame from the client.',
  z.discriminatedUnion('type', [
    SessionStart,
    z.object({ type: z.literal('text'), text: text(8000).min(1) }),
    z.object({ type: z.literal('dtmf'), digit: z.string().regex(/^[0-9*#A-D]$/, 'must be one of 0-9, *, #, A-D') }),
    z.object({ type: z.literal('interrupt') }),
    z.object({ type: z.literal('playback'), playedMs: z.int().min(0) }),
    z.object({ type: z.literal('session.end') }),
    z.object({ type: z.literal('ping') }),
  ]),
  { type: 'session.start', sampleRate: 16_000, encoding: 'pcm16' },
  { type: 'playback', playedMs: 640 },
);
export type ClientFrame = z.output<typeof ClientFrame>;

const Usage = z.object({ kind: z.enum(['TTT_API', 'TTS_API', 'STT_API']), units: z.int().min(0) });
const Transcript = { text: z.string(), atMs: z.int().min(0) };

/** The error frame is the error body of HTTP with a `type` before it. */
const ErrorFrame = z.object({
  type: z.literal('error'),
  statusCode: z.int(),
  error: z.string(),
  code: z.string(),
  message: z.string(),
  details: z.array(FaultDetailSchema),
  requestId: z.string(),
});

/** What the server says on a voice socket; audio goes in binary frames after `agent.audio.start`. */
export const ServerFrame = described(
  'ServerFrame',
  'A JSON text frame from the server.',
  z.discriminatedUnion('type', [
    z.object({ type: z.literal('session.ready'), sessionUUID: Uuid, sampleRate: z.int(), encoding: z.enum(['pcm16', 'mulaw']) }),
    z.object({ type: z.literal('speech.started'), atMs: z.int().min(0) }),
    z.object({ type: z.literal('speech.ended'), atMs: z.int().min(0) }),
    z.object({ type: z.literal('transcript.partial'), ...Transcript }),
    z.object({ type: z.literal('transcript.final'), ...Transcript }),
    z.object({ type: z.literal('agent.delta'), text: z.string() }),
    z.object({ type: z.literal('agent.audio.start'), turnUUID: Uuid, sampleRate: z.int() }),
    z.object({ type: z.literal('agent.done'), turnUUID: Uuid, text: z.string(), usage: TokenUsage, latency: LatencyParts }),
    z.object({ type: z.literal('agent.interrupted'), heardText: z.string(), playedMs: z.int().min(0) }),
    z.object({ type: z.literal('usage'), usage: z.array(Usage) }),
    z.object({ type: z.literal('warning'), code: z.string(), message: z.string() }),
    ErrorFrame,
    z.object({ type: z.literal('session.ended'), reason: z.string() }),
    z.object({ type: z.literal('pong') }),
  ]),
  { type: 'session.ready', sessionUUID: sessionExample, sampleRate: 16_000, encoding: 'pcm16' },
  { type: 'agent.interrupted', heardText: 'Within three', playedMs: 640 },
);
export type ServerFrame = z.output<typeof ServerFrame>;

/** Why a voice socket was closed. */
export const socketCloseCodes = {
  ended: 1000,
  badFrames: 1008,
  slowReader: 1008,
  frameTooLarge: 1009,
  failed: 1011,
  serverRestarts: 1012,
  unavailable: 1013,
  unauthenticated: 4401,
  forbidden: 4403,
  idle: 4408,
  tokenUsed: 4409,
  tooManyConnections: 4429,
} as const;

/** What a client may read into each close code, and do about it. */
export const socketCloseMeanings: Readonly<Record<(typeof socketCloseCodes)[keyof typeof socketCloseCodes], string>> = {
  1000: 'The session is over; `session.ended` said why.',
  1008: 'Too many frames that this protocol does not know, a request that cannot be met, or a reader too slow for its sound.',
  1009: 'A frame was larger than the socket takes.',
  1011: 'Something failed on our side. Connect again with the same `sessionUUID`.',
  1012: 'The server restarts. Connect again with the same `sessionUUID`: the conversation goes on.',
  1013: 'No speech service is there. Wait, then connect again with the same `sessionUUID`.',
  4401: 'No valid credential: missing, unknown, expired or revoked, also while the socket was open.',
  4403: 'The credential may not do this, or the credits ran out.',
  4408: 'Nothing was said for too long.',
  4409: 'The token was used before. Each opens one socket.',
  4429: 'Too many connections, or too many attempts. Wait, then connect again.',
};

/** What a `warning` may be about. */
export const socketWarnings = {
  SLOW_READER: 'Sound is produced faster than you read it; the socket is closed if you fall further behind.',
  SESSION_MOVED: 'The session goes on in another process; an answer under way was broken off.',
  CREDITS_EXHAUSTED: 'The workspace has no credits left; the session ends.',
} as const;
export type SocketWarning = keyof typeof socketWarnings;
