import { type DynamicModule, Module } from '@nestjs/common';
import { type FileStore, SpeechCache } from '@parley/ports';
import { openFileStore } from '@parley/providers/configured-files';
import { OrganizationKeysModule } from '@parley/service-kit';
import type { SpeechConfig } from './config';
import { EngineSettings, type SharedSettings } from './engines/engine-settings';
import { InstalledEngines } from './engines/installed-engines';
import { OrganizationEngines } from './engines/organization-engines';
import { SpeechEngines } from './engines/speech-engines';
import { SpeechFigures } from './engines/speech-figures';
import { RecordingsController } from './hearing/recordings.controller';
import { Recordings, RecordingStore } from './hearing/recordings.service';
import { SpeakingController } from './speaking/speaking.controller';
import { Speaking } from './speaking/speaking.service';

const settings = (hedgeMs: number | undefined) => ({
  provide: EngineSettings,
  inject: [SpeechFigures],
  useFactory: (figures: SpeechFigures): SharedSettings => ({ cache: new SpeechCache(), figures, hedgeMs }),
});

const commonEngines = {
  provide: SpeechEngines,
  inject: [InstalledEngines, EngineSettings],
  useFactory: ({ speaking, hearing }: InstalledEngines, shared: SharedSettings) => new SpeechEngines(speaking, hearing, shared),
};

/** Root of the speech service. */
@Module({
  imports: [OrganizationKeysModule],
  controllers: [SpeakingController, RecordingsController],
  providers: [OrganizationEngines, SpeechFigures, commonEngines, Speaking, Recordings],
})
export class SpeechModule {
  /** Tests bring engines and files of their own. */
  static with(config: SpeechConfig, { installed, files }: { installed?: InstalledEngines; files?: FileStore } = {}): DynamicModule {
    const engines = { provide: InstalledEngines, useFactory: async () => installed ?? InstalledEngines.by(config) };
    const recordings = { provide: RecordingStore, useFactory: () => files ?? openFileStore(config) };
    return { module: SpeechModule, providers: [settings(config.SPEECH_HEDGE), engines, recordings] };
  }
}
