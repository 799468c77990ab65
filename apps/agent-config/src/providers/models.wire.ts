import { Fault, type listLlmModels, type listTranscribeModels, type listVoiceModels } from '@parley/contracts';
import { languageModelProviders } from '@parley/providers/language-model-catalogue';
import { transcribeProviders, voiceProviders } from '@parley/providers/speech-catalogue';
import type { z } from 'zod';
import { modelKeyOf } from './provider.wire';

const genders = { female: 'FEMALE', male: 'MALE', neutral: 'NEUTRAL' } as const;

/** The models of a provider; an unknown provider is NOT_FOUND. */
export function llmModelsOf(id: number): z.input<typeof listLlmModels.reply> {
  return found(languageModelProviders, id).models.map((model) => ({
    LLMModelKeyID: modelKeyOf('LLM', model.id), LLMModelID: model.id, LLMProviderID: id, name: model.model,
    contextTokens: model.contextTokens,
  }));
}

/** The voices of a provider; an unknown provider is NOT_FOUND. */
export function voicesOf(id: number): z.input<typeof listVoiceModels.reply> {
  const { voices, sampleRates } = found(voiceProviders, id);
  return voices.map((voice) => ({
    VoiceKeyID: modelKeyOf('VOICE', voice.id), VoiceID: voice.id, VoiceProviderID: id, name: voice.voice,
    gender: genders[voice.gender], languages: [...voice.languages], sampleRates: [...sampleRates],
  }));
}

/** The models of a provider; an unknown provider is NOT_FOUND. */
export function transcribeModelsOf(id: number): z.input<typeof listTranscribeModels.reply> {
  const { models, wordTimings } = found(transcribeProviders, id);
  return models.map((model) => ({
    TranscribeKeyID: modelKeyOf('TRANSCRIBE', model.id), TranscribeID: model.id, TranscribeProviderID: id, name: model.model,
    languages: [...model.languages], hasWordTimings: wordTimings,
  }));
}

function found<Entry extends { readonly id: number }>(entries: readonly Entry[], id: number): Entry {
  const entry = entries.find((candidate) => candidate.id === id);
  if (!entry) throw new Fault('NOT_FOUND', { message: 'There is no such provider.' });
  return entry;
}
