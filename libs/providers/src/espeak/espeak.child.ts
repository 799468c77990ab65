// A separate process around a GPL engine, which shares no memory or code with ours and only exchanges messages.
interface EspeakEvent {
  type: string;
  text_position: number;
  word_length: number;
  audio_position: number;
}

interface EspeakWorker {
  set_voice(id: string): number;
  set_rate(wordsPerMinute: number): void;
  synthesize(text: string, listener: (samples: Int16Array | undefined, events: EspeakEvent[]) => void): void;
}

interface Job {
  text: string;
  voice: string;
  wordsPerMinute: number;
}

const sampleRate = 22_050;
const modulePath = process.argv[2] ?? '';
const starting: Promise<EspeakWorker> = import(modulePath).then(async (module) => {
  const espeak = await (module.default ?? module)();
  return new espeak.eSpeakNGWorker();
});

process.on('message', (job: Job) => {
  void starting.then(
    (espeak) => process.send?.(speak(espeak, job)),
    (failure: unknown) => process.send?.({ failure: String(failure) }),
  );
});
process.on('disconnect', () => process.exit(0));

function speak(espeak: EspeakWorker, { text, voice, wordsPerMinute }: Job): object {
  // With an unknown voice, the previous one would stay in use.
  if (espeak.set_voice(voice) !== 0) return { failure: `has no voice ${voice}` };
  espeak.set_rate(wordsPerMinute);
  const blocks: Int16Array[] = [];
  const words: { at: number; length: number; startMs: number }[] = [];
  espeak.synthesize(text, (samples, events) => {
    if (samples) blocks.push(samples.slice());
    for (const event of events) {
      if (event.type !== 'word') continue;
      words.push({ at: event.text_position - 1, length: event.word_length, startMs: event.audio_position });
    }
  });
  return { samples: joined(blocks), sampleRate, words };
}

function joined(blocks: Int16Array[]): Int16Array {
  const all = new Int16Array(blocks.reduce((sum, block) => sum + block.length, 0));
  let at = 0;
  for (const block of blocks) {
    all.set(block, at);
    at += block.length;
  }
  return all;
}
