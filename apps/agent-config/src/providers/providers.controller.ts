import { Controller } from '@nestjs/common';
import {
  listLlmModels,
  listLlmProviders,
  listTranscribeModels,
  listTranscribeProviders,
  listVoiceModels,
  listVoiceProviders,
} from '@parley/contracts';
import { type Call, Handles, type HandlerOf, organizationOf } from '@parley/messaging';
import type { z } from 'zod';
import { providersOf } from './catalogue';
import { llmModelsOf, transcribeModelsOf, voicesOf } from './models.wire';
import type { ProviderKind } from './provider';
import { ProviderSettings } from './provider-settings';
import { keyOf, publicProvider } from './provider.wire';

type LlmQuery = z.output<typeof listLlmModels.request>;
type VoiceQuery = z.output<typeof listVoiceModels.request>;
type TranscribeQuery = z.output<typeof listTranscribeModels.request>;

/** The catalogue of providers over the bus. */
@Controller()
export class ProvidersController {
  constructor(private readonly settings: ProviderSettings) {}

  @Handles(listLlmProviders)
  async llmProviders(_: object, call: Call): Promise<Awaited<ReturnType<HandlerOf<typeof listLlmProviders>>>> {
    const listed = await this.listed('LLM', call);
    return listed.map(({ isStreaming: _streams, id, ...fields }) => ({
      LLMProviderKeyID: keyOf('LLM', id),
      LLMProviderID: id,
      ...fields,
    }));
  }

  @Handles(listVoiceProviders)
  async voiceProviders(_: object, call: Call): Promise<Awaited<ReturnType<HandlerOf<typeof listVoiceProviders>>>> {
    const listed = await this.listed('VOICE', call);
    return listed.map(({ id, ...fields }) => ({ VoiceProviderKeyID: keyOf('VOICE', id), VoiceProviderID: id, ...fields }));
  }

  @Handles(listTranscribeProviders)
  async transcribeProviders(_: object, call: Call): Promise<Awaited<ReturnType<HandlerOf<typeof listTranscribeProviders>>>> {
    const listed = await this.listed('TRANSCRIBE', call);
    return listed.map(({ id, ...fields }) => ({
      TranscribeProviderKeyID: keyOf('TRANSCRIBE', id),
      TranscribeProviderID: id,
      ...fields,
    }));
  }

  @Handles(listLlmModels)
  llmModels({ llmProviderID }: LlmQuery): ReturnType<HandlerOf<typeof listLlmModels>> {
    return llmModelsOf(llmProviderID);
  }

  @Handles(listVoiceModels)
  voices({ voiceProviderID }: VoiceQuery): ReturnType<HandlerOf<typeof listVoiceModels>> {
    return voicesOf(voiceProviderID);
  }

  @Handles(listTranscribeModels)
  transcribeModels({ transcribeProviderID }: TranscribeQuery): ReturnType<HandlerOf<typeof listTranscribeModels>> {
    return transcribeModelsOf(transcribeProviderID);
  }

  private async listed(kind: ProviderKind, call: Call) {
    const missing = await this.settings.missingFor(organizationOf(call));
    return providersOf(kind).map((provider) => publicProvider(provider, missing(provider)));
  }
}
