import { z } from 'zod';
import { defineRequest } from '../messages';
import { described, Nothing, TextualId, Uuid, wholeListOf } from '../vocabulary';

const Quality = z.enum(['PRODUCTION', 'GOOD', 'DEMO']);
const Latency = z.enum(['INSTANT', 'FAST', 'MEDIUM', 'SLOW']);
const llm = '11f3b5d7-9e1a-4c3d-8e5f-7a9b1c3d5e7f';
const voice = '22f3b5d7-9e1a-4c3d-8e5f-7a9b1c3d5e7f';
const transcribe = '33f3b5d7-9e1a-4c3d-8e5f-7a9b1c3d5e7f';

const ProviderFields = z.object({
  name: z.string(),
  isConfigured: z.boolean(),
  missingSettings: z.array(z.string()),
  isLocal: z.boolean(),
  languages: z.array(z.string()),
  latency: Latency,
  quality: Quality,
});
const builtin: z.input<typeof ProviderFields> = {
  name: 'builtin',
  isConfigured: true,
  missingSettings: [],
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
  z.object({ LLMModelKeyID: Uuid, LLMModelID: z.int(), LLMProviderID: z.int(), name: z.string(), contextTokens: z.int() }),
  { LLMModelKeyID: llm, LLMModelID: 1, LLMProviderID: 1, name: 'extractive', contextTokens: 8192 },
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
    VoiceProviderID: z.int(),
    name: z.string(),
    gender: z.enum(['FEMALE', 'MALE', 'NEUTRAL']),
    languages: z.array(z.string()),
    sampleRates: z.array(z.int()),
  }),
  {
    VoiceKeyID: voice,
    VoiceID: 3,
    VoiceProviderID: 1,
    name: 'slt',
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
    TranscribeProviderID: z.int(),
    name: z.string(),
    languages: z.array(z.string()),
    hasWordTimings: z.boolean(),
  }),
  {
    TranscribeKeyID: transcribe,
    TranscribeID: 1,
    TranscribeProviderID: 1,
    name: 'en-us',
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
