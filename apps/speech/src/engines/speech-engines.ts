import { AudioFailure, type AudioFailureReason } from '@parley/audio';
import { Fault, type FaultCode } from '@parley/contracts';
import { saysAll } from '@parley/language';
import {
  CircuitBreaker,
  EnduringSpeech,
  type EnduringSpeechOptions,
  EnduringTranscription,
  type HearingRequest,
  meteredSpeech,
  meteredTranscription,
  ProviderFailure,
  SpeechCache,
  type SpeechToText,
  spokenLanguages,
  type SpokenLanguage,
  type TextToSpeech,
} from '@parley/ports';
import {
  transcribeModelOf,
  transcribeProviders,
  voiceOf,
  type VoiceProviderName,
  voiceProviders,
} from '@parley/providers/speech-catalogue';
import { LRUCache } from 'lru-cache';
import type { SpeechMetrics } from '../metrics';
import { inEveryScript, type OtherVoice, scriptsOf } from './every-script';

const does = { speaks: voiceProviders, understands: transcribeProviders } as const;

const chainsMax = 500;

/** Another voice gives up before the engine for which it speaks, which would otherwise be the one that counts as late. */
const sooner = { firstSoundMs: 4500, nextSoundMs: 9000, retry: { attempts: 1 } };

export interface Speaker {
  readonly engine: TextToSpeech;
  /** Absent: the engine's own choice for the language. */
  readonly voice: string | undefined;
}

type Voice = NonNullable<ReturnType<typeof voiceOf>>;

/** The voices that were asked for, in order, and the engines for each language, in fallback order. */
interface VoiceChoice {
  readonly preferred: readonly (Voice | undefined)[];
  readonly ableIn: (language: SpokenLanguage) => readonly TextToSpeech[];
  /** Voices of other scripts that have been needed, so that each part of a text has the same. */
  readonly others: Map<string, OtherVoice>;
}

/** What all engines of this service share. */
export interface SharedSettings {
  readonly cache?: SpeechCache;
  readonly metrics?: Pick<SpeechMetrics, 'spoken' | 'heard'>;
  /** After how long without a first result the next engine is asked too. Absent: never. */
  readonly hedgeMs?: number | undefined;
}

/** The key under which the shared settings are injected. */
export const EngineSettings = Symbol('engine settings');

interface EngineOptions extends SharedSettings {
  /** Speech is cached for its owner only. */
  readonly owner?: string;
  /** The breakers of engines that are shared with other sets, by a name; by default each set has its own. */
  readonly breakerOf?: (name: string) => CircuitBreaker;
}

/** Engines in fallback order. */
export class SpeechEngines {
  private readonly speaking: readonly TextToSpeech[];
  private readonly hearing: readonly SpeechToText[];
  private readonly listeners = new LRUCache<string, SpeechToText>({ max: chainsMax });
  private readonly breakers = new LRUCache<string, CircuitBreaker>({ max: chainsMax });

  constructor(
    speaking: readonly TextToSpeech[],
    hearing: readonly SpeechToText[],
    private readonly options: EngineOptions = {},
  ) {
    const { cache = new SpeechCache(), owner, metrics } = options;
    // Each engine has its own cache, so that a fallback's speech is not cached as the requested voice's.
    this.speaking = speaking.map((engine) =>
      cache.around(
        meteredSpeech(engine, (use) => metrics?.spoken(use)),
        owner,
      ),
    );
    this.hearing = hearing.map((engine) => meteredTranscription(engine, (use) => metrics?.heard(use)));
  }

  /**
   * An engine that speaks this language, the wanted voice first. An unknown voice, or one of another language, is refused;
   * preferred ones that are unavailable here are skipped.
   */
  speakerOf(language: SpokenLanguage, voiceId?: number, preferredVoiceIds: readonly number[] = []): Speaker {
    const wanted = voiceId === undefined ? [] : [this.wantedVoice(voiceId, language)];
    const preferred = [...wanted, ...preferredVoiceIds.map(voiceOf)];
    const ableIn = (its: SpokenLanguage) => this.speaking.filter((engine) => works(engine, its));
    return this.speakerAmong({ preferred, ableIn, others: new Map() }, language);
  }

  /**
   * The same for a call: engines that cannot keep up on this machine come after those that can, unless their voice is one of the
   * preferred ones. For as long as the call lasts, another script has the same voice each time.
   */
  callSpeakerOf(language: SpokenLanguage, preferredVoiceIds: readonly number[]): Speaker {
    const inTurn = new Map<SpokenLanguage, readonly TextToSpeech[]>();
    const ableIn = (its: SpokenLanguage): readonly TextToSpeech[] => {
      const able = inTurn.get(its) ?? this.ableInTurn(its);
      inTurn.set(its, able);
      return able;
    };
    return this.speakerAmong({ preferred: preferredVoiceIds.map(voiceOf), ableIn, others: new Map() }, language);
  }

  private ableInTurn(language: SpokenLanguage): readonly TextToSpeech[] {
    const able = this.speaking.filter((engine) => works(engine, language));
    const isSlow = ({ capabilities }: TextToSpeech) => Number(capabilities.slowIn?.includes(language) ?? false);
    return able.toSorted((one, other) => isSlow(one) - isSlow(other));
  }

  private speakerAmong(choice: VoiceChoice, language: SpokenLanguage): Speaker {
    const { engines, voice } = voicesInOrder(choice.ableIn(language), choice.preferred, language);
    const [first, ...others] = engines.map((engine) => inEveryScript(engine, (text, its) => this.otherVoice(choice, text, its)));
    if (!first) throw noEngineFor(language, 'speaks', this.speaking);
    return { engine: this.enduring([first, ...others]), voice };
  }

  /** Who says a text that is in other scripts than those of the voice that was asked for, as if all of the text were in these. */
  private otherVoice(choice: VoiceChoice, text: string, likely: readonly SpokenLanguage[]): OtherVoice | undefined {
    for (const language of new Set([...likely, ...spokenLanguages])) {
      const able = choice.ableIn(language).filter((engine) => saysAll(text, scriptsOf(engine, language)));
      const { engines, voice } = voicesInOrder(able, choice.preferred, language);
      const [first, ...others] = engines;
      if (!first) continue;
      const name = `${language} ${namesOf(able)}`;
      const other = choice.others.get(name) ?? { engine: this.enduring([first, ...others], sooner), voice, language };
      choice.others.set(name, other);
      return other;
    }
    return undefined;
  }

  /** One voice without fallback: a preview must be the voice that callers would get. */
  previewerOf({ provider, voice }: Pick<Voice, 'provider' | 'voice'>): Speaker {
    const engine = this.speakerBy(provider);
    if (!engine || engine.capabilities.unavailable !== undefined || !has(engine, voice)) {
      throw notConfigured(provider, engine, voice);
    }
    return { engine: this.enduring([engine]), voice };
  }

  /** An engine that transcribes this language, by the preferred models first if they are available. */
  listenerOf(language: SpokenLanguage, preferredModelIds: readonly number[] = []): SpeechToText {
    const able = this.hearing.filter((engine) => works(engine, language));
    const preferred = preferredModelIds.flatMap((id) => {
      const model = transcribeModelOf(id);
      const engine = able.find(({ capabilities }) => capabilities.provider === model?.provider);
      return engine && model?.languages.includes(language) && has(engine, model.model) ? [{ engine, model: model.model }] : [];
    });
    const rest = able.filter((engine) => !preferred.some((choice) => choice.engine === engine));
    const [first, ...others] = [...preferred.map(({ engine, model }) => withModel(engine, model)), ...rest];
    if (!first) throw noEngineFor(language, 'understands', this.hearing);
    const name = [language, ...preferred.map(({ model }) => model), namesOf(rest)].join('/');
    return kept(this.listeners, name, () => new EnduringTranscription([first, ...others], this.endurance('hear')));
  }

  private wantedVoice(voiceId: number, language: SpokenLanguage): Voice {
    const wanted = voiceOf(voiceId);
    if (!wanted?.languages.includes(language)) {
      const message = wanted ? `This voice does not speak ${language}.` : 'There is no such voice.';
      throw new Fault('VALIDATION_FAILED', { message, details: [{ field: 'voiceID', message }] });
    }
    const engine = this.speakerBy(wanted.provider);
    if (!engine || !works(engine, language) || !has(engine, wanted.voice)) {
      throw notConfigured(wanted.provider, engine, wanted.voice);
    }
    return wanted;
  }

  private speakerBy(provider: VoiceProviderName): TextToSpeech | undefined {
    return this.speaking.find(({ capabilities }) => capabilities.provider === provider);
  }

  private enduring(engines: readonly [TextToSpeech, ...TextToSpeech[]], patience: EnduringSpeechOptions = {}): TextToSpeech {
    return new EnduringSpeech(engines, { ...this.endurance('speak'), ...patience });
  }

  private endurance(kind: 'speak' | 'hear') {
    const { breakerOf: made = () => new CircuitBreaker() } = this.options;
    const breakerOf = (provider: string) => kept(this.breakers, `${kind} ${provider}`, () => made(`${kind} ${provider}`));
    return { breakerOf, hedgeMs: this.options.hedgeMs };
  }
}

/** Those with the preferred voices first. The first engine gets its voice with every request; fallbacks are bound to theirs. */
function voicesInOrder(
  able: readonly TextToSpeech[],
  preferred: VoiceChoice['preferred'],
  language: SpokenLanguage,
): { engines: TextToSpeech[]; voice: string | undefined } {
  const chosen = preferred.flatMap((voice) => {
    const engine = able.find(({ capabilities }) => capabilities.provider === voice?.provider);
    return engine && voice?.languages.includes(language) && has(engine, voice.voice) ? [{ engine, voice: voice.voice }] : [];
  });
  const rest = able.filter((engine) => !chosen.some((choice) => choice.engine === engine));
  const voiced = chosen.map(({ engine, voice }, index) => (index === 0 ? engine : withVoice(engine, voice)));
  return { engines: [...voiced, ...rest], voice: chosen[0]?.voice };
}

/** Engines change while the service runs, so a chain is cached by the names of its engines. */
function namesOf(engines: readonly (TextToSpeech | SpeechToText)[]): string {
  return engines.map(({ capabilities }) => capabilities.provider).join(',');
}

function kept<Value extends object>(all: LRUCache<string, Value>, name: string, make: () => Value): Value {
  const known = all.get(name);
  if (known) return known;
  const value = make();
  all.set(name, value);
  return value;
}

/** The same engine with this default voice. */
function withVoice(engine: TextToSpeech, voice: string): TextToSpeech {
  return {
    get capabilities() {
      return engine.capabilities;
    },
    voices: () => engine.voices(),
    speak: (request) => engine.speak({ ...request, voice: request.voice ?? voice }),
    close: () => engine.close(),
  };
}

/** The same engine with this default model. */
function withModel(engine: SpeechToText, model: string): SpeechToText {
  const own = <Request extends HearingRequest>(request: Request): Request => ({ ...request, model: request.model ?? model });
  const { listen } = engine;
  return {
    get capabilities() {
      return engine.capabilities;
    },
    models: () => engine.models(),
    transcribe: (request) => engine.transcribe(own(request)),
    ...(listen && { listen: (request) => listen.call(engine, own(request)) }),
    close: () => engine.close(),
  };
}

/** Whether an engine is available and supports this language with one of its models that are here. */
function works(engine: TextToSpeech | SpeechToText, language: SpokenLanguage): boolean {
  return engine.capabilities.languages.includes(language) && whyNot(engine, language) === undefined;
}

/** Why an engine cannot work in a language that it supports, and how to change that; undefined if it can. */
function whyNot(engine: TextToSpeech | SpeechToText, language: SpokenLanguage): string | undefined {
  const { unavailable, whyNoModel } = engine.capabilities;
  if (unavailable !== undefined || !whyNoModel) return unavailable;
  const [first, ...others] = modelsOf(engine, language).map(whyNoModel);
  return others.includes(undefined) ? undefined : first;
}

/** The voices or models of a provider that support a language, in its order. */
function modelsOf(engine: TextToSpeech | SpeechToText, language: SpokenLanguage): string[] {
  const { provider } = engine.capabilities;
  const entries =
    'speak' in engine
      ? voiceProviders.filter(({ name }) => name === provider).flatMap(({ voices }) => voices)
      : transcribeProviders.filter(({ name }) => name === provider).flatMap(({ models }) => models);
  const fitting = entries.filter(({ languages }) => languages.some((its) => its === language));
  return fitting.map((entry) => ('voice' in entry ? entry.voice : entry.model));
}

function has({ capabilities }: TextToSpeech | SpeechToText, model: string): boolean {
  return capabilities.whyNoModel?.(model) === undefined;
}

/** The message names the variables to set, or for a local engine how to install it. */
function notConfigured(provider: VoiceProviderName, engine: TextToSpeech | undefined, voice: string): Fault {
  const settings: readonly string[] = voiceProviders.find(({ name }) => name === provider)?.settings ?? [];
  const missing = `is not configured on this installation: set ${settings.join(' and ')}, or a key of your own`;
  return new Fault('PROVIDER_NOT_CONFIGURED', {
    message: `${provider} ${engine?.capabilities.unavailable ?? engine?.capabilities.whyNoModel?.(voice) ?? missing}.`,
  });
}

/** The message lists the options: what each engine for the language needs, and providers without a key. */
function noEngineFor(
  language: SpokenLanguage,
  what: keyof typeof does,
  engines: readonly (TextToSpeech | SpeechToText)[],
): Fault {
  const opened = new Set(engines.map(({ capabilities }) => capabilities.provider));
  const keys = does[what]
    .filter(
      ({ name, languages, settings }) => !opened.has(name) && settings.length > 0 && languages.some((its) => its === language),
    )
    .map(({ settings }) => settings.join(' with '));
  const ways = engines
    .filter((engine) => engine.capabilities.languages.includes(language) && whyNot(engine, language))
    .map((engine) => `${engine.capabilities.provider} ${whyNot(engine, language)}.`);
  const hint = keys.length > 0 ? [`Or set ${keys.join(' or ')}, or bring a key of your own.`] : [];
  const message = [`No speech provider of this installation ${what} ${language}.`, ...ways, ...hint].join(' ');
  // Retrying does not help: the operator, or the owner of a key, has to change the configuration.
  return new Fault('PROVIDER_NOT_CONFIGURED', { message });
}

const retryAfterSecondsDefault = 5;

const codes: Record<AudioFailureReason, FaultCode> = {
  empty: 'VALIDATION_FAILED',
  unrecognised: 'UNSUPPORTED_MEDIA_TYPE',
  unsupported: 'UNSUPPORTED_MEDIA_TYPE',
  damaged: 'VALIDATION_FAILED',
  truncated: 'VALIDATION_FAILED',
  'too-long': 'PAYLOAD_TOO_LARGE',
};

/** Converts a provider's failure to the fault that a client may see. Anything else is unchanged. */
export function asSpeechFault(failure: unknown): unknown {
  if (failure instanceof AudioFailure) {
    const { reason, message } = failure;
    return new Fault(codes[reason], { message, details: [{ field: 'audioFile', message }], cause: failure });
  }
  if (!(failure instanceof ProviderFailure)) return failure;
  const retryAfterSeconds = Math.ceil((failure.retryAfterMs ?? 0) / 1000) || retryAfterSecondsDefault;
  return new Fault('SPEECH_PROVIDER_UNAVAILABLE', { retryAfterSeconds, cause: failure });
}
