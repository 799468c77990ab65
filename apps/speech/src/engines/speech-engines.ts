import type { OnApplicationShutdown } from '@nestjs/common';
import { Fault } from '@parley/contracts';
import { EnduringSpeech, EnduringTranscription, SpeechCache, type SpeechToText, type SpokenLanguage, type TextToSpeech } from '@parley/ports';
import { type VoiceProviderName, voiceOf, voiceProviders } from '@parley/providers/speech-catalogue';

const retryAfterSeconds = 60;

export interface Speaker {
  readonly engine: TextToSpeech;
  /** Absent: the engine's own choice for the language. */
  readonly voice: string | undefined;
}

/** The engines of this installation, in the order in which they stand in for one another. */
export class SpeechEngines implements OnApplicationShutdown {
  private readonly cache = new SpeechCache();
  private readonly speakers = new Map<string, TextToSpeech>();
  private readonly listeners = new Map<SpokenLanguage, SpeechToText>();

  constructor(
    private readonly speaking: readonly TextToSpeech[],
    private readonly hearing: readonly SpeechToText[],
  ) {}

  /** Whoever speaks this language, the wanted voice first. An unknown voice, or one of another language, is refused. */
  speakerOf(language: SpokenLanguage, voiceId?: number): Speaker {
    if (voiceId === undefined) return { engine: this.chain(language), voice: undefined };
    const wanted = voiceOf(voiceId);
    if (!wanted?.languages.includes(language)) {
      const message = wanted ? `This voice does not speak ${language}.` : 'There is no such voice.';
      throw new Fault('VALIDATION_FAILED', { message, details: [{ field: 'voiceID', message }] });
    }
    return { engine: this.chain(language, wanted.provider), voice: wanted.voice };
  }

  /** One voice and nobody in its place: what a preview lets people hear must be the voice that they would get. */
  previewerOf({ provider, voice }: NonNullable<ReturnType<typeof voiceOf>>): Speaker {
    const [engine] = this.speaking.filter(({ capabilities }) => capabilities.provider === provider);
    if (!engine || engine.capabilities.unavailable !== undefined) throw notConfigured(provider, engine);
    const key = `only/${provider}`;
    const known = this.speakers.get(key) ?? new EnduringSpeech([this.cache.around(engine)]);
    this.speakers.set(key, known);
    return { engine: known, voice };
  }

  /** Whoever hears this language. */
  listenerOf(language: SpokenLanguage): SpeechToText {
    const known = this.listeners.get(language);
    if (known) return known;
    const [first, ...others] = this.hearing.filter((engine) => works(engine, language));
    if (!first) throw nobodyFor(language, 'understands', this.hearing);
    const listener = new EnduringTranscription([first, ...others]);
    this.listeners.set(language, listener);
    return listener;
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all([...this.speaking, ...this.hearing].map((engine) => engine.close()));
  }

  private chain(language: SpokenLanguage, wanted?: VoiceProviderName): TextToSpeech {
    const key = `${language}/${wanted ?? ''}`;
    const known = this.speakers.get(key);
    if (known) return known;
    const able = this.speaking.filter((engine) => works(engine, language));
    const isWanted = ({ capabilities }: TextToSpeech): boolean => capabilities.provider === wanted;
    const [first, ...others] = [...able.filter(isWanted), ...able.filter((engine) => !isWanted(engine))];
    if (wanted && !(first && isWanted(first))) throw notConfigured(wanted, this.speaking.find(isWanted));
    if (!first) throw nobodyFor(language, 'speaks', this.speaking);
    // Each engine has its own memory, so that a voice that stood in once is not remembered as the one that was asked for.
    const speaker = new EnduringSpeech([this.cache.around(first), ...others.map((engine) => this.cache.around(engine))]);
    this.speakers.set(key, speaker);
    return speaker;
  }
}

function works({ capabilities }: TextToSpeech | SpeechToText, language: SpokenLanguage): boolean {
  return capabilities.unavailable === undefined && capabilities.languages.includes(language);
}

/** Names the variables to set, or for an engine of this machine the way to get it. */
function notConfigured(provider: VoiceProviderName, engine: TextToSpeech | undefined): Fault {
  const settings: readonly string[] = voiceProviders.find(({ name }) => name === provider)?.settings ?? [];
  const missing = engine?.capabilities.unavailable ?? `is not configured on this installation: set ${settings.join(' and ')}`;
  return new Fault('PROVIDER_NOT_CONFIGURED', { message: `${provider} ${missing}.` });
}

/** Names the ways out: what each engine for the language would need. */
function nobodyFor(language: SpokenLanguage, does: string, engines: readonly (TextToSpeech | SpeechToText)[]): Fault {
  const ways = engines
    .filter(({ capabilities }) => capabilities.languages.includes(language) && capabilities.unavailable)
    .map(({ capabilities }) => `${capabilities.provider} ${capabilities.unavailable}.`);
  const message = [`No speech provider of this installation ${does} ${language}.`, ...ways].join(' ');
  return new Fault('SPEECH_PROVIDER_UNAVAILABLE', { message, retryAfterSeconds });
}
