import { z } from 'zod';
import {
  agentKeyExample,
  described,
  FileReference,
  secret,
  sessionExample,
  SpeechLanguage,
  Timestamp,
  Uuid,
} from '../vocabulary';
import { AnswerSource, Question, TokenUsage, Variables } from './turn-parts';

const answer = {
  answer: 'We deliver within three working days.',
  sessionUUID: sessionExample,
  detectedLanguage: 'english',
  tokenUsage: { promptTokens: 380, completionTokens: 32, totalTokens: 412 },
};

/** The body of a text answer; the gateway adds `statusCode`. */
export const TextAnswer = described(
  'TextAnswer',
  'The answer of an agent, and the session to continue.',
  z.object({
    answer: z.string(),
    sessionUUID: Uuid,
    detectedLanguage: z.string(),
    tokenUsage: TokenUsage,
    sources: z.array(AnswerSource).optional(),
  }),
  answer,
);

/** What a client sends to ask by text. `AgentKeyID` is for workspace keys: an agent key speaks only for its own agent. */
export const TextQuestion = described(
  'TextQuestion',
  'A question to an agent.',
  z.object({
    question: Question,
    sessionUUID: Uuid.optional(),
    variables: Variables.optional(),
    AgentKeyID: Uuid.optional(),
    includeSources: z.boolean().default(false),
  }),
  { question: 'When do you deliver?', variables: { name: 'Asha' } },
  { question: 'And on Sundays?', sessionUUID: sessionExample, AgentKeyID: agentKeyExample },
);

const audioBase64Max = 34_952_534;
const usage = { promptTokens: 380, completionTokens: 32, totalTokens: 412 };

/** What a client sends to the chat endpoint. Form fields are text, so `variables` and `sampleRate` are parsed from text there. */
export const ChatBody = described(
  'ChatRequest',
  'One turn in any of the four modes. `stt` takes `audioFile` (multipart) or `audioBase64`; the other modes take `question`.',
  z
    .object({
      question: Question.optional(),
      sessionUUID: Uuid.optional(),
      connectionType: z.enum(['ttt', 'stt', 'tts', 'sts']).default('ttt'),
      responseMode: z.enum(['sync', 'stream']).default('sync'),
      audioFile: FileReference.optional(),
      audioBase64: z
        .string()
        .max(audioBase64Max)
        .optional()
        .meta({
          description:
            'The recording of the question in base64: WAV, MP3, or raw PCM at its `sampleRate`; or as a `data:` URL ' +
            'such as `data:audio/pcm;base64,`.',
        }),
      sampleRate: z.coerce.number().int().min(8000).max(48_000).optional(),
      language: SpeechLanguage.optional(),
      variables: Variables.optional(),
      AgentKeyID: Uuid.optional().meta({
        description:
          'With a workspace key: the agent to ask, from `agent/agent-list`. It may be sent in the body, the form or the query.',
      }),
      includeSources: z.boolean().default(false),
    })
    .refine((body) => body.connectionType === 'stt' || body.connectionType === 'sts' || body.audioFile || body.question, {
      path: ['question'],
      error: 'is required',
    })
    .refine((body) => body.connectionType !== 'stt' || Boolean(body.audioFile ?? body.audioBase64), {
      path: ['audioFile'],
      error: 'is required, or audioBase64',
    }),
  { question: 'When do you deliver?', connectionType: 'ttt', responseMode: 'sync' },
  { connectionType: 'stt', audioBase64: 'UklGRg==', language: 'english', sessionUUID: sessionExample },
  { question: 'Hello', connectionType: 'tts', AgentKeyID: agentKeyExample },
  { connectionType: 'sts' },
);

/** The reply of the `stt` mode; the gateway adds `statusCode`. */
export const SpokenQuestionAnswer = described(
  'SpokenQuestionAnswer',
  'The transcript of the question, and the answer of the agent.',
  z.object({ transcription: z.string(), ...TextAnswer.shape }),
  {
    transcription: 'when do you deliver',
    answer: 'Within three working days.',
    sessionUUID: sessionExample,
    detectedLanguage: 'english',
    tokenUsage: usage,
  },
);

/** The reply of the `sts` mode; the gateway adds `statusCode`. */
export const VoiceSessionOffer = described(
  'VoiceSessionOffer',
  'Where to open the live conversation. The token is single-use and must be used within 60 seconds.',
  z.object({ sessionUUID: Uuid, wsUrl: secret(z.string()), token: secret(z.string()), expiresAt: Timestamp }),
  {
    sessionUUID: sessionExample,
    wsUrl: 'wss://voice.example/ws/sts?token=sst_EXAMPLE',
    token: 'sst_EXAMPLE',
    expiresAt: '2026-03-02T09:31:00.000Z',
  },
);

/** The server-sent events of `responseMode: stream`: the data of each event, by event name. */
export const chatEvents = {
  session: described('ChatSessionEvent', 'The first event.', z.object({ sessionUUID: Uuid }), { sessionUUID: sessionExample }),
  transcription: described('ChatTranscriptionEvent', 'The transcript of the question (stt).', z.object({ text: z.string() }), {
    text: 'when do you deliver',
  }),
  delta: described('ChatDeltaEvent', 'A piece of the answer.', z.object({ text: z.string() }), { text: 'Within ' }),
  done: described(
    'ChatDoneEvent',
    'The last event: the body of the sync reply.',
    z.object({
      transcription: z.string().optional(),
      answer: z.string(),
      sessionUUID: Uuid,
      detectedLanguage: z.string(),
      tokenUsage: TokenUsage,
      sources: z.array(AnswerSource).optional(),
    }),
    { answer: 'Within three working days.', sessionUUID: sessionExample, detectedLanguage: 'english', tokenUsage: usage },
  ),
} as const;
