import { Injectable } from '@nestjs/common';
import { builtinToolNames, Fault, type FaultDetail, type RuntimeSettings, secretMask } from '@parley/contracts';
import { findProvider, providerOfModel } from '../providers/catalogue';
import { notConfigured, type ProviderKind, ProviderSettings } from '../providers/provider-settings';
import { invalidFields } from '../refusals/invalid-fields';

const schemaBytesMax = 16_384;
const notRecorded = 'IsRecording must be 0: this installation records no calls, so it may not announce that it does.';

interface Choice {
  readonly kind: ProviderKind;
  readonly field: string;
  readonly id: number;
}

/** What no single field shows: whether the parts of a configuration fit one another and this installation. */
@Injectable()
export class RuntimeCheck {
  constructor(private readonly settings: ProviderSettings) {}

  /** Throws VALIDATION_FAILED about everything that is wrong, or else CONFLICT or PROVIDER_NOT_CONFIGURED about the first that this installation lacks. */
  async check(settings: RuntimeSettings, orgId: number): Promise<void> {
    const details = [...unknownProviders(settings), ...misplacedModels(settings), ...contradictions(settings)];
    if (details.length > 0) throw invalidFields(details);
    // Nobody may be told that a call is recorded which is not.
    if (settings.IsRecording === 1) throw new Fault('CONFLICT', { message: notRecorded });
    const missingFor = await this.settings.missingFor(orgId);
    const chosen = chosenProviders(settings);
    for (const { kind, field, id } of chosenModels(settings)) {
      const provider = providerOfModel(kind, id);
      // Whoever named the provider, and perhaps no model, reads of the provider.
      const named = isMain(field) ? chosen.find((each) => each.kind === kind && each.id === provider?.id) : undefined;
      const missing = provider ? missingFor(provider) : [];
      // Every agent has a recognizer, text agents too, which hear nothing: one of this machine is listed, not demanded.
      const isDemanded = kind !== 'TRANSCRIBE' || !provider?.isLocal;
      if (provider && isDemanded && missing.length > 0) throw notConfigured(provider, missing, named?.field ?? field);
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

function isMain(field: string): boolean {
  return ['LLMModelID', 'VoiceID', 'TranscribeID'].includes(field);
}

const lists = { LLM: 'llm-provider-list', VOICE: 'voice-provider-list', TRANSCRIBE: 'transcribe-provider-list' } as const;

function unknownProviders(settings: RuntimeSettings): FaultDetail[] {
  return chosenProviders(settings)
    .filter(({ kind, id }) => !findProvider(kind, id))
    .map(({ kind, field, id }) => ({ field, message: `${field} ${id} is not in ${lists[kind]}` }));
}

function misplacedModels(settings: RuntimeSettings): FaultDetail[] {
  const providers = new Map(chosenProviders(settings).map(({ kind, id }) => [kind, id]));
  return chosenModels(settings).flatMap(({ kind, field, id }): FaultDetail[] => {
    const provider = providerOfModel(kind, id);
    if (!provider) return [{ field, message: `${field} ${id} belongs to no provider` }];
    const chosen = providers.get(kind);
    if (!isMain(field) || chosen === undefined || chosen === provider.id) return [];
    return [{ field, message: `${field} ${id} belongs to provider ${provider.id} (${provider.name}), not to ${chosen}` }];
  });
}

/** What in a configuration speaks against itself. */
function contradictions(settings: RuntimeSettings): FaultDetail[] {
  const { EndOfTurn, Tools, TransferNumbers } = settings;
  const checks: [isWrong: boolean, field: string, predicate: string][] = [
    [
      settings.IsRecording === 1 && !settings.RecordingConsentLine.trim(),
      'RecordingConsentLine',
      'is required while IsRecording is 1',
    ],
    [
      EndOfTurn.dictationSilenceMs < EndOfTurn.silenceMs,
      'EndOfTurn.dictationSilenceMs',
      'must not be less than EndOfTurn.silenceMs',
    ],
    [settings.IdlePrompts.afterMs >= settings.MaxCallSeconds * 1000, 'IdlePrompts.afterMs', 'must be less than MaxCallSeconds'],
    [repeats(Tools.map(({ name }) => name)), 'Tools', 'must each have a name of their own'],
    [
      Tools.some(({ name }) => builtinToolNames.includes(name)),
      'Tools',
      `must not be called as one of the platform: ${builtinToolNames.join(', ')}`,
    ],
    [repeats(TransferNumbers.map(({ name }) => name)), 'TransferNumbers', 'must each have a name of their own'],
    [repeats([settings.LLMModelID, ...settings.LLMFallbackModelIDs]), 'LLMFallbackModelIDs', 'must not repeat a model'],
    [repeats([settings.VoiceID, ...settings.FallbackVoiceIDs]), 'FallbackVoiceIDs', 'must not repeat a voice'],
    [repeats([settings.TranscribeID, ...settings.FallbackTranscribeIDs]), 'FallbackTranscribeIDs', 'must not repeat a model'],
  ];
  const wrong = checks
    .filter(([isWrong]) => isWrong)
    .map(([, field, predicate]) => ({ field, message: `${field} ${predicate}` }));
  return [...wrong, ...Tools.flatMap(unusableParameters), ...Tools.flatMap(unmarkedSecrets), ...passwordsInAddresses(settings)];
}

/** A mask that is not marked as a secret would be kept as the value itself, and the secret behind it lost. */
function unmarkedSecrets({ name, headers }: RuntimeSettings['Tools'][number]): FaultDetail[] {
  return headers
    .filter(({ isSecret, value }) => !isSecret && value === secretMask)
    .map((header) => {
      const field = `Tools.${name}.headers.${header.name}`;
      return { field, message: `${field} is masked: mark it isSecret to keep its secret, or send its value` };
    });
}

/** Addresses are read back, logged and audited in clear. */
function passwordsInAddresses({ Tools, WebhookURL }: RuntimeSettings): FaultDetail[] {
  const addresses: [field: string, url: string | null][] = [
    ...Tools.map(({ name, url }): [string, string] => [`Tools.${name}.url`, url]),
    ['WebhookURL', WebhookURL],
  ];
  return addresses.flatMap(([field, url]) => {
    if (url === null) return [];
    const { username, password } = new URL(url);
    return username + password === '' ? [] : [{ field, message: `${field} must hold no user name and no password` }];
  });
}

/** Models are given the parameters of a function as the JSON Schema of an object. */
function unusableParameters({ name, parameters }: RuntimeSettings['Tools'][number]): FaultDetail[] {
  const field = `Tools.${name}.parameters`;
  if (parameters.type !== 'object') return [{ field, message: `${field} must be a JSON Schema of type object` }];
  if (Buffer.byteLength(JSON.stringify(parameters)) <= schemaBytesMax) return [];
  return [{ field, message: `${field} must be at most ${schemaBytesMax} bytes of JSON` }];
}

function repeats(values: readonly unknown[]): boolean {
  return new Set(values).size < values.length;
}
