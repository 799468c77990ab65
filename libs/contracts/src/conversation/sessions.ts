import { z } from 'zod';
import { defineEvent, defineRequest } from '../messages';
import {
  agentKeyExample,
  createdOnExample,
  described,
  filledText,
  RecordId,
  sessionExample,
  SpeechLanguage,
  text,
  Timestamp,
  Uuid,
} from '../vocabulary';
import { ProviderError, providerErrorsMax, Variables } from './turn-parts';
import { ConversationChannel } from './turns';

export const conversationOutcomes = ['ANSWERED', 'UNANSWERED', 'TRANSFERRED', 'ABANDONED', 'FAILED'] as const;
/** Why a conversation ended. */
export const SessionEndReason = z.enum([
  'ENDED_BY_USER',
  'ENDED_BY_AGENT',
  'IDLE',
  'CALL_ENDED',
  'TRANSFERRED',
  'CREDITS_EXHAUSTED',
  'MAX_DURATION',
  'FAILED',
]);

/**
 * What another voice line needs to continue a session: how long it was connected by voice, how long its caller pauses, and what the
 * agent said last.
 */
export const LineProgress = z.object({
  elapsedMs: z.number().min(0),
  usualPauseMs: z.number().min(0).optional(),
  /** The end of what the agent said: the question there determines how long to wait for an answer. */
  asked: z.string().max(1000).optional(),
});
export type LineProgress = z.output<typeof LineProgress>;

/**
 * Creates a session before its first turn, or checks that an existing one may continue: an unknown or foreign one is NOT_FOUND. With
 * `opensLine`, a voice line of the session is open from now on, until `recordSound` says that it is over or another one is opened.
 */
export const openSession = defineRequest({
  subject: 'conversation.session.open',
  request: described(
    'OpenSessionRequest',
    'The agent, and the session to continue if there is one.',
    z.object({
      AgentKeyID: Uuid.optional(),
      sessionUUID: Uuid.optional(),
      /** The session to continue must be of this channel. */
      ofChannel: ConversationChannel.optional(),
      channel: ConversationChannel.default('VOICE'),
      language: SpeechLanguage.optional(),
      variables: Variables.optional(),
      opensLine: z.boolean().default(false),
    }),
    { AgentKeyID: agentKeyExample, channel: 'VOICE' },
  ),
  reply: described(
    'OpenedSession',
    'A session that accepts turns. It `isNew` until something was asked in it; a new one begins with the greeting.',
    z.object({
      sessionUUID: Uuid,
      AgentID: z.int(),
      AgentKeyID: Uuid,
      isNew: z.boolean(),
      /** Of the lines before the one that is opened. */
      progress: LineProgress.optional(),
    }),
    { sessionUUID: sessionExample, AgentID: 12, AgentKeyID: agentKeyExample, isNew: true },
  ),
});

export const endSession = defineRequest({
  subject: 'conversation.session.end',
  request: described(
    'EndSessionRequest',
    'The session and why it ends.',
    z.object({
      sessionUUID: Uuid,
      reason: SessionEndReason,
      recordingKey: z.string().max(300).optional(),
      /** When it ended, if that was not recorded at the time. */
      endedOn: Timestamp.optional(),
    }),
    { sessionUUID: sessionExample, reason: 'ENDED_BY_USER' },
  ),
  reply: described('EndedSession', 'The session is over.', z.object({ sessionUUID: Uuid }), { sessionUUID: sessionExample }),
});

/** The totals of a conversation's sound; zero for a typed conversation. */
const sound = {
  heardSeconds: z.int().min(0).default(0),
  spokenSeconds: z.int().min(0).default(0),
  /** The caller spoke, but no engine transcribed anything: the platform failed, the caller was not silent. */
  isUnheard: z.boolean().default(false),
  /** Those that no turn reports. */
  providerErrors: z.array(ProviderError).max(providerErrorsMax).default([]),
};
const soundExample = { heardSeconds: 58, spokenSeconds: 21 };

/**
 * Sent by the speech service when a line of a live conversation has ended. Another line of the same conversation adds to the
 * totals, and replaces whether the caller was heard.
 */
export const recordSound = defineRequest({
  subject: 'conversation.session.sound',
  request: described(
    'RecordSoundRequest',
    'What was heard and said on one line, and which engines failed on it.',
    z.object({
      sessionUUID: Uuid,
      ...sound,
      /** How long the session was connected before this line, as its opening said, and with it. Ignored once another is open. */
      connected: z
        .object({ beforeMs: z.int().min(0), elapsedMs: z.int().min(0), usualPauseMs: z.number().min(0).optional() })
        .optional(),
    }),
    { sessionUUID: sessionExample, ...soundExample },
  ),
  reply: described('SoundRecorded', 'The report of the line is recorded.', z.object({ sessionUUID: Uuid }), {
    sessionUUID: sessionExample,
  }),
});

/** The conversation so far, in the form of the specification. */
export const getHistory = defineRequest({
  subject: 'conversation.session.history',
  onlyReads: true,
  request: described('HistoryRequest', 'One session.', z.object({ sessionUUID: Uuid }), { sessionUUID: sessionExample }),
  reply: described(
    'SessionHistory',
    'What was said, in order. The gateway adds `statusCode`.',
    z.object({
      sessionUUID: Uuid,
      AgentID: z.int(),
      createdAt: Timestamp,
      chatHistory: z.array(z.object({ sender: z.enum(['user', 'assistant']), text: z.string() })),
    }),
    {
      sessionUUID: sessionExample,
      AgentID: 12,
      createdAt: createdOnExample,
      chatHistory: [
        { sender: 'user', text: 'When do you deliver?' },
        { sender: 'assistant', text: 'Within three working days.' },
      ],
    },
  ),
});

export const conversationEnded = defineEvent({
  subject: 'conversation.session.ended',
  payload: described(
    'ConversationEnded',
    'A conversation ended.',
    z.object({
      sessionUUID: Uuid,
      AgentID: RecordId,
      channel: ConversationChannel,
      reason: SessionEndReason,
      outcome: z.enum(conversationOutcomes),
      startedAt: Timestamp,
      durationSeconds: z.int().min(0),
      turnCount: z.int().min(0),
      totalTokens: z.int().min(0),
      /** A caller on the telephone asked, in any of their recorded words, never to be called again. */
      asksNeverToBeCalled: z.boolean().default(false),
      ...sound,
    }),
    {
      sessionUUID: sessionExample,
      AgentID: 12,
      channel: 'API',
      reason: 'IDLE',
      outcome: 'ANSWERED',
      startedAt: createdOnExample,
      durationSeconds: 62,
      turnCount: 3,
      totalTokens: 1204,
    },
  ),
});

const fieldsMax = 30;
/** All fields by name. */
const reasonMax = 2_500;
const choicesMax = 50;

/**
 * Strict, so that unsupported keywords such as `pattern`, `$ref` or nested fields are refused instead of ignored. What remains is
 * checked in linear time.
 */
const ResultField = z
  .strictObject({
    type: z.enum(['string', 'number', 'integer', 'boolean']),
    description: text(500).optional(),
    /** The choices for a `string`. */
    enum: z.array(filledText(100)).min(1).max(choicesMax).optional(),
    /** A `string` that is a date, as `YYYY-MM-DD`. */
    format: z.literal('date').optional(),
  })
  .refine((field) => field.type === 'string' || (field.enum === undefined && field.format === undefined), {
    path: ['type'],
    error: 'must be `string` where there is an `enum` or a `format`',
  });
export type ResultField = z.output<typeof ResultField>;

/**
 * What to extract from each call, as JSON Schema: one object with plain fields, which every model and the rules of the built-in
 * engine can fill in.
 */
export const ResultSchema = z.strictObject({
  type: z.literal('object').default('object'),
  properties: z
    .record(
      z.string().regex(/^[A-Za-z][A-Za-z0-9_]{0,63}$/, 'must start with a letter and have only letters, digits and _'),
      ResultField,
    )
    .refine(
      (fields) => Object.keys(fields).length >= 1 && Object.keys(fields).length <= fieldsMax,
      `must have 1 to ${fieldsMax} fields`,
    ),
  required: z.array(z.string().max(64)).max(fieldsMax).default([]),
  /** Common in requests for structured output, and always true: unlisted fields are dropped. */
  additionalProperties: z.literal(false).optional(),
});
export type ResultSchema = z.output<typeof ResultSchema>;

/** What was extracted from a call, by the fields of the campaign's `ResultSchema`. */
export const CallResult = z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]));
export type CallResult = z.output<typeof CallResult>;

/** Long enough to ask a model twice about the transcript of an hour. */
const extractionMs = 90_000;

/** For the bridge, once per call of a campaign: what the caller said, by the fields of a schema. Repeated after a failure. */
export const extractCallResult = defineRequest({
  subject: 'conversation.result.extract',
  timeoutMs: extractionMs,
  request: described(
    'ExtractCallResultRequest',
    'An ended conversation, and what to extract from it.',
    z.object({ sessionUUID: Uuid, ResultSchema }),
    {
      sessionUUID: sessionExample,
      ResultSchema: { properties: { will_pay: { type: 'boolean', description: 'Whether they will pay.' } } },
    },
  ),
  reply: described(
    'ExtractedCallResult',
    'What was extracted: each field has a value, or null if it was not mentioned. `reason` says why there is no `result`, or which required fields were not mentioned; `tokens` are those that the model used.',
    z.object({ result: CallResult.nullable(), reason: z.string().max(reasonMax).nullable(), tokens: z.int().min(0) }),
    { result: { will_pay: true }, reason: null, tokens: 412 },
  ),
});
