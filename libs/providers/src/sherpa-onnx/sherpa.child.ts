// A separate process around a native engine, since a broken model ends the process that loads it.
export {};

interface OfflineRecognizer {
  createStream(): { acceptWaveform(sound: { samples: Float32Array; sampleRate: number }): void };
  decode(stream: unknown): void;
  getResult(stream: unknown): { text: string; lang: string };
  setConfig(configuration: object): void;
}

interface Synthesizer {
  generate(request: object): { samples: Float32Array; sampleRate: number };
}

interface Text {
  text: string;
  pace: number;
  speaker: number;
  reading: string | undefined;
}

interface RecordedSound {
  samples: Int16Array;
  sampleRate: number;
  /** Empty: to be detected. */
  language: string;
}

type SherpaJob = Text | RecordedSound;

const [sherpaPath = '', kind = '', configuration = '{}'] = process.argv.slice(2);

async function start(): Promise<(job: SherpaJob) => object> {
  const module = await import(sherpaPath);
  const sherpa = module.default ?? module;
  if (kind === 'speak') {
    const synthesizer: Synthesizer = new sherpa.OfflineTts(JSON.parse(configuration));
    return (job) => ('text' in job ? spoken(synthesizer, job) : { failure: 'does not hear' });
  }
  const recognizer: OfflineRecognizer = new sherpa.OfflineRecognizer(JSON.parse(configuration));
  return (job) => ('samples' in job ? heard(recognizer, job) : { failure: 'does not speak' });
}

function spoken(synthesizer: Synthesizer, { text, pace, speaker, reading }: Text): object {
  const generationConfig = { sid: speaker, speed: pace, extra: { ...(reading && { lang: reading }) } };
  const { samples, sampleRate } = synthesizer.generate({ text, generationConfig, enableExternalBuffer: false });
  return { samples: Int16Array.from(samples, (sample) => Math.round(Math.max(-1, Math.min(1, sample)) * 32_767)), sampleRate };
}

function heard(recognizer: OfflineRecognizer, { samples, sampleRate, language }: RecordedSound): object {
  const { modelConfig, ...rest } = JSON.parse(configuration);
  // One loaded model serves all languages; the language is set before each job.
  recognizer.setConfig({ ...rest, modelConfig: { ...modelConfig, whisper: { ...modelConfig.whisper, language } } });
  const stream = recognizer.createStream();
  stream.acceptWaveform({ samples: Float32Array.from(samples, (sample) => sample / 32_768), sampleRate });
  recognizer.decode(stream);
  const { text, lang } = recognizer.getResult(stream);
  return { text, language: lang };
}

const loading = start();
process.on('message', (job: SherpaJob) => {
  void loading
    .then((work) => process.send?.(work(job)))
    .catch((failure: unknown) => process.send?.({ failure: String(failure) }));
});
process.on('disconnect', () => process.exit(0));
