import { Injectable } from '@nestjs/common';
import type { HearingUse, SpeechUse } from '@parley/ports';
import { type Figure, ServiceFigures } from '@parley/service-kit';

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
