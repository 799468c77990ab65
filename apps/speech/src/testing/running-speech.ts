import { defineService, createLogger, Metrics, startService } from '@parley/service-kit';
import { InProcessBroker, TransportBus } from '@parley/messaging';
import type { FileStore, SpeechToText, TextToSpeech } from '@parley/ports';
import { z } from 'zod';
import { SpeechEngines } from '../engines/speech-engines';
import { RecordingsController } from '../hearing/recordings.controller';
import { Recordings, RecordingStore } from '../hearing/recordings.service';
import { SpeakingController } from '../speaking/speaking.controller';
import { Speaking } from '../speaking/speaking.service';

export interface SpeechHouse {
  readonly speaking: readonly TextToSpeech[];
  readonly hearing: readonly SpeechToText[];
  readonly files: FileStore;
}

class SpeechOfTheTest {}

/** The speech service with engines of the test's own, on a bus inside this process. */
export async function startSpeech({ speaking, hearing, files }: SpeechHouse): Promise<{ bus: TransportBus; stop(): Promise<void> }> {
  const broker = new InProcessBroker();
  const transport = broker.connect();
  const definition = defineService({
    name: 'speech',
    config: z.object({}),
    module: () => ({
      module: SpeechOfTheTest,
      controllers: [SpeakingController, RecordingsController],
      providers: [
        Speaking,
        Recordings,
        { provide: SpeechEngines, useValue: new SpeechEngines(speaking, hearing) },
        { provide: RecordingStore, useValue: files },
      ],
    }),
  });
  const logger = createLogger({ level: 'error', isReadable: false, writesPii: false });
  const service = await startService(definition, { environment: {}, transport, logger, metrics: new Metrics() });
  const callers = broker.connect();
  const bus = new TransportBus(callers);
  const stop = async (): Promise<void> => {
    bus.close();
    await service.stop();
    await Promise.all([callers.close(), transport.close()]);
  };
  return { bus, stop };
}
