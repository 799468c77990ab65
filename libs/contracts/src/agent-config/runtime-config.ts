import { z } from 'zod';
import { defineRequest } from '../messages';
import {
  agentKeyExample,
  described,
  filledText,
  kbKeyExample,
  RecordId,
  secret,
  isSecretHeader,
  secretMask,
  secretPath,
  SpeechLanguage,
  Switch,
  text,
  TextualId,
  Timestamp,
  updatedOnExample,
  Uuid,
  WebAddress,
} from '../vocabulary';

const framingHeaders = /^(?:connection|content-length|expect|host|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade)$/i;
/** Headers that determine where a request ends and who receives it. Only we may set them, because connections are shared. */
export function isFramingHeader(name: string): boolean {
  return framingHeaders.test(name);
}

const HeaderName = z
  .string()
  .max(100)
  .regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, 'must be a header name')
  .refine((name) => !isFramingHeader(name), 'must not be a header of the connection, such as host or transfer-encoding');

/** The names of built-in tools, which an agent's own tools may not use. */
export const builtinToolNames: readonly string[] = [
  'end_conversation',
  'search_knowledge',
  'price_and_availability',
  'transfer_call',
  'call_back',
  'do_not_call_again',
];

/** An HTTP function that the model may call. A secret is written once and read back masked. */
export const AgentTool = described(
  'AgentTool',
  'An HTTP function with JSON Schema parameters.',
  z.object({
    name: z.string().regex(/^[a-zA-Z][a-zA-Z0-9_]{0,63}$/, 'must start with a letter and have only letters, digits and _'),
    description: filledText(1000),
    method: z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']).default('POST'),
    url: secretPath(WebAddress),
    parameters: z.record(z.string(), z.unknown()),
    headers: z
      .array(
        // Strict, since `secret` instead of `isSecret` would leave the value readable.
        z
          .strictObject({
            name: HeaderName,
            value: secret(text(2000), { when: 'isSecret' }),
            isSecret: z.boolean().default(false),
          })
          .overwrite((header) => ({ ...header, isSecret: header.isSecret || isSecretHeader(header.name) })),
      )
      .max(20)
      .default([]),
    timeoutMs: z.int().min(100).max(20_000).default(5000),
  }),
  {
    name: 'order_status',
    description: 'Looks up an order by its number.',
    method: 'POST',
    url: 'https://shop.example/api/order-status',
    parameters: { type: 'object', properties: { orderNo: { type: 'string' } }, required: ['orderNo'] },
    headers: [{ name: 'authorization', value: secretMask, isSecret: true }],
    timeoutMs: 5000,
  },
);

/** A tool for other schemas' examples. */
export const toolExample = {
  name: 'order_status',
  description: 'Looks up an order by its number.',
  url: 'https://shop.example/api/order-status',
  parameters: { type: 'object' },
};

const EndOfTurn = z.object({
  silenceMs: z.int().min(100).max(3000).default(600),
  dictationSilenceMs: z.int().min(300).max(5000).default(1500),
});

const Interruption = z.object({
  minSpeechMs: z.int().min(0).max(2000).default(300),
  minWords: z.int().min(0).max(10).default(1),
});

const patienceWords = ['MOST_EAGER', 'EAGER', 'BALANCED', 'PATIENT', 'MOST_PATIENT'] as const;

/** What each word of `Patience` stands for. `BALANCED` is what the four numbers are by default. */
export const patiences: Record<(typeof patienceWords)[number], Preset> = {
  MOST_EAGER: preset([300, 1000], [0, 1]),
  EAGER: preset([450, 1200], [150, 1]),
  BALANCED: preset([600, 1500], [300, 1]),
  PATIENT: preset([900, 2000], [600, 1]),
  MOST_PATIENT: preset([1500, 3000], [1000, 2]),
};

type Preset = { readonly EndOfTurn: z.output<typeof EndOfTurn>; readonly Interruption: z.output<typeof Interruption> };

function preset([silenceMs, dictationSilenceMs]: [number, number], [minSpeechMs, minWords]: [number, number]): Preset {
  return { EndOfTurn: { silenceMs, dictationSilenceMs }, Interruption: { minSpeechMs, minWords } };
}

const IdlePrompts = z.object({
  afterMs: z.int().min(2000).max(60_000).default(8000),
  prompts: z.array(text(300)).max(5).default([]),
  goodbye: text(300).default(''),
});

/** Settings for live calls beyond the specification. Every default suits an ordinary call. */
const callSettings = {
  Patience: z.enum(patienceWords).nullable().default(null),
  EndOfTurn: EndOfTurn.prefault({}),
  Interruption: Interruption.prefault({}),
  IdlePrompts: IdlePrompts.prefault({}),
  Fillers: z.array(text(100)).max(10).default([]),
  MaxCallSeconds: z.int().min(30).max(14_400).default(1800),
  IsRecording: Switch.default(0),
  RecordingConsentLine: text(500).default(''),
  RetentionDays: z.int().min(1).max(3650).default(365),
};

const providerChain = z.array(RecordId).max(3);

/** The fields in the specification. */
const specified = {
  AgentID: RecordId,
  // Null like the other engines: an agent that names none hears with the best one that works here.
  TranscribeID: RecordId.nullable().default(null),
  TranscribeProviderID: RecordId.nullable().default(null),
  IsAllowInteruption: Switch,
  IsBackgroundNoiceFilter: Switch,
  BackgroundNoiceFilterCount: z.int().min(0).max(100),
  IsEnableDTMF: Switch,
};

/** The models of an agent. Null means the installation's default. */
const models = {
  LLMProviderID: RecordId.nullable().default(null),
  LLMModelID: RecordId.nullable().default(null),
  LLMFallbackModelIDs: providerChain.default([]),
  Temperature: z.number().min(0).max(2).default(0.4),
  MaxTokens: z.int().min(16).max(8192).default(512),
  VoiceProviderID: RecordId.nullable().default(null),
  VoiceID: RecordId.nullable().default(null),
  VoiceSpeed: z.number().min(0.7).max(1.2).default(1),
  FallbackVoiceIDs: providerChain.default([]),
  FallbackTranscribeIDs: providerChain.default([]),
};

/** How an agent answers Hindi written in Latin letters. */
export const hinglishAnswers = ['AS_WRITTEN', 'HINDI', 'ENGLISH'] as const;

const languages = {
  HinglishAnswers: z.enum(hinglishAnswers).default('AS_WRITTEN').meta({
    description:
      'The answer to Hindi in Latin letters: in the same letters (in Devanagari where it is spoken), in Devanagari always, or in English. Marathi in Latin letters is answered in the same letters with `AS_WRITTEN`, otherwise in Devanagari.',
  }),
};

const operations = {
  Tools: z.array(AgentTool).max(32).default([]),
  TransferNumbers: z
    .array(z.object({ name: text(80), number: z.e164() }))
    .max(20)
    .default([]),
  WebhookURL: secretPath(WebAddress).nullable().default(null),
};

const values = {
  AgentID: 12,
  TranscribeID: null,
  TranscribeProviderID: null,
  IsAllowInteruption: 1,
  IsBackgroundNoiceFilter: 1,
  BackgroundNoiceFilterCount: 60,
  IsEnableDTMF: 0,
} as const;

export const RuntimeSettings = z.object({ ...specified, ...models, ...callSettings, ...languages, ...operations });
export type RuntimeSettings = z.output<typeof RuntimeSettings>;

/** An agent's settings before a configuration is saved for it. */
export function defaultRuntimeSettings(AgentID: number): RuntimeSettings {
  const filter = { IsBackgroundNoiceFilter: 1, BackgroundNoiceFilterCount: 60 };
  return RuntimeSettings.parse({ AgentID, ...filter, IsAllowInteruption: 1, IsEnableDTMF: 1 });
}

/** How an agent hears, thinks and speaks. */
export const RuntimeConfig = described(
  'RuntimeConfig',
  'The runtime configuration of an agent, defaults filled in.',
  RuntimeSettings.extend({ AgentKeyID: Uuid, Version: z.int().min(1), UpdatedOn: Timestamp }),
  { ...values, AgentKeyID: agentKeyExample, Version: 3, UpdatedOn: updatedOnExample },
);
export type RuntimeConfig = z.output<typeof RuntimeConfig>;

/** A configuration for other schemas' examples. */
export const runtimeConfigExample = { ...values, AgentKeyID: agentKeyExample, Version: 3, UpdatedOn: updatedOnExample };

/** A field that may be omitted, which leaves it unchanged; null restores its default. */
const optional = <Field extends z.ZodType>(field: z.ZodDefault<Field>) => field.unwrap().nullish();

/** The same settings, all optional. */
const leftOut = {
  TranscribeID: optional(specified.TranscribeID),
  TranscribeProviderID: optional(specified.TranscribeProviderID),
  IsAllowInteruption: Switch.nullish(),
  IsBackgroundNoiceFilter: Switch.nullish(),
  BackgroundNoiceFilterCount: specified.BackgroundNoiceFilterCount.nullish(),
  IsEnableDTMF: Switch.nullish(),
  LLMProviderID: optional(models.LLMProviderID),
  LLMModelID: optional(models.LLMModelID),
  LLMFallbackModelIDs: optional(models.LLMFallbackModelIDs),
  Temperature: optional(models.Temperature),
  MaxTokens: optional(models.MaxTokens),
  VoiceProviderID: optional(models.VoiceProviderID),
  VoiceID: optional(models.VoiceID),
  VoiceSpeed: optional(models.VoiceSpeed),
  FallbackVoiceIDs: optional(models.FallbackVoiceIDs),
  FallbackTranscribeIDs: optional(models.FallbackTranscribeIDs),
  Patience: optional(callSettings.Patience),
  EndOfTurn: z
    .object({
      silenceMs: optional(EndOfTurn.shape.silenceMs),
      dictationSilenceMs: optional(EndOfTurn.shape.dictationSilenceMs),
    })
    .nullish(),
  Interruption: z
    .object({ minSpeechMs: optional(Interruption.shape.minSpeechMs), minWords: optional(Interruption.shape.minWords) })
    .nullish(),
  IdlePrompts: z
    .object({
      afterMs: optional(IdlePrompts.shape.afterMs),
      prompts: optional(IdlePrompts.shape.prompts),
      goodbye: optional(IdlePrompts.shape.goodbye),
    })
    .nullish(),
  Fillers: optional(callSettings.Fillers),
  MaxCallSeconds: optional(callSettings.MaxCallSeconds),
  IsRecording: optional(callSettings.IsRecording),
  RecordingConsentLine: optional(callSettings.RecordingConsentLine),
  RetentionDays: optional(callSettings.RetentionDays),
  HinglishAnswers: optional(languages.HinglishAnswers),
  Tools: optional(operations.Tools),
  TransferNumbers: optional(operations.TransferNumbers),
  WebhookURL: optional(operations.WebhookURL),
};

export const saveRuntimeConfig = defineRequest({
  subject: 'agent-config.runtime-config.save',
  request: described(
    'SaveRuntimeConfigRequest',
    'The runtime configuration of an agent. What is left out stays as it is, null restores the default. With `Version`, ' +
      'a save over a version of the agent that the client has not read is refused.',
    z.object({ AgentID: RecordId, ...leftOut, Version: RecordId.optional() }),
    values,
    {
      ...values,
      TranscribeID: 82,
      TranscribeProviderID: 8,
      LLMProviderID: 1,
      LLMModelID: 1,
      Temperature: 0.2,
      VoiceProviderID: 1,
      VoiceID: 3,
      VoiceSpeed: 1.1,
      Tools: [toolExample],
    },
  ),
  reply: described(
    'SavedRuntimeConfig',
    'The runtime configuration as it was saved.',
    RuntimeConfig.extend({
      warnings: z
        .array(z.string())
        .default([])
        .meta({ description: 'What the builder of the agent should know about these settings.' }),
    }),
    { ...runtimeConfigExample, warnings: [] },
  ),
});

export const getRuntimeConfig = defineRequest({
  subject: 'agent-config.runtime-config.get',
  request: described(
    'RuntimeConfigChoice',
    'One agent, by either of its ids.',
    z
      .object({ AgentID: TextualId.optional(), AgentKeyID: Uuid.optional() })
      .refine((query) => Boolean(query.AgentID ?? query.AgentKeyID), { path: ['AgentKeyID'], error: 'is required, or AgentID' })
      .meta({ anyOf: [{ required: ['AgentKeyID'] }, { required: ['AgentID'] }] }),
    { AgentKeyID: agentKeyExample },
    { AgentID: '12' },
  ),
  reply: RuntimeConfig,
});

/** Everything that a turn needs to know about its agent, in one message. Readers cache it until `agentChanged`. */
export const AgentRuntime = described(
  'AgentRuntime',
  'An agent as conversations and calls use it.',
  z.object({
    AgentID: z.int(),
    AgentKeyID: Uuid,
    Version: z.int(),
    AgentName: z.string(),
    language: SpeechLanguage,
    timezone: z.string(),
    SystemPrompt: z.string(),
    Greeting: z.string(),
    KBID: z.int().nullable(),
    KBKeyID: Uuid.nullable(),
    RuntimeConfiguration: RuntimeConfig,
  }),
  {
    AgentID: 12,
    AgentKeyID: agentKeyExample,
    Version: 3,
    AgentName: 'Maya',
    language: 'english',
    timezone: 'Asia/Kolkata',
    SystemPrompt: 'You are Maya …',
    Greeting: 'Hello!',
    KBID: 4,
    KBKeyID: kbKeyExample,
    RuntimeConfiguration: runtimeConfigExample,
  },
);
export type AgentRuntime = z.output<typeof AgentRuntime>;

/**
 * For other services: an agent of the caller's organization. Deleted ones are NOT_FOUND, unless `mayBeDeleted` is set, because a
 * call in progress outlives its agent.
 */
export const readAgentRuntime = defineRequest({
  subject: 'agent-config.agent.runtime',
  onlyReads: true,
  timeoutMs: 3000,
  request: described(
    'AgentRuntimeRequest',
    'One agent, by either of its ids.',
    z
      .object({ AgentID: RecordId.optional(), AgentKeyID: Uuid.optional(), mayBeDeleted: z.boolean().default(false) })
      .refine((body) => Boolean(body.AgentID ?? body.AgentKeyID), { path: ['AgentID'], error: 'is required, or AgentKeyID' }),
    { AgentID: 12 },
    { AgentKeyID: agentKeyExample },
  ),
  reply: AgentRuntime,
});

const AgentRetention = z.object({ AgentID: z.int(), RetentionDays: callSettings.RetentionDays });

/** For the conversation service, never for clients. Deleted agents are included: their conversations are still stored. */
export const readRetention = defineRequest({
  subject: 'agent-config.agent.retention',
  onlyReads: true,
  request: described('RetentionRequest', 'The agents of one organization.', z.object({ orgId: RecordId }), { orgId: 7 }),
  reply: described(
    'AgentRetentions',
    'How many days the text of each agent’s conversations is kept.',
    z.object({ agents: z.array(AgentRetention) }),
    { agents: [{ AgentID: 12, RetentionDays: 365 }] },
  ),
});

/** The voices chosen by the agent's builder, in order of preference. */
export function chosenVoicesOf({ RuntimeConfiguration: { VoiceID, FallbackVoiceIDs } }: AgentRuntime): number[] {
  return [...(VoiceID === null ? [] : [VoiceID]), ...FallbackVoiceIDs];
}

/** The speech-to-text models chosen by the agent's builder, in order of preference. */
export function chosenTranscribersOf({ RuntimeConfiguration }: Pick<AgentRuntime, 'RuntimeConfiguration'>): number[] {
  const { TranscribeID, FallbackTranscribeIDs } = RuntimeConfiguration;
  return [...(TranscribeID === null ? [] : [TranscribeID]), ...FallbackTranscribeIDs];
}
