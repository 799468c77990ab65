import { Injectable } from '@nestjs/common';
import type { HearingUse, SpeechCache, SpeechToText, SpeechUse, TextToSpeech } from '@parley/ports';
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
import { type Figure, ServiceFigures } from '@parley/service-kit';

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

/** The installation's own engines, and how to open others. */
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

const by = ['provider'] as const;

const figures = {
  uses: {
    name: 'parley_speech_provider_requests_total',
    help: 'Requests to speech providers, by what they were for and how they ended.',
    labels: ['provider', 'kind', 'outcome'],
  },
  characters: {
    name: 'parley_speech_spoken_characters_total',
    help: 'Characters that providers were asked to speak.',
    labels: by,
  },
  spoken: { name: 'parley_speech_spoken_seconds_total', help: 'Seconds of speech that came from providers.', labels: by },
  firstSound: { name: 'parley_speech_first_sound_seconds', help: 'From a request to its first sound.', labels: by },
  heard: { name: 'parley_speech_heard_seconds_total', help: 'Seconds of sound that providers were given to hear.', labels: by },
  firstText: { name: 'parley_speech_first_text_seconds', help: 'From a request to its first text.', labels: by },
} as const satisfies Record<string, Figure<string>>;

/** What providers of speech were used for. Prompts said from memory are not among it. */
@Injectable()
export class SpeechFigures {
  constructor(private readonly service: ServiceFigures) {}

  spoken({ provider, characters, spokenMs, firstSoundMs, outcome }: SpeechUse): void {
    this.service.count(figures.uses, { provider, kind: 'speak', outcome });
    this.service.count(figures.characters, { provider }, characters);
    this.service.count(figures.spoken, { provider }, spokenMs / 1000);
    if (firstSoundMs !== undefined) this.service.time(figures.firstSound, { provider }, firstSoundMs / 1000);
  }

  heard({ provider, heardMs, firstTextMs, outcome }: HearingUse): void {
    this.service.count(figures.uses, { provider, kind: 'hear', outcome });
    this.service.count(figures.heard, { provider }, heardMs / 1000);
    if (firstTextMs !== undefined) this.service.time(figures.firstText, { provider }, firstTextMs / 1000);
  }
}
