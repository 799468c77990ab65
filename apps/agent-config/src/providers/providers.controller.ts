import { Controller } from '@nestjs/common';
import {
  Fault,
  listLlmModels,
  listLlmProviders,
  listTranscribeModels,
  listTranscribeProviders,
  listVoiceModels,
  listVoiceProviders,
} from '@parley/contracts';
import { type Call, Handles, type HandlerOf, organizationOf } from '@parley/messaging';
import { languageModelProviders } from '@parley/providers/language-model-catalogue';
import { stableKey, transcribeProviders, voiceProviders } from '@parley/providers/speech-catalogue';
import type { z } from 'zod';
import { providerKeyOf, providersOf } from './catalogue';
import { type Provider, type ProviderKind, ProviderSettings } from './provider-settings';

const genders = { female: 'FEMALE', male: 'MALE', neutral: 'NEUTRAL' } as const;

type LlmQuery = z.output<typeof listLlmModels.request>;
type VoiceQuery = z.output<typeof listVoiceModels.request>;
type TranscribeQuery = z.output<typeof listTranscribeModels.request>;

/** The catalogue of providers, over the bus. */
@Controller()
export class ProvidersController {
  constructor(private readonly settings: ProviderSettings) {}

  @Handles(listLlmProviders)
  async llmProviders(_: object, call: Call): Promise<Awaited<ReturnType<HandlerOf<typeof listLlmProviders>>>> {
    const listed = await this.listed('LLM', call);
    return listed.map(({ isStreaming: _streams, id, ...fields }) => ({
      LLMProviderKeyID: providerKeyOf('LLM', id),
      LLMProviderID: id,
      ...fields,
    }));
  }

  @Handles(listVoiceProviders)
  async voiceProviders(_: object, call: Call): Promise<Awaited<ReturnType<HandlerOf<typeof listVoiceProviders>>>> {
    const listed = await this.listed('VOICE', call);
    return listed.map(({ id, ...fields }) => ({
      VoiceProviderKeyID: providerKeyOf('VOICE', id),
      VoiceProviderID: id,
      ...fields,
    }));
  }

  @Handles(listTranscribeProviders)
  async transcribeProviders(_: object, call: Call): Promise<Awaited<ReturnType<HandlerOf<typeof listTranscribeProviders>>>> {
    const listed = await this.listed('TRANSCRIBE', call);
    return listed.map(({ id, ...fields }) => ({
      TranscribeProviderKeyID: providerKeyOf('TRANSCRIBE', id),
      TranscribeProviderID: id,
      ...fields,
    }));
  }

  @Handles(listLlmModels)
  async llmModels({ llmProviderID }: LlmQuery, call: Call): Promise<Awaited<ReturnType<HandlerOf<typeof listLlmModels>>>> {
    return llmModelsOf(llmProviderID, await this.lackOf('LLM', llmProviderID, call));
  }

  @Handles(listVoiceModels)
  async voices({ voiceProviderID }: VoiceQuery, call: Call): Promise<Awaited<ReturnType<HandlerOf<typeof listVoiceModels>>>> {
    return voicesOf(voiceProviderID, await this.lackOf('VOICE', voiceProviderID, call));
  }

  @Handles(listTranscribeModels)
  async transcribeModels(
    { transcribeProviderID }: TranscribeQuery,
    call: Call,
  ): Promise<Awaited<ReturnType<HandlerOf<typeof listTranscribeModels>>>> {
    return transcribeModelsOf(transcribeProviderID, await this.lackOf('TRANSCRIBE', transcribeProviderID, call));
  }

  /** Whether each model of a provider can be used, and what it lacks; an unknown provider is NOT_FOUND. */
  private async lackOf(kind: ProviderKind, id: number, call: Call): Promise<LackOf> {
    const provider = found(providersOf(kind), id);
    const missing = await this.settings.missingFor(organizationOf(call));
    return (model) => {
      const missingSettings = missing(provider, model);
      return { isConfigured: missingSettings.length === 0, missingSettings };
    };
  }

  private async listed(kind: ProviderKind, call: Call) {
    const missing = await this.settings.missingFor(organizationOf(call));
    return providersOf(kind).map((provider) => publicProvider(provider, missing(provider)));
  }
}

type LackOf = (model: string) => { isConfigured: boolean; missingSettings: string[] };

function llmModelsOf(id: number, lackOf: LackOf): z.input<typeof listLlmModels.reply> {
  return found(languageModelProviders, id).models.map((model) => ({
    LLMModelKeyID: modelKeyOf('LLM', model.id),
    LLMModelID: model.id,
    LLMProviderKeyID: providerKeyOf('LLM', id),
    LLMProviderID: id,
    name: model.model,
    ...lackOf(model.model),
    contextTokens: model.contextTokens,
  }));
}

function voicesOf(id: number, lackOf: LackOf): z.input<typeof listVoiceModels.reply> {
  const { voices, sampleRates } = found(voiceProviders, id);
  return voices.map((voice) => ({
    VoiceKeyID: modelKeyOf('VOICE', voice.id),
    VoiceID: voice.id,
    VoiceProviderKeyID: providerKeyOf('VOICE', id),
    VoiceProviderID: id,
    name: voice.voice,
    ...lackOf(voice.voice),
    gender: genders[voice.gender],
    languages: [...voice.languages],
    sampleRates: [...sampleRates],
  }));
}

function transcribeModelsOf(id: number, lackOf: LackOf): z.input<typeof listTranscribeModels.reply> {
  const { models, wordTimings } = found(transcribeProviders, id);
  return models.map((model) => ({
    TranscribeKeyID: modelKeyOf('TRANSCRIBE', model.id),
    TranscribeID: model.id,
    TranscribeProviderKeyID: providerKeyOf('TRANSCRIBE', id),
    TranscribeProviderID: id,
    name: model.model,
    ...lackOf(model.model),
    languages: [...model.languages],
    hasWordTimings: wordTimings,
  }));
}

function found<Entry extends { readonly id: number }>(entries: readonly Entry[], id: number): Entry {
  const entry = entries.find((candidate) => candidate.id === id);
  if (!entry) throw new Fault('NOT_FOUND', { message: 'There is no such provider.' });
  return entry;
}

/** The public id of a model or voice, the same in every installation. */
function modelKeyOf(kind: ProviderKind, id: number): string {
  return stableKey(`model/${kind}/${id}`);
}

/** A provider as clients read it. */
function publicProvider({ id, name, isLocal, languages, latency, quality, isStreaming }: Provider, missingSettings: string[]) {
  return {
    id,
    name,
    isConfigured: missingSettings.length === 0,
    missingSettings,
    isLocal,
    languages: [...languages],
    latency,
    quality,
    isStreaming,
  };
}
