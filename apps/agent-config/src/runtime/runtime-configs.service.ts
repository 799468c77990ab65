import { Controller, Injectable } from '@nestjs/common';
import {
  builtinToolNames,
  Fault,
  type FaultDetail,
  fitsHeader,
  getRuntimeConfig,
  invalidFields,
  type RuntimeConfig,
  type ReplyOf,
  RuntimeSettings,
  saveRuntimeConfig,
  secretMask,
  type SpeechLanguage,
  holdsNoPassword,
} from '@parley/contracts';
import { TenantScope } from '@parley/database';
import { type Call, type HandlerOf, Handles, organizationOf } from '@parley/messaging';
import { voiceOf, voiceProviders } from '@parley/providers/speech-catalogue';
import { publicAddresses, whyRefused } from '@parley/service-kit';
import type { z } from 'zod';
import { AgentHistory, requireVersion } from '../definition/agent-history';
import { type Agent, findAgent } from '../definition/agent.entity';
import { defaultRuntime, publicRuntime, RuntimeSecrets, shownTo, unmasked } from '../definition/runtime-secrets';
import { LookupTables } from '../lookups/lookup-tables';
import { findProvider, providerOfModel } from '../providers/catalogue';
import { type Provider, type ProviderKind, ProviderSettings, whyNotWorking } from '../providers/provider-settings';
import { unusableParameters } from './tool-parameters';

const notRecorded = 'IsRecording must be 0: this installation records no calls, so it may not announce that it does.';

interface ProviderChoice {
  readonly kind: ProviderKind;
  readonly field: string;
  readonly id: number;
}

/** Checks across fields: whether the parts of a configuration are consistent and work on this installation. */
@Injectable()
export class RuntimeCheck {
  constructor(private readonly settings: ProviderSettings) {}

  /**
   * Throws one fault with everything that keeps these settings from being saved: VALIDATION_FAILED if any of them is invalid, otherwise
   * CONFLICT or PROVIDER_NOT_CONFIGURED for what this installation lacks. Returns warnings for engines that were chosen before and do
   * not work here any more: they stay, since the save is about something else, and work again once they are configured.
   */
  async check({ settings, before, sent, orgId }: Checking): Promise<string[]> {
    const fields = [...unknownProviders(settings), ...misplacedModels(settings), ...contradictions(settings)];
    // Only sent settings are checked: stored ones stay, and each request to their addresses is checked as well.
    const invalid = [...fields, ...unusableTools(sent), ...(await closedAddresses(sent))];
    // Callers must not be told that they are recorded if they are not.
    const recording = settings.IsRecording === 1 ? [{ field: 'IsRecording', message: notRecorded }] : [];
    const idle = await this.idleEngines(settings, orgId);
    const wasChosen = new Set(chosenModels(before).map(modelName));
    const [kept, named] = [true, false].map((isKept) => idle.filter((each) => wasChosen.has(modelName(each)) === isKept));
    const lacking = (named ?? []).map(({ field, message }) => ({ field, message }));
    const details = [...invalid, ...recording, ...lacking];
    if (invalid.length > 0) throw invalidFields(details);
    if (details.length > 0) throw new Fault(recording.length > 0 ? 'CONFLICT' : 'PROVIDER_NOT_CONFIGURED', { details });
    return (kept ?? []).map(
      ({ field, message }) => `${field}: ${message} Until it works, others are used in its place, if there are any.`,
    );
  }

  /** The chosen models that do not work here, each with what it lacks. */
  private async idleEngines(settings: RuntimeSettings, orgId: number): Promise<IdleEngine[]> {
    const missingFor = await this.settings.missingFor(orgId);
    const chosen = chosenProviders(settings);
    return chosenModels(settings).flatMap(({ kind, field, id }) => {
      const provider = providerOfModel(kind, id);
      const missing = provider ? missingFor(provider, modelIn(provider, id)?.name) : [];
      if (!provider || missing.length === 0) return [];
      // If only a provider was named, the error names the provider's field.
      const named =
        isMain(field) && missingFor(provider).length > 0
          ? chosen.find((each) => each.kind === kind && each.id === provider.id)
          : undefined;
      return [{ kind, id, field: named?.field ?? field, message: whyNotWorking(provider, missing) }];
    });
  }
}

function modelIn({ models }: Provider, id: number | null): Provider['models'][number] | undefined {
  return models.find((model) => model.id === id);
}

interface Checking {
  readonly settings: RuntimeSettings;
  readonly before: RuntimeSettings;
  readonly sent: Sent;
  readonly orgId: number;
}

interface IdleEngine extends ProviderChoice {
  readonly message: string;
}

function modelName({ kind, id }: Pick<ProviderChoice, 'kind' | 'id'>): string {
  return `${kind}/${id}`;
}

function chosenProviders(settings: RuntimeSettings): ProviderChoice[] {
  const { LLMProviderID, VoiceProviderID, TranscribeProviderID } = settings;
  return [
    ...(LLMProviderID === null ? [] : [{ kind: 'LLM' as const, field: 'LLMProviderID', id: LLMProviderID }]),
    ...(VoiceProviderID === null ? [] : [{ kind: 'VOICE' as const, field: 'VoiceProviderID', id: VoiceProviderID }]),
    ...(TranscribeProviderID === null
      ? []
      : [{ kind: 'TRANSCRIBE' as const, field: 'TranscribeProviderID', id: TranscribeProviderID }]),
  ];
}

function chosenModels(settings: RuntimeSettings): ProviderChoice[] {
  const { LLMModelID, VoiceID, TranscribeID } = settings;
  const listed = (kind: ProviderKind, field: string, ids: readonly (number | null)[]): ProviderChoice[] =>
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

/** Settings that contradict each other. */
function contradictions(settings: RuntimeSettings): FaultDetail[] {
  const { EndOfTurn, Tools, TransferNumbers } = settings;
  const checks: [isWrong: boolean, field: string, predicate: string][] = [
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
    // The agent finds a number by its name, ignoring case.
    [
      repeats(TransferNumbers.map(({ name }) => name.trim().toLowerCase())),
      'TransferNumbers',
      'must each have a name of their own',
    ],
    [repeats([settings.LLMModelID, ...settings.LLMFallbackModelIDs]), 'LLMFallbackModelIDs', 'must not repeat a model'],
    [repeats([settings.VoiceID, ...settings.FallbackVoiceIDs]), 'FallbackVoiceIDs', 'must not repeat a voice'],
    [repeats([settings.TranscribeID, ...settings.FallbackTranscribeIDs]), 'FallbackTranscribeIDs', 'must not repeat a model'],
  ];
  const wrong = checks
    .filter(([isWrong]) => isWrong)
    .map(([, field, predicate]) => ({ field, message: `${field} ${predicate}` }));
  return [...wrong, ...Tools.flatMap(unmarkedSecrets), ...passwordsInAddresses(settings)];
}

/** A mask that is not marked as a secret would be stored as the value itself, and the secret it stands for would be lost. */
function unmarkedSecrets({ name, headers }: RuntimeSettings['Tools'][number]): FaultDetail[] {
  return headers
    .filter(({ isSecret, value }) => !isSecret && value === secretMask)
    .map((header) => {
      const field = `Tools.${name}.headers.${header.name}`;
      return { field, message: `${field} is masked: mark it isSecret to keep its secret, or send its value` };
    });
}

function unusableTools({ Tools, TransferNumbers }: Sent): FaultDetail[] {
  const numbers = (TransferNumbers ?? []).filter(({ name }) => name.trim() === '').map(({ number }) => number);
  const nameless = numbers.map((number) => ({ field: 'TransferNumbers', message: `TransferNumbers must name ${number}` }));
  return [...(Tools ?? []).flatMap(unusableParameters), ...(Tools ?? []).flatMap(brokenHeaders), ...nameless];
}

/** A line break in a value would start another header, so every request with it would fail. */
function brokenHeaders({ name, headers }: RuntimeSettings['Tools'][number]): FaultDetail[] {
  return headers
    .filter(({ value }) => value !== secretMask && !fitsHeader(value))
    .map((header) => {
      const field = `Tools.${name}.headers.${header.name}`;
      return { field, message: `${field} must be one line of characters that a header may hold` };
    });
}

/** Refuses an address that every call would refuse. A name that does not resolve yet may do so later. */
async function closedAddresses({ Tools, WebhookURL }: Sent): Promise<FaultDetail[]> {
  const addresses: [field: string, url: string][] = (Tools ?? []).map(({ name, url }) => [`Tools.${name}.url`, url]);
  if (WebhookURL) addresses.push(['WebhookURL', WebhookURL]);
  const refusals = await Promise.all(addresses.map(([, url]) => whyRefused(publicAddresses, new URL(url))));
  return addresses.flatMap(([field], place) => {
    const refusal = refusals[place];
    return refusal === undefined ? [] : [{ field, message: `${field} cannot be called: ${refusal}` }];
  });
}

function passwordsInAddresses({ Tools, WebhookURL }: RuntimeSettings): FaultDetail[] {
  const addresses: [field: string, url: string | null][] = [
    ...Tools.map(({ name, url }): [string, string] => [`Tools.${name}.url`, url]),
    ['WebhookURL', WebhookURL],
  ];
  return addresses.flatMap(([field, url]) => {
    if (url === null || holdsNoPassword(url)) return [];
    return [{ field, message: `${field} must hold no user name and no password` }];
  });
}

function repeats(values: readonly unknown[]): boolean {
  return new Set(values).size < values.length;
}

type Sent = Omit<z.output<typeof saveRuntimeConfig.request>, 'Version'>;
type GroupName = 'EndOfTurn' | 'Interruption' | 'IdlePrompts';

/** How agents hear, think and speak. A configuration belongs to its agent: saving it creates a version. */
@Injectable()
export class RuntimeConfigs {
  constructor(
    private readonly tenants: TenantScope,
    private readonly checks: RuntimeCheck,
    private readonly secrets: RuntimeSecrets,
    private readonly history: AgentHistory,
    private readonly lookups: LookupTables,
    private readonly providers: ProviderSettings,
  ) {}

  /** Omitted fields stay unchanged. */
  async save(
    { Version, ...wanted }: z.output<typeof saveRuntimeConfig.request>,
    call: Call,
  ): Promise<ReplyOf<typeof saveRuntimeConfig>> {
    const orgId = organizationOf(call);
    const { AgentID } = wanted;
    const before = await this.tenants.read(orgId, (manager) => findAgent(manager, call, { AgentID }));
    const sent = { ...wanted, ...unmasked(wanted, before) };
    // The check may ask another service, so it runs before anything is locked.
    const settings = withSent(before, sent, this.providers);
    const warnings = await this.checks.check({ settings, before: publicRuntime(before), sent, orgId });
    return this.tenants.run(orgId, async (manager) => {
      const stored = await findAgent(manager, call, { AgentID }, { isForUpdate: true });
      requireVersion(stored, Version);
      const runtime = await this.secrets.sealed(manager, stored, withSent(stored, sent, this.providers));
      const { definition } = stored;
      const kept = publicRuntime(await this.history.keep(manager, call, { stored, state: { definition, runtime } }));
      const foreign = foreignVoices(kept, this.lookups.languageOf(definition.languageId));
      return { ...kept, warnings: [...replacedModels(publicRuntime(stored), kept, sent), ...foreign, ...warnings] };
    });
  }

  get(choice: z.output<typeof getRuntimeConfig.request>, call: Call): Promise<RuntimeConfig> {
    return this.tenants.read(organizationOf(call), async (manager) =>
      shownTo(call, publicRuntime(await findAgent(manager, call, choice))),
    );
  }
}

const modelsOfProviders = [
  ['LLMProviderID', 'LLMModelID'],
  ['VoiceProviderID', 'VoiceID'],
  ['TranscribeProviderID', 'TranscribeID'],
] as const;

/** Warnings for models that were chosen before, and gave way to one of a provider that was sent without a model. */
function replacedModels(before: RuntimeSettings, now: RuntimeSettings, sent: Sent): string[] {
  return modelsOfProviders.flatMap(([provider, model]) => {
    const [was, is] = [before[model], now[model]];
    if (!sent[provider] || sent[model] || was === null || was === is) return [];
    return [`${model} is ${is ?? 'not set'} now, because ${was} is none of ${provider} ${sent[provider]} that works here.`];
  });
}

const voicesToldMax = 10;

/**
 * Warnings for voices that do not speak the agent's language. They are kept, for answers in another language, but callers will
 * mostly hear a default voice.
 */
function foreignVoices({ VoiceID, FallbackVoiceIDs }: RuntimeSettings, language: SpeechLanguage): string[] {
  const chosen = VoiceID === null ? FallbackVoiceIDs : [VoiceID, ...FallbackVoiceIDs];
  if (chosen.length === 0 || chosen.some((id) => voiceOf(id)?.languages.includes(language))) return [];
  const fitting = voiceProviders.flatMap(({ voices }) => voices).filter(({ languages }) => languages.includes(language));
  const listed = fitting.slice(0, voicesToldMax).map(({ id }) => id);
  return [`No chosen voice speaks ${language}, so another one does. Voices that speak it: ${listed.join(', ')}.`];
}

/**
 * An agent's settings with the sent ones applied: omitted fields stay, and null restores the default, also within a group. A
 * provider without a model means its first model that is installed.
 */
function withSent(
  agent: Agent,
  { EndOfTurn, Interruption, IdlePrompts, ...sent }: Sent,
  providers: ProviderSettings,
): RuntimeSettings {
  const before = publicRuntime(agent);
  const defaults = defaultRuntime(agent);
  const group = (name: GroupName, said: object | null | undefined) =>
    said === null ? defaults[name] : replaced(before[name], said ?? {}, defaults[name]);
  const settings = RuntimeSettings.parse({
    ...replaced(before, sent, defaults),
    EndOfTurn: group('EndOfTurn', EndOfTurn),
    Interruption: group('Interruption', Interruption),
    IdlePrompts: group('IdlePrompts', IdlePrompts),
  });
  return { ...settings, ...firstModels(settings, sent, providers) };
}

function replaced(before: object, sent: object, defaults: object): object {
  const given = Object.entries(sent).filter(([, value]) => value !== undefined);
  return {
    ...before,
    ...Object.fromEntries(given.map(([name, value]) => [name, value === null ? Reflect.get(defaults, name) : value])),
  };
}

/** A provider sent without a model means a model of that provider, not the installation's default. The present one stays if it works. */
function firstModels(settings: RuntimeSettings, sent: Omit<Sent, GroupName>, providers: ProviderSettings): object {
  const firstOf = (kind: ProviderKind, providerId: number, present: number | null): number | null => {
    const provider = findProvider(kind, providerId);
    return provider ? (providers.firstOf(provider, present)?.id ?? present) : present;
  };
  const { LLMProviderID, VoiceProviderID, TranscribeProviderID } = sent;
  return {
    ...(LLMProviderID && !sent.LLMModelID && { LLMModelID: firstOf('LLM', LLMProviderID, settings.LLMModelID) }),
    ...(VoiceProviderID && !sent.VoiceID && { VoiceID: firstOf('VOICE', VoiceProviderID, settings.VoiceID) }),
    ...(TranscribeProviderID &&
      !sent.TranscribeID && { TranscribeID: firstOf('TRANSCRIBE', TranscribeProviderID, settings.TranscribeID) }),
  };
}

type SaveRuntimeConfigHandler = HandlerOf<typeof saveRuntimeConfig>;
type GetRuntimeConfigHandler = HandlerOf<typeof getRuntimeConfig>;

/** Runtime configurations over the bus. */
@Controller()
export class RuntimeConfigController {
  constructor(private readonly configs: RuntimeConfigs) {}

  @Handles(saveRuntimeConfig)
  save(body: Parameters<SaveRuntimeConfigHandler>[0], call: Call): ReturnType<SaveRuntimeConfigHandler> {
    return this.configs.save(body, call);
  }

  @Handles(getRuntimeConfig)
  get(choice: Parameters<GetRuntimeConfigHandler>[0], call: Call): ReturnType<GetRuntimeConfigHandler> {
    return this.configs.get(choice, call);
  }
}
