import type { OnApplicationShutdown } from '@nestjs/common';
import { Fault } from '@parley/contracts';
import {
  CircuitBreaker, EnduringSpeech, EnduringTranscription, meteredSpeech, meteredTranscription, SpeechCache, type SpeechToText,
  type SpokenLanguage, type TextToSpeech,
} from '@parley/ports';
import { transcribeModelOf, type VoiceProviderName, voiceOf } from '@parley/providers/speech-catalogue';
import { withModel, withVoice } from './chosen-engines';
import type { SharedSettings } from './engine-settings';
import { nobodyFor, notConfigured, works } from './missing-engines';

const chainsMax = 500;

export interface Speaker {
  readonly engine: TextToSpeech;
  /** Absent: the engine's own choice for the language. */
  readonly voice: string | undefined;
}

type Voice = NonNullable<ReturnType<typeof voiceOf>>;

interface EngineOptions extends SharedSettings {
  /** What was said is remembered for its owner alone. */
  readonly owner?: string;
}

/** Engines in the order in which they stand in for one another. */
export class SpeechEngines implements OnApplicationShutdown {
  private readonly speaking: readonly TextToSpeech[];
  private readonly hearing: readonly SpeechToText[];
  private readonly speakers = new Map<string, TextToSpeech>();
  private readonly listeners = new Map<string, SpeechToText>();
  private readonly breakers = new Map<string, CircuitBreaker>();

  constructor(
    speaking: readonly TextToSpeech[],
    hearing: readonly SpeechToText[],
    private readonly options: EngineOptions = {},
  ) {
    const { cache = new SpeechCache(), owner, figures } = options;
    // Each engine has its own memory, so that a voice that stood in once is not remembered as the one that was asked for.
    this.speaking = speaking.map((engine) => cache.around(meteredSpeech(engine, (use) => figures?.spoken(use)), owner));
    this.hearing = hearing.map((engine) => meteredTranscription(engine, (use) => figures?.heard(use)));
  }

  /**
   * Whoever speaks this language, the wanted voice first. An unknown voice, or one of another language, is refused; those
   * that are only preferred are passed over when they cannot speak here.
   */
  speakerOf(language: SpokenLanguage, voiceId?: number, preferredVoiceIds: readonly number[] = []): Speaker {
    const wanted = voiceId === undefined ? [] : [this.wantedVoice(voiceId, language)];
    const able = this.speaking.filter((engine) => works(engine, language));
    const isAble = (voice: Voice | undefined): voice is Voice =>
      Boolean(voice?.languages.includes(language) && able.some(({ capabilities }) => capabilities.provider === voice.provider));
    const voices = [...wanted, ...preferredVoiceIds.map(voiceOf).filter(isAble)];
    return { engine: this.speakersOf(language, able, voices), voice: voices[0]?.voice };
  }

  /** One voice and nobody in its place: what a preview lets people hear must be the voice that they would get. */
  previewerOf({ provider, voice }: Pick<Voice, 'provider' | 'voice'>): Speaker {
    const engine = this.speakerBy(provider);
    if (!engine || engine.capabilities.unavailable !== undefined) throw notConfigured(provider, engine);
    return { engine: kept(this.speakers, `only/${provider}`, () => this.enduring([engine])), voice };
  }

  /** Whoever hears this language, by the preferred models first where they are here. */
  listenerOf(language: SpokenLanguage, preferredModelIds: readonly number[] = []): SpeechToText {
    const able = this.hearing.filter((engine) => works(engine, language));
    const preferred = preferredModelIds.flatMap((id) => {
      const model = transcribeModelOf(id);
      const engine = able.find(({ capabilities }) => capabilities.provider === model?.provider);
      return engine && model?.languages.includes(language) ? [{ engine, model: model.model }] : [];
    });
    const rest = able.filter((engine) => !preferred.some((choice) => choice.engine === engine));
    const [first, ...others] = [...preferred.map(({ engine, model }) => withModel(engine, model)), ...rest];
    if (!first) throw nobodyFor(language, 'understands', this.hearing);
    const name = [language, ...preferred.map(({ model }) => model), namesOf(rest)].join('/');
    return kept(this.listeners, name, () => new EnduringTranscription([first, ...others], this.endurance('hear')));
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all([...this.speaking, ...this.hearing].map((engine) => engine.close()));
  }

  private wantedVoice(voiceId: number, language: SpokenLanguage): Voice {
    const wanted = voiceOf(voiceId);
    if (!wanted?.languages.includes(language)) {
      const message = wanted ? `This voice does not speak ${language}.` : 'There is no such voice.';
      throw new Fault('VALIDATION_FAILED', { message, details: [{ field: 'voiceID', message }] });
    }
    const engine = this.speakerBy(wanted.provider);
    if (!engine || !works(engine, language)) throw notConfigured(wanted.provider, engine);
    return wanted;
  }

  private speakersOf(language: SpokenLanguage, able: readonly TextToSpeech[], voices: readonly Voice[]): TextToSpeech {
    const chosen = voices.flatMap(({ provider, voice }, index) => {
      const engine = able.find(({ capabilities }) => capabilities.provider === provider);
      // The first is told its voice with every request; those that stand in for it know theirs.
      return engine ? [index === 0 ? engine : withVoice(engine, voice)] : [];
    });
    const rest = able.filter(({ capabilities }) => !voices.some(({ provider }) => provider === capabilities.provider));
    const [first, ...others] = [...chosen, ...rest];
    if (!first) throw nobodyFor(language, 'speaks', this.speaking);
    const name = [language, ...voices.map(({ provider, voice }) => `${provider} ${voice}`), namesOf(rest)].join('/');
    return kept(this.speakers, name, () => this.enduring([first, ...others]));
  }

  private speakerBy(provider: VoiceProviderName): TextToSpeech | undefined {
    return this.speaking.find(({ capabilities }) => capabilities.provider === provider);
  }

  private enduring(engines: readonly [TextToSpeech, ...TextToSpeech[]]): TextToSpeech {
    return new EnduringSpeech(engines, this.endurance('speak'));
  }

  private endurance(kind: 'speak' | 'hear') {
    const breakerOf = (provider: string) => kept(this.breakers, `${kind} ${provider}`, () => new CircuitBreaker());
    return { breakerOf, hedgeMs: this.options.hedgeMs };
  }
}

/** Engines come and go while the service runs, and a chain is of those that were there. */
function namesOf(engines: readonly (TextToSpeech | SpeechToText)[]): string {
  return engines.map(({ capabilities }) => capabilities.provider).join(',');
}

function kept<Value>(all: Map<string, Value>, name: string, make: () => Value): Value {
  const known = all.get(name);
  if (known) return known;
  if (all.size >= chainsMax) all.clear();
  const value = make();
  all.set(name, value);
  return value;
}
