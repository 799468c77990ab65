import { z } from 'zod';
import { LineProgress, SessionEndReason } from '../conversation/sessions';
import { LatencyParts, Question, TokenUsage, Variables } from '../conversation/turn-parts';
import { ConversationChannel } from '../conversation/turns';
import { FaultDetailSchema } from '../faults';
import { defineChannel } from '../messages';
import { agentKeyExample, described, sessionExample, SpeechLanguage, TurnsPayer, Uuid } from '../vocabulary';

const SessionStart = z
  .object({
    type: z.literal('session.start'),
    sessionUUID: Uuid.optional(),
    sampleRate: z.literal([8000, 16_000, 24_000, 48_000]).default(16_000),
    encoding: z.enum(['pcm16', 'mulaw']).default('pcm16'),
    language: SpeechLanguage.optional(),
    variables: Variables.optional(),
  })
  .describe(
    'The first frame. With `sessionUUID` an earlier conversation continues, and its time counts on (`MaxCallSeconds`); a transcription needs `language`. With a token, `variables` may only name those that it sets, and cannot change them.',
  );

/** What a client may send on a voice socket, besides audio in binary frames. */
export const ClientFrame = described(
  'ClientFrame',
  'A JSON text frame from the client.',
  z.discriminatedUnion('type', [
    SessionStart,
    z
      .object({ type: z.literal('text'), text: Question })
      .describe(
        'A typed question. It is answered by text and by speech; to the visitor of a widget by speech only once sound has been sent.',
      ),
    z
      .object({ type: z.literal('dtmf'), digit: z.string().regex(/^[0-9*#A-D]$/, 'must be one of 0-9, *, #, A-D') })
      .describe('A telephone key was pressed.'),
    z.object({ type: z.literal('interrupt') }).describe('Stop the current answer.'),
    z
      .object({ type: z.literal('playback'), playedMs: z.int().min(0) })
      .describe('How much of the current answer has been played. History keeps only what can have been heard.'),
    z.object({ type: z.literal('session.end') }).describe('End the session; `session.ended` comes back before the close.'),
    z.object({ type: z.literal('ping') }).describe('Answered by `pong`. It keeps the connection alive, not the session.'),
  ]),
  { type: 'session.start', sampleRate: 16_000, encoding: 'pcm16' },
  { type: 'text', text: 'When do you deliver?' },
  { type: 'dtmf', digit: '5' },
  { type: 'interrupt' },
  { type: 'playback', playedMs: 640 },
  { type: 'session.end' },
  { type: 'ping' },
);
export type ClientFrame = z.output<typeof ClientFrame>;

const warningCodes = [
  'SLOW_READER',
  'SESSION_MOVED',
  'CREDITS_EXHAUSTED',
  'AUDIO_DROPPED',
  'TRANSCRIPTION_BEHIND',
  'TEXT_IGNORED',
  'INTERRUPTION_NOT_ALLOWED',
  'ANSWER_CUT',
  'SPEECH_NOT_WRITTEN',
  'SPEECH_PROVIDER_UNAVAILABLE',
  'TRANSFER_NOT_POSSIBLE',
] as const;
export type SocketWarning = (typeof warningCodes)[number];

/** The possible subjects of a `warning`. */
export const socketWarnings: Readonly<Record<SocketWarning, string>> = {
  SLOW_READER: 'Sound is produced faster than you read it; the socket is closed if you fall further behind.',
  SESSION_MOVED: 'The session continues in another process; an answer that was still being spoken is cut off.',
  CREDITS_EXHAUSTED: 'The organization has no credits left; the session ends.',
  AUDIO_DROPPED: 'Sound arrived faster than it could be processed; the oldest was dropped.',
  TRANSCRIPTION_BEHIND: 'Speech arrived faster than it could be transcribed, and some was dropped.',
  TEXT_IGNORED: 'A typed text is not answered: the session is ending or on hold, or too many texts wait already.',
  INTERRUPTION_NOT_ALLOWED: 'The agent cannot be interrupted now; it continues.',
  ANSWER_CUT: 'The answer was too long and has been cut off.',
  SPEECH_NOT_WRITTEN: 'Something was said that no engine could transcribe; it is not answered.',
  SPEECH_PROVIDER_UNAVAILABLE: 'A sentence of the answer could not be spoken; its text was sent, and the others are spoken.',
  TRANSFER_NOT_POSSIBLE: 'This line cannot be connected to a person; the agent continues.',
};

const Usage = z.object({ kind: z.enum(['TTT_API', 'TTS_API', 'STT_API']), units: z.int().min(0) });
const Transcript = { text: z.string(), atMs: z.int().min(0) };

/** Why a socket's session is over: its conversation has ended, or goes on without this socket. */
const SocketEndReason = z.enum([...SessionEndReason.options, 'VOICEMAIL', 'REPLACED']);
export type SocketEndReason = z.output<typeof SocketEndReason>;

const ErrorFrame = z
  .object({
    type: z.literal('error'),
    statusCode: z.int(),
    error: z.string(),
    code: z.string(),
    message: z.string(),
    details: z.array(FaultDetailSchema),
    requestId: z.string(),
  })
  .describe('The error body of HTTP with a `type` before it. The session continues unless the socket is closed next.');

const turn = '5b0c7f0e-6d55-4a86-9f3c-1f8f6f0c2a11';
const latency = {
  endOfTurnMs: 320,
  transcriptionMs: 90,
  retrievalMs: 11,
  firstTokenMs: 240,
  firstAudioMs: 120,
  pacingMs: 20,
  totalMs: 801,
};

/** What the server sends on a voice socket, besides audio in binary frames after `agent.audio.start`. */
export const ServerFrame = described(
  'ServerFrame',
  'A JSON text frame from the server.',
  z.discriminatedUnion('type', [
    z
      .object({
        type: z.literal('session.ready'),
        sessionUUID: Uuid,
        sampleRate: z.int(),
        encoding: z.enum(['pcm16', 'mulaw']),
      })
      .describe('The session has begun. Keep `sessionUUID` to continue it after a lost connection.'),
    z.object({ type: z.literal('speech.started'), atMs: z.int().min(0) }).describe('The caller started speaking.'),
    z.object({ type: z.literal('speech.ended'), atMs: z.int().min(0) }).describe('The caller stopped speaking.'),
    z.object({ type: z.literal('transcript.partial'), ...Transcript }).describe('What was heard so far; it may still change.'),
    z.object({ type: z.literal('transcript.final'), ...Transcript }).describe('What was heard.'),
    z.object({ type: z.literal('agent.delta'), text: z.string() }).describe('The next words of the answer.'),
    z
      .object({ type: z.literal('agent.audio.start'), turnUUID: Uuid, sampleRate: z.int() })
      .describe('The binary frames from here on are the answer.'),
    z
      .object({ type: z.literal('agent.done'), turnUUID: Uuid, text: z.string(), usage: TokenUsage, latency: LatencyParts })
      .describe('The answer is complete, with its cost and where its time was spent.'),
    z
      .object({ type: z.literal('agent.interrupted'), heardText: z.string(), playedMs: z.int().min(0) })
      .describe('The answer was cut off: drop the sound that is not played yet. History keeps `heardText`.'),
    z
      .object({ type: z.literal('usage'), usage: z.array(Usage) })
      .describe('What was used since the last `usage`: tokens (TTT_API), characters (TTS_API), seconds heard (STT_API).'),
    z
      .object({ type: z.literal('warning'), code: z.enum(warningCodes), message: z.string() })
      .describe('The session continues, but note this.'),
    ErrorFrame,
    z
      .object({ type: z.literal('session.ended'), reason: SocketEndReason })
      .describe(
        'The session is over; the socket closes next. `reason`: the client (`ENDED_BY_USER`) or the agent (`ENDED_BY_AGENT`) ended it, nothing ' +
          'was said for too long (`IDLE`), it lasted as long as one may (`MAX_DURATION`), credits ran out (`CREDITS_EXHAUSTED`), another ' +
          'connection has taken the session over (`REPLACED`), or it failed (`FAILED`). Only of telephone calls: `CALL_ENDED`, `TRANSFERRED`, `VOICEMAIL`.',
      ),
    z.object({ type: z.literal('pong') }).describe('The answer to `ping`.'),
  ]),
  { type: 'session.ready', sessionUUID: sessionExample, sampleRate: 16_000, encoding: 'pcm16' },
  { type: 'speech.started', atMs: 1200 },
  { type: 'speech.ended', atMs: 2400 },
  { type: 'transcript.partial', text: 'when do you', atMs: 1900 },
  { type: 'transcript.final', text: 'When do you deliver?', atMs: 2400 },
  { type: 'agent.delta', text: 'Within three ' },
  { type: 'agent.audio.start', turnUUID: turn, sampleRate: 16_000 },
  {
    type: 'agent.done',
    turnUUID: turn,
    text: 'Within three working days.',
    latency,
    usage: { promptTokens: 380, completionTokens: 32, totalTokens: 412 },
  },
  { type: 'agent.interrupted', heardText: 'Within three', playedMs: 640 },
  {
    type: 'usage',
    usage: [
      { kind: 'STT_API', units: 5 },
      { kind: 'TTS_API', units: 26 },
    ],
  },
  { type: 'warning', code: 'SESSION_MOVED', message: 'The session continues in another process.' },
  {
    type: 'error',
    statusCode: 400,
    error: 'Bad Request',
    code: 'VALIDATION_FAILED',
    message: 'text must be a string of 1 to 8000 characters',
    details: [{ field: 'text', message: 'text must be a string of 1 to 8000 characters' }],
    requestId: '019a5b1e-7c2d-7f00-8a64-0c5d7e9f1a41',
  },
  { type: 'session.ended', reason: 'ENDED_BY_USER' },
  { type: 'pong' },
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
  replaced: 4410,
  tooManyConnections: 4429,
} as const;

/** What each close code means to a client, and what to do about it. */
export const socketCloseMeanings: Readonly<Record<(typeof socketCloseCodes)[keyof typeof socketCloseCodes], string>> = {
  1000: 'The session is over; `session.ended` said why.',
  1008: 'Too many frames that this protocol does not know, a request that cannot be fulfilled, or a reader too slow for its sound.',
  1009: 'A frame was larger than the socket accepts.',
  1011: 'Something failed on our side. Connect again with the same `sessionUUID`.',
  1012: 'The server is restarting. Connect again with the same `sessionUUID`: the conversation continues.',
  1013: 'No speech service is available. Wait, then connect again with the same `sessionUUID`.',
  4401: 'No valid credential: missing, unknown, expired or revoked, possibly while the socket was open; or its agent was deleted.',
  4403: 'The credential may not do this, or the credits ran out.',
  4408: 'Nothing was said for too long. `session.ended` with `IDLE` comes before, if a session had begun.',
  4409: 'The token was used before. Each opens one socket.',
  4410: 'Another connection has taken over this session.',
  4429: 'Too many connections, or too many attempts. Wait, then connect again.',
};

const audioFormat = {
  sampleRate: z.int().min(8000).max(48_000).default(16_000),
  encoding: z.enum(['pcm16', 'mulaw']).default('pcm16'),
};

/** Whether the opener reads `line.undecided`; one of an earlier build would close the line at a signal that it does not know. */
const takesUndecided = z.boolean().default(false);

/** Sent only by the gateway, never by a client: credits are exhausted, so the agent says so and ends the call politely. */
const CreditsExhausted = z.object({ type: z.literal('credits.exhausted') });

/**
 * Sent only by the gateway: the client has left, but its conversation may be resumed. The speech service reports its remaining
 * usage and closes the line; the gateway waits a moment for that before it closes the line itself.
 */
const CallerLeft = z.object({ type: z.literal('caller.left') });

/** A client that ends its own session needs no reason. The owner of a telephone line knows which side ended the call. */
const LineEnd = z.object({ type: z.literal('session.end'), reason: SessionEndReason.optional() });

/**
 * From the owner of a telephone line: transfer the caller once the current sentence has ended. The agent answers with
 * `line.transfer`.
 */
const TransferAsked = z.object({ type: z.literal('transfer.ask'), to: z.string().max(80) });

/** The sentence has ended and the agent is silent: the owner of the line connects the caller, or resumes the line. */
const LineTransfer = z.object({ type: z.literal('line.transfer'), to: z.string().max(80) });

/** The transfer was not answered: the agent resumes and says so. */
const TransferFailed = z.object({ type: z.literal('transfer.failed') });

/** The transfer was answered: the agent's part is over. */
const TransferDone = z.object({ type: z.literal('transfer.done') });

/** The line stays silent until `line.resume`, because a person is talking to the caller. */
const LineHold = z.object({ type: z.literal('line.hold') });
const LineResume = z.object({ type: z.literal('line.resume') });

/** The same from one replica to the next, with what the caller typed or said there and nobody answered. */
const LineHandover = LineProgress.extend({ waiting: z.array(z.string().max(8000)).max(20).optional() });
export type LineHandover = z.output<typeof LineHandover>;

/** From the speech service to whoever opened the line, who sends the latest one when reopening it. */
const LineProgressed = LineHandover.extend({ type: z.literal('line.progress') });

/**
 * To whoever opened the line with `turnsPaidBy`: what a turn cost, to be charged under the turn's own charge. If that is nothing,
 * its hold is released.
 */
const TurnUsed = z.object({ type: z.literal('turn.used'), chargeId: Uuid, tokens: z.int().min(0) });

/**
 * To whoever pays for the line: how much of the caller's sound is not transcribed yet and will be part of the `usage` if it is. Sent
 * when that changes by seconds, so that a long voice ends with the credits and not with its last word.
 */
const LineUndecided = z.object({ type: z.literal('line.undecided'), seconds: z.int().min(0).max(3600) });

/**
 * Both ends of a voice line share one set of signals; the direction determines who may send which. A `usage` signal reports usage
 * since the previous one, so the payer adds them up.
 */
const VoiceSignal = described(
  'VoiceSignal',
  'A text frame of a voice line, in either direction.',
  z.union([
    // First, since it comes every second on every line, and what is before it is tried in vain.
    LineProgressed,
    LineEnd,
    ClientFrame,
    ServerFrame,
    CreditsExhausted,
    CallerLeft,
    TransferAsked,
    LineTransfer,
    TransferFailed,
    TransferDone,
    LineHold,
    LineResume,
    TurnUsed,
    LineUndecided,
  ]),
  { type: 'ping' },
);

/**
 * Why the speech service closes a line whose session is not over: it leaves between two turns, and another replica takes over.
 */
export const voiceLineMoved = 'moved';

const Accepted = described(
  'VoiceLineAccepted',
  'The session that the line belongs to.',
  z.object({ sessionUUID: Uuid, ...audioFormat }),
  { sessionUUID: sessionExample, sampleRate: 16_000, encoding: 'pcm16' },
);

/** A live conversation with an agent: audio in both directions. */
export const openVoiceSession = defineChannel({
  subject: 'speech.voice-session.open',
  opening: described(
    'VoiceSessionOpening',
    'Who talks to which agent, in which audio format.',
    z.object({
      AgentKeyID: Uuid,
      sessionUUID: Uuid.optional(),
      channel: ConversationChannel.default('VOICE'),
      language: SpeechLanguage.optional(),
      variables: Variables.optional(),
      /** Whether whoever opened the line can transfer the caller to a person. */
      canTransfer: z.boolean().default(false),
      /** Each turn has a charge of its own, which the opener ends. If absent, tokens are part of the `usage`. */
      turnsPaidBy: TurnsPayer.optional(),
      takesUndecided,
      /** Only when the line of an existing session is reopened. */
      goesOn: LineHandover.optional(),
      ...audioFormat,
    }),
    { AgentKeyID: agentKeyExample, channel: 'VOICE', sampleRate: 16_000, encoding: 'pcm16' },
  ),
  accepted: Accepted,
  signal: VoiceSignal,
});

/** Audio in, transcripts out, without an agent. */
export const openTranscription = defineChannel({
  subject: 'speech.transcription.open',
  opening: described(
    'TranscriptionOpening',
    'Which language is spoken, in which audio format.',
    z.object({ language: SpeechLanguage, takesUndecided, ...audioFormat }),
    { language: 'hindi', sampleRate: 8000, encoding: 'mulaw' },
  ),
  accepted: Accepted,
  signal: VoiceSignal,
});
