// A process of its own around a native engine: a model that it cannot digest ends this process and no other.
interface Recognizer {
  createStream(): { acceptWaveform(sound: { samples: Float32Array; sampleRate: number }): void };
  decode(stream: unknown): void;
  getResult(stream: unknown): { text: string };
}

interface Synthesizer {
  generate(request: object): { samples: Float32Array; sampleRate: number };
}

type SherpaJob = { text: string; pace: number } | { samples: Int16Array; sampleRate: number };

const [sherpaPath = '', kind = '', configuration = '{}'] = process.argv.slice(2);

async function start(): Promise<(job: SherpaJob) => object> {
  const module = await import(sherpaPath);
  const sherpa = module.default ?? module;
  if (kind === 'speak') {
    const synthesizer: Synthesizer = new sherpa.OfflineTts(JSON.parse(configuration));
    return (job) => ('text' in job ? spoken(synthesizer, job.text, job.pace) : { failure: 'does not hear' });
  }
  const recognizer: Recognizer = new sherpa.OfflineRecognizer(JSON.parse(configuration));
  return (job) => ('samples' in job ? { text: heard(recognizer, job) } : { failure: 'does not speak' });
}

function spoken(synthesizer: Synthesizer, text: string, pace: number): object {
  const { samples, sampleRate } = synthesizer.generate({ text, sid: 0, speed: pace, enableExternalBuffer: false });
  return { samples: Int16Array.from(samples, (sample) => Math.round(Math.max(-1, Math.min(1, sample)) * 32_767)), sampleRate };
}

function heard(recognizer: Recognizer, { samples, sampleRate }: { samples: Int16Array; sampleRate: number }): string {
  const stream = recognizer.createStream();
  stream.acceptWaveform({ samples: Float32Array.from(samples, (sample) => sample / 32_768), sampleRate });
  recognizer.decode(stream);
  return recognizer.getResult(stream).text;
}

const loading = start();
process.on('message', (job: SherpaJob) => {
  void loading.then((work) => process.send?.(work(job))).catch((failure: unknown) => process.send?.({ failure: String(failure) }));
});
process.on('disconnect', () => process.exit(0));
