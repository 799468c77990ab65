import { Injectable } from '@nestjs/common';
import type { LatencyParts } from '@parley/contracts';
import type { HearingUse, SpeechUse } from '@parley/ports';
import { Logger, type Metric, ProviderTroubles, ServiceMetrics } from '@parley/service-kit';
import type { z } from 'zod';

const sessions = {
  held: {
    name: 'parley_lines_held',
    help: 'Live conversations of this replica, those that are being opened included.',
    labels: [],
  },
  begun: { name: 'parley_voice_sessions_begun_total', help: 'Live conversations that were begun.', labels: [] },
  ended: { name: 'parley_voice_sessions_ended_total', help: 'Live conversations that ended, by the reason.', labels: ['reason'] },
  silence: { name: 'parley_voice_silence_seconds', help: 'Silence before an answer was heard, by its parts.', labels: ['part'] },
  frames: {
    name: 'parley_voice_frames_total',
    help: 'Frames of sound that callers were to hear, by whether they came in time.',
    labels: ['outcome'],
  },
} as const satisfies Record<string, Metric<string>>;

/** Metrics of live conversations on this replica. */
@Injectable()
export class LiveMetrics {
  constructor(private readonly service: ServiceMetrics) {}

  holds(count: () => number): void {
    this.service.watch(sessions.held, count);
  }

  begun(): void {
    this.service.count(sessions.begun, {});
  }

  ended(reason: string, { frames, lateFrames }: { readonly frames: number; readonly lateFrames: number }): void {
    this.service.count(sessions.ended, { reason });
    // Gaps are counted in frames, so after a long gap more frames may be late than were sent.
    const late = Math.min(lateFrames, frames);
    this.service.count(sessions.frames, { outcome: 'in time' }, frames - late);
    this.service.count(sessions.frames, { outcome: 'late' }, late);
  }

  /** A part that did not happen is not recorded as zero. */
  answered(latency: z.output<typeof LatencyParts>): void {
    for (const [name, ms] of Object.entries(latency)) {
      if (ms !== null) this.service.time(sessions.silence, { part: name.replace(/Ms$/, '') }, ms / 1000);
    }
  }
}

const by = ['provider'] as const;

const providers = {
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
} as const satisfies Record<string, Metric<string>>;

/** Metrics of the use of speech providers. Speech from the cache does not count. */
@Injectable()
export class SpeechMetrics {
  private readonly troubles: ProviderTroubles;

  constructor(
    private readonly service: ServiceMetrics,
    log: Logger,
  ) {
    this.troubles = new ProviderTroubles(log, 'A speech provider fails');
  }

  spoken({ provider, characters, spokenMs, firstSoundMs, outcome, failure }: SpeechUse): void {
    if (failure) this.troubles.note(failure, { provider, doing: 'speak' });
    this.service.count(providers.uses, { provider, kind: 'speak', outcome });
    this.service.count(providers.characters, { provider }, characters);
    this.service.count(providers.spoken, { provider }, spokenMs / 1000);
    if (firstSoundMs !== undefined) this.service.time(providers.firstSound, { provider }, firstSoundMs / 1000);
  }

  heard({ provider, heardMs, firstTextMs, outcome, failure }: HearingUse): void {
    if (failure) this.troubles.note(failure, { provider, doing: 'hear' });
    this.service.count(providers.uses, { provider, kind: 'hear', outcome });
    this.service.count(providers.heard, { provider }, heardMs / 1000);
    if (firstTextMs !== undefined) this.service.time(providers.firstText, { provider }, firstTextMs / 1000);
  }
}
