import type { SpeechCache, SpeechToText, TextToSpeech } from '@parley/ports';
import {
  openSpeechToText,
  openTextToSpeech,
  type OwnKey,
  type SpeechProviderConfig,
  type TranscribeProviderName,
  transcribeProviders,
  type VoiceProviderName,
  voiceProviders,
} from '@parley/providers/speech-catalogue';
import type { SpeechFigures } from './speech-figures';

/** What all engines of this service share. */
export interface SharedSettings {
  readonly cache?: SpeechCache;
  readonly figures?: Pick<SpeechFigures, 'spoken' | 'heard'>;
  /** After how long without a beginning the next engine is asked too; never unless set. */
  readonly hedgeMs?: number | undefined;
}

/** The key under which the shared settings are injected. */
export const EngineSettings = Symbol('engine settings');

/** Opens engines with keys that organizations bring. */
export interface OwnEngines {
  speaking(name: VoiceProviderName, key: OwnKey): Promise<TextToSpeech>;
  hearing(name: TranscribeProviderName, key: OwnKey): Promise<SpeechToText>;
}

/** The engines that this installation has for everybody, and how it opens others. */
export class InstalledEngines {
  constructor(
    readonly speaking: readonly TextToSpeech[],
    readonly hearing: readonly SpeechToText[],
    readonly own: OwnEngines,
  ) {}

  /** Every engine whose settings are there: those of production first, so that they come before those for showing. */
  static async by(config: SpeechProviderConfig): Promise<InstalledEngines> {
    const isConfigured = ({ settings }: { settings: readonly (keyof SpeechProviderConfig)[] }): boolean =>
      settings.every((setting) => config[setting]);
    const speaking = await Promise.all(voiceProviders.filter(isConfigured).map(({ name }) => openTextToSpeech(name, config)));
    const hearing = await Promise.all(transcribeProviders.filter(isConfigured).map(({ name }) => openSpeechToText(name, config)));
    return new InstalledEngines(speaking.toSorted(byGrade), hearing.toSorted(byGrade), {
      speaking: (name, key) => openTextToSpeech(name, config, key),
      hearing: (name, key) => openSpeechToText(name, config, key),
    });
  }
}

type Graded = { capabilities: { grade: 'demo' | 'production' } };

function byGrade(a: Graded, b: Graded): number {
  return Number(a.capabilities.grade === 'demo') - Number(b.capabilities.grade === 'demo');
}
