import { type DynamicModule, Module } from '@nestjs/common';
import { type FileStore, SpeechCache, type TurnEnd, type VoiceActivity } from '@parley/ports';
import { openFileStore } from '@parley/providers/configured-files';
import { Rnnoise } from '@parley/providers/rnnoise';
import { Silero } from '@parley/providers/silero';
import { SmartTurn } from '@parley/providers/smart-turn';
import { defineService, Logger, OrganizationKeysModule } from '@parley/service-kit';
import { type SpeechConfig, SpeechVariables } from './config';
import { InstalledEngines, OrganizationEngines } from './engines/organization-engines';
import { EngineSettings, type SharedSettings } from './engines/speech-engines';
import { LiveMetrics, SpeechMetrics } from './metrics';
import { Recordings, RecordingsController, RecordingStore } from './hearing/recordings.service';
import { EngineHearing, LineHearing, TurnJudge } from './live/line';
import { LiveController, LiveSessions } from './live/live-sessions';
import { LineLimit, SessionParts } from './live/session-parts';
import { Speaking, SpeakingController } from './speaking/speaking.service';
import { LinePatience, ordinaryPatience } from './transcribing/line-writing';
import { LineVoices, Transcribing, TranscribingController } from './transcribing/transcribing.service';

const settings = (hedgeMs: number | undefined) => ({
  provide: EngineSettings,
  inject: [SpeechMetrics],
  useFactory: (metrics: SpeechMetrics): SharedSettings => ({ cache: new SpeechCache(), metrics, hedgeMs }),
});

// The models are loaded with the first line, so that an installation without calls does not pay for them.
const lineHearing = {
  provide: LineHearing,
  inject: [LineVoices, TurnJudge, Logger],
  useFactory: (voices: VoiceActivity, turnEnd: TurnEnd, log: Logger) => {
    const { unavailable } = turnEnd.capabilities;
    if (unavailable !== undefined) log.info('Ends of turns are judged by words and silence only', { reason: unavailable });
    return new EngineHearing(voices, new Rnnoise(), turnEnd);
  },
};

interface SpeechParts {
  readonly installed?: InstalledEngines;
  readonly files?: FileStore;
  readonly patience?: LinePatience;
  readonly voices?: VoiceActivity;
  readonly turnEnd?: TurnEnd;
}

/** Root of the speech service. */
@Module({
  imports: [OrganizationKeysModule],
  controllers: [SpeakingController, RecordingsController, LiveController, TranscribingController],
  providers: [
    OrganizationEngines,
    SpeechMetrics,
    Speaking,
    Recordings,
    LiveSessions,
    LiveMetrics,
    SessionParts,
    lineHearing,
    Transcribing,
  ],
})
export class SpeechModule {
  /** Tests replace parts. */
  static with(
    config: SpeechConfig,
    { installed, files, voices, turnEnd, patience = ordinaryPatience }: SpeechParts = {},
  ): DynamicModule {
    const engines = { provide: InstalledEngines, useFactory: async () => installed ?? InstalledEngines.by(config) };
    const recordings = { provide: RecordingStore, useFactory: () => files ?? openFileStore(config) };
    const lines = { provide: LinePatience, useValue: patience };
    const limit = { provide: LineLimit, useFactory: () => new LineLimit(config.LINES_MAX) };
    const lineVoices = { provide: LineVoices, useFactory: () => voices ?? new Silero() };
    const turnJudge = { provide: TurnJudge, useFactory: () => turnEnd ?? new SmartTurn(config.PARLEY_MODELS) };
    return {
      module: SpeechModule,
      providers: [settings(config.SPEECH_HEDGE), engines, recordings, lines, limit, lineVoices, turnJudge],
    };
  }
}

/** Everything audible: voices, text to speech, speech to text. */
export const speech = defineService({
  name: 'speech',
  config: SpeechVariables,
  module: (config) => SpeechModule.with(config),
});
