import { z } from 'zod';
import { removalIn } from '../gateway/operator-terms';
import { defineEvent, defineRequest } from '../messages';
import {
  createdOnExample,
  described,
  filledText,
  fitsHeader,
  Nothing,
  RecordId,
  secret,
  secretPath,
  TextualId,
  Timestamp,
  Uuid,
  WebAddress,
  wholeListOf,
} from '../vocabulary';

const Quality = z.enum(['PRODUCTION', 'GOOD', 'DEMO']);
const Latency = z.enum(['INSTANT', 'FAST', 'MEDIUM', 'SLOW']);
const llm = '11f3b5d7-9e1a-4c3d-8e5f-7a9b1c3d5e7f';
const voice = '22f3b5d7-9e1a-4c3d-8e5f-7a9b1c3d5e7f';
const transcribe = '33f3b5d7-9e1a-4c3d-8e5f-7a9b1c3d5e7f';

/** Of a provider, and of each of its models: an engine of this machine may have only some of them. */
const Usable = { isConfigured: z.boolean(), missingSettings: z.array(z.string()) };
const usable = { isConfigured: true, missingSettings: [] };

const ProviderFields = z.object({
  name: z.string(),
  ...Usable,
  isLocal: z.boolean(),
  languages: z.array(z.string()),
  latency: Latency,
  quality: Quality,
});
const builtin: z.input<typeof ProviderFields> = {
  name: 'builtin',
  ...usable,
  isLocal: true,
  languages: ['english', 'hindi', 'marathi'],
  latency: 'INSTANT',
  quality: 'DEMO',
};

const LlmProvider = described(
  'LLMProvider',
  'A language-model provider of this build.',
  z.object({ LLMProviderKeyID: Uuid, LLMProviderID: z.int(), ...ProviderFields.shape }),
  { LLMProviderKeyID: llm, LLMProviderID: 1, ...builtin },
);
const LlmModel = described(
  'LLMModel',
  'A model of a language-model provider.',
  z.object({
    LLMModelKeyID: Uuid,
    LLMModelID: z.int(),
    LLMProviderKeyID: Uuid,
    LLMProviderID: z.int(),
    name: z.string(),
    ...Usable,
    contextTokens: z.int(),
  }),
  {
    LLMModelKeyID: llm,
    LLMModelID: 1,
    LLMProviderKeyID: llm,
    LLMProviderID: 1,
    name: 'extractive',
    ...usable,
    contextTokens: 8192,
  },
);
const VoiceProvider = described(
  'VoiceProvider',
  'A text-to-speech engine of this build.',
  z.object({ VoiceProviderKeyID: Uuid, VoiceProviderID: z.int(), ...ProviderFields.shape, isStreaming: z.boolean() }),
  { VoiceProviderKeyID: voice, VoiceProviderID: 1, ...builtin, name: 'flite', languages: ['english'], isStreaming: true },
);
const VoiceModel = described(
  'VoiceModel',
  'A voice of a text-to-speech engine.',
  z.object({
    VoiceKeyID: Uuid,
    VoiceID: z.int(),
    VoiceProviderKeyID: Uuid,
    VoiceProviderID: z.int(),
    name: z.string(),
    ...Usable,
    gender: z.enum(['FEMALE', 'MALE', 'NEUTRAL']),
    languages: z.array(z.string()),
    sampleRates: z.array(z.int()),
  }),
  {
    VoiceKeyID: voice,
    VoiceID: 3,
    VoiceProviderKeyID: voice,
    VoiceProviderID: 1,
    name: 'slt',
    ...usable,
    gender: 'FEMALE',
    languages: ['english'],
    sampleRates: [16_000],
  },
);
const TranscribeProvider = described(
  'TranscribeProvider',
  'A speech-to-text provider of this build.',
  z.object({ TranscribeProviderKeyID: Uuid, TranscribeProviderID: z.int(), ...ProviderFields.shape, isStreaming: z.boolean() }),
  {
    TranscribeProviderKeyID: transcribe,
    TranscribeProviderID: 1,
    ...builtin,
    name: 'pocketsphinx',
    languages: ['english'],
    isStreaming: true,
  },
);
const TranscribeModel = described(
  'TranscribeModel',
  'A speech-to-text model.',
  z.object({
    TranscribeKeyID: Uuid,
    TranscribeID: z.int(),
    TranscribeProviderKeyID: Uuid,
    TranscribeProviderID: z.int(),
    name: z.string(),
    ...Usable,
    languages: z.array(z.string()),
    hasWordTimings: z.boolean(),
  }),
  {
    TranscribeKeyID: transcribe,
    TranscribeID: 1,
    TranscribeProviderKeyID: transcribe,
    TranscribeProviderID: 1,
    name: 'en-us',
    ...usable,
    languages: ['english'],
    hasWordTimings: true,
  },
);

export const listLlmProviders = defineRequest({
  subject: 'agent-config.llm-provider.list',
  request: Nothing,
  reply: wholeListOf('LLMProviders', LlmProvider),
});
export const listVoiceProviders = defineRequest({
  subject: 'agent-config.voice-provider.list',
  request: Nothing,
  reply: wholeListOf('VoiceProviders', VoiceProvider),
});
export const listTranscribeProviders = defineRequest({
  subject: 'agent-config.transcribe-provider.list',
  request: Nothing,
  reply: wholeListOf('TranscribeProviders', TranscribeProvider),
});

export const listLlmModels = defineRequest({
  subject: 'agent-config.llm-model.list',
  request: described('LLMModelQuery', 'Whose models.', z.object({ llmProviderID: TextualId }), { llmProviderID: '1' }),
  reply: wholeListOf('LLMModels', LlmModel),
});
export const listVoiceModels = defineRequest({
  subject: 'agent-config.voice-model.list',
  request: described('VoiceModelQuery', 'Whose voices.', z.object({ voiceProviderID: TextualId }), { voiceProviderID: '1' }),
  reply: wholeListOf('VoiceModels', VoiceModel),
});
export const listTranscribeModels = defineRequest({
  subject: 'agent-config.transcribe-model.list',
  request: described('TranscribeModelQuery', 'Whose models.', z.object({ transcribeProviderID: TextualId }), {
    transcribeProviderID: '1',
  }),
  reply: wholeListOf('TranscribeModels', TranscribeModel),
});

const key = '44f3b5d7-9e1a-4c3d-8e5f-7a9b1c3d5e7f';
const providerKinds = ['LLM', 'VOICE', 'TRANSCRIBE'] as const;

/** An organization's own key for a provider. It is stored encrypted and never read back. */
const ProviderKey = described(
  'ProviderKey',
  'A provider key without its secret.',
  z.object({
    ProviderCredentialKeyID: Uuid,
    ProviderCredentialID: z.int(),
    providerKind: z.enum(providerKinds),
    providerKeyID: Uuid,
    providerID: z.int(),
    lastFour: z.string(),
    baseURL: secretPath(z.string()).nullable(),
    model: z.string().nullable(),
    lastTestedOn: Timestamp.nullable(),
    isWorking: z.boolean().nullable(),
    CreatedOn: Timestamp,
  }),
  {
    ProviderCredentialKeyID: key,
    ProviderCredentialID: 2,
    providerKind: 'LLM',
    providerKeyID: llm,
    providerID: 3,
    lastFour: '9aQz',
    baseURL: null,
    model: null,
    lastTestedOn: null,
    isWorking: null,
    CreatedOn: createdOnExample,
  },
);

const providerChoice = { providerKind: z.enum(providerKinds), providerID: RecordId };

/** It is sent to the provider in a header. */
const ProviderKeyText = filledText(4096).refine(fitsHeader, 'must be one line of characters that a header may hold');

/** One key per provider and organization: setting it again replaces it; omitted fields stay. */
export const setProviderKey = defineRequest({
  subject: 'agent-config.provider-key.set',
  request: described(
    'SetProviderKeyRequest',
    'A provider and the key to use for it. `baseURL` is a server of your own that speaks the provider’s protocol: https and ' +
      'public. `model` is the model to request from it if the catalogue does not specify one (openai-compatible). When a key is set again, what is left ' +
      'out of these two stays, and null removes it.',
    z.object({
      ...providerChoice,
      key: secret(ProviderKeyText),
      baseURL: secretPath(WebAddress).nullish(),
      model: filledText(200).nullish(),
    }),
    { providerKind: 'LLM', providerID: 3, key: 'EXAMPLE-ONLY' },
    { providerKind: 'LLM', providerID: 5, key: 'EXAMPLE-ONLY', baseURL: 'https://models.example.com/v1', model: 'qwen3-8b' },
  ),
  reply: ProviderKey,
});

/** Sends the provider a request that costs nothing or nearly nothing. Without `key`, tests the stored one. */
export const testProviderKey = defineRequest({
  subject: 'agent-config.provider-key.test',
  timeoutMs: 20_000,
  request: described(
    'TestProviderKeyRequest',
    'A provider, and a key to test before it is stored.',
    z.object({ ...providerChoice, key: secret(ProviderKeyText).optional(), baseURL: secretPath(WebAddress).nullish() }),
    { providerKind: 'LLM', providerID: 3 },
  ),
  reply: described(
    'TestedProviderKey',
    'Whether the provider accepted the key.',
    z.object({ isWorking: z.boolean(), reason: z.string().nullable(), latencyMs: z.int().min(0) }),
    { isWorking: false, reason: 'The provider answered 401.', latencyMs: 210 },
  ),
});

export const listProviderKeys = defineRequest({
  subject: 'agent-config.provider-key.list',
  request: Nothing,
  reply: wholeListOf('ProviderKeys', ProviderKey),
});

export const deleteProviderKey = defineRequest({
  subject: 'agent-config.provider-key.delete',
  request: described('ProviderKeyChoice', 'One provider key.', z.object({ ProviderCredentialKeyID: Uuid }), {
    ProviderCredentialKeyID: key,
  }),
  reply: ProviderKey,
});

/** An organization's key was set or deleted: services that cache it read it again. */
export const providerKeyChanged = defineEvent({
  subject: 'agent-config.provider-key.changed',
  payload: described(
    'ProviderKeyChanged',
    'Whose key changed.',
    z.object({ providerKind: z.enum(providerKinds), providerID: z.int() }),
    { providerKind: 'VOICE', providerID: 5 },
  ),
});

/** The secret itself, for services that talk to providers. Never sent to clients. */
export const readProviderSecret = defineRequest({
  subject: 'agent-config.provider-key.secret',
  onlyReads: true,
  timeoutMs: 3000,
  request: described('ProviderSecretRequest', 'One provider.', z.object(providerChoice), { providerKind: 'LLM', providerID: 3 }),
  reply: described(
    'ProviderSecret',
    'The organization’s own key, or null when it has none.',
    z.object({
      secret: z
        .object({ key: secret(z.string()), baseURL: z.string().nullable(), model: z.string().nullable().default(null) })
        .nullable(),
    }),
    { secret: { key: 'EXAMPLE-ONLY', baseURL: null, model: null } },
  ),
});

/** For the operator's command only: agents and keys of providers of an organization that is deleted. */
export const removalInAgentConfig = removalIn('agent-config');
