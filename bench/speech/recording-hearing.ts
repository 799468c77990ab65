// One recording through the speech service, in a process of its own, so that its memory can be measured.
import 'reflect-metadata';
import { PassThrough } from 'node:stream';
import { Controller, Module } from '@nestjs/common';
import { speech } from '@parley/apps/speech';
import { wavFile } from '@parley/audio';
import { readProviderSecret, transcribeRecording } from '@parley/contracts';
import { Handles, InProcessBroker, TransportBus } from '@parley/messaging';
import { DiskFiles } from '@parley/providers/disk-files';
import { transcribeProviders } from '@parley/providers/speech-catalogue';
import { createLogger, defineService, Metrics, startService } from '@parley/service-kit';
import { z } from 'zod';
import { memoryPeakOf } from '../measure/memory-peak';
import type { Heard, Hearing } from './hours';

const principal = { kind: 'ext', keyId: 'bench', orgId: 1 } as const;
const preferred = transcribeProviders.find(({ name }) => name === 'openai')?.models[0]?.id;

@Controller()
class NoKeys {
  @Handles(readProviderSecret)
  read(): z.input<typeof readProviderSecret.reply> {
    return { secret: null };
  }
}

@Module({ controllers: [NoKeys] })
class KeyKeeper {}

async function main(hearing: Hearing): Promise<void> {
  const { folder, key, bytes, engineUrl } = hearing;
  const broker = new InProcessBroker();
  const environment = { FILES_DIR: folder, OPENAI_SPEECH_API_KEY: 'bench', OPENAI_SPEECH_BASE_URL: engineUrl };
  const logger = createLogger({ level: 'error', isReadable: false, writesPii: false, destination: new PassThrough() });
  const keeper = defineService({ name: 'agent-config', config: z.object({}), module: () => KeyKeeper });
  for (const definition of [speech, keeper]) {
    await startService(definition, { environment, transport: broker.connect(), logger, metrics: new Metrics() });
  }
  const bus = new TransportBus(broker.connect());
  const transcribe = (fileKey: string, size: number) => {
    const audioFile = { fileKey, fileName: 'recording', size, contentType: 'audio/wav' };
    return bus.ask(
      transcribeRecording,
      { audioFile, language: 'english', preferredTranscribeIDs: preferred ? [preferred] : [] },
      { principal },
    );
  };
  // What the first recording loads and compiles counts as part of the idle service, not of the hour.
  const short = await new DiskFiles(folder).put('uploads/1/short', once(wavFile(new Int16Array(32_000).fill(900), 16_000)), {
    bytesMax: 100_000,
  });
  await transcribe(short.key, short.bytes);
  const startedAtMs = performance.now();
  const { result, idleBytes, overIdleBytes } = await memoryPeakOf(() => transcribe(key, bytes));
  const heard: Heard = { audioSeconds: result.audioSeconds, workMs: performance.now() - startedAtMs, idleBytes, overIdleBytes };
  process.stdout.write(`${JSON.stringify(heard)}\n`, () => process.exit());
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

void main(JSON.parse(process.argv[2] ?? '{}'));
