import { type DynamicModule, Module } from '@nestjs/common';
import { openFileStore } from '@parley/providers/configured-files';
import type { SpeechConfig } from './config';
import { configuredEngines } from './engines/configured-engines';
import { SpeechEngines } from './engines/speech-engines';
import { RecordingsController } from './hearing/recordings.controller';
import { Recordings, RecordingStore } from './hearing/recordings.service';
import { SpeakingController } from './speaking/speaking.controller';
import { Speaking } from './speaking/speaking.service';

@Module({ controllers: [SpeakingController, RecordingsController], providers: [Speaking, Recordings] })
export class SpeechModule {
  static with(config: SpeechConfig): DynamicModule {
    const engines = { provide: SpeechEngines, useFactory: () => configuredEngines(config) };
    return { module: SpeechModule, providers: [engines, { provide: RecordingStore, useFactory: () => openFileStore(config) }] };
  }
}
