import { Fault } from '@parley/contracts';
import type { SpeechToText, SpokenLanguage, TextToSpeech } from '@parley/ports';
import { transcribeProviders, type VoiceProviderName, voiceProviders } from '@parley/providers/speech-catalogue';

const retryAfterSeconds = 60;

/** Whether an engine can do this language here and now. */
export function works({ capabilities }: TextToSpeech | SpeechToText, language: SpokenLanguage): boolean {
  return capabilities.unavailable === undefined && capabilities.languages.includes(language);
}

/** Names the variables to set, or for an engine of this machine the way to get it. */
export function notConfigured(provider: VoiceProviderName, engine: TextToSpeech | undefined): Fault {
  const settings: readonly string[] = voiceProviders.find(({ name }) => name === provider)?.settings ?? [];
  const missing = `is not configured on this installation: set ${settings.join(' and ')}, or a key of your own`;
  return new Fault('PROVIDER_NOT_CONFIGURED', { message: `${provider} ${engine?.capabilities.unavailable ?? missing}.` });
}

const does = { speaks: voiceProviders, understands: transcribeProviders } as const;

/** Names the ways out: what each engine for the language would need, and the keys of providers that are not used here yet. */
export function nobodyFor(language: SpokenLanguage, what: keyof typeof does, engines: readonly (TextToSpeech | SpeechToText)[]): Fault {
  const opened = new Set(engines.map(({ capabilities }) => capabilities.provider));
  const keys = does[what]
    .filter(({ name, languages, settings }) => !opened.has(name) && settings.length > 0 && languages.some((its) => its === language))
    .map(({ settings }) => settings.join(' with '));
  const ways = engines
    .filter(({ capabilities }) => capabilities.languages.includes(language) && capabilities.unavailable)
    .map(({ capabilities }) => `${capabilities.provider} ${capabilities.unavailable}.`);
  const hint = keys.length > 0 ? [`Or set ${keys.join(' or ')}, or bring a key of your own.`] : [];
  const message = [`No speech provider of this installation ${what} ${language}.`, ...ways, ...hint].join(' ');
  return new Fault('SPEECH_PROVIDER_UNAVAILABLE', { message, retryAfterSeconds });
}
