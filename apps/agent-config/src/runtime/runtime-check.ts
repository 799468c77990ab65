import { Injectable } from '@nestjs/common';
import type { FaultDetail, RuntimeSettings } from '@parley/contracts';
import { findProvider, providerOfModel } from '../providers/catalogue';
import type { ProviderKind } from '../providers/provider';
import { notConfigured, ProviderSettings } from '../providers/provider-settings';
import { invalidFields } from '../refusals/invalid-fields';
import { contradictions } from './contradictions';

interface Choice {
  readonly kind: ProviderKind;
  readonly field: string;
  readonly id: number;
}

/** What no single field shows: whether the parts of a configuration fit one another and this installation. */
@Injectable()
export class RuntimeCheck {
  constructor(private readonly settings: ProviderSettings) {}

  /** Throws VALIDATION_FAILED about everything that is wrong, or else PROVIDER_NOT_CONFIGURED about the first that is missing. */
  async check(settings: RuntimeSettings, orgId: number): Promise<void> {
    const details = [...unknownProviders(settings), ...misplacedModels(settings), ...contradictions(settings)];
    if (details.length > 0) throw invalidFields(details);
    const missingFor = await this.settings.missingFor(orgId);
    for (const { kind, field, id } of chosenModels(settings)) {
      const provider = providerOfModel(kind, id);
      const missing = provider ? missingFor(provider) : [];
      // An engine of the machine may be installed at any time, and text agents need none: it is listed, not demanded.
      if (provider && !provider.isLocal && missing.length > 0) throw notConfigured(provider, missing, field);
    }
  }
}

function chosenProviders(settings: RuntimeSettings): Choice[] {
  const { LLMProviderID, VoiceProviderID, TranscribeProviderID } = settings;
  return [
    ...(LLMProviderID === null ? [] : [{ kind: 'LLM' as const, field: 'LLMProviderID', id: LLMProviderID }]),
    ...(VoiceProviderID === null ? [] : [{ kind: 'VOICE' as const, field: 'VoiceProviderID', id: VoiceProviderID }]),
    { kind: 'TRANSCRIBE', field: 'TranscribeProviderID', id: TranscribeProviderID },
  ];
}

function chosenModels(settings: RuntimeSettings): Choice[] {
  const { LLMModelID, VoiceID, TranscribeID } = settings;
  const listed = (kind: ProviderKind, field: string, ids: readonly (number | null)[]): Choice[] =>
    ids.flatMap((id) => (id === null ? [] : [{ kind, field, id }]));
  return [
    ...listed('LLM', 'LLMModelID', [LLMModelID]),
    ...listed('VOICE', 'VoiceID', [VoiceID]),
    ...listed('TRANSCRIBE', 'TranscribeID', [TranscribeID]),
    ...listed('LLM', 'LLMFallbackModelIDs', settings.LLMFallbackModelIDs),
    ...listed('VOICE', 'FallbackVoiceIDs', settings.FallbackVoiceIDs),
    ...listed('TRANSCRIBE', 'FallbackTranscribeIDs', settings.FallbackTranscribeIDs),
  ];
}

const lists = { LLM: 'llm-provider-list', VOICE: 'voice-provider-list', TRANSCRIBE: 'transcribe-provider-list' } as const;

function unknownProviders(settings: RuntimeSettings): FaultDetail[] {
  return chosenProviders(settings)
    .filter(({ kind, id }) => !findProvider(kind, id))
    .map(({ kind, field, id }) => ({ field, message: `${field} ${id} is not in ${lists[kind]}` }));
}

function misplacedModels(settings: RuntimeSettings): FaultDetail[] {
  const providers = new Map(chosenProviders(settings).map(({ kind, id }) => [kind, id]));
  const isMain = (field: string) => ['LLMModelID', 'VoiceID', 'TranscribeID'].includes(field);
  return chosenModels(settings).flatMap(({ kind, field, id }): FaultDetail[] => {
    const provider = providerOfModel(kind, id);
    if (!provider) return [{ field, message: `${field} ${id} belongs to no provider` }];
    const chosen = providers.get(kind);
    if (!isMain(field) || chosen === undefined || chosen === provider.id) return [];
    return [{ field, message: `${field} ${id} belongs to provider ${provider.id} (${provider.name}), not to ${chosen}` }];
  });
}
