// `npm run bench -- speech`: how soon local engines speak, how fast they work, and what an hour's recording costs.
import path from 'node:path';
import { joinSamples } from '@parley/audio';
import type { SpeechToText, TextToSpeech } from '@parley/ports';
import { openSpeechToText, openTextToSpeech } from '@parley/providers/speech-catalogue';
import { type Figures, report } from '../measure/report';
import { measureHours } from './hours';

const rounds = 20;
const callers = 20;
const config = {
  POCKETSPHINX_DIR: path.resolve('.cache/pocketsphinx'),
  PARLEY_MODELS: path.resolve(process.env.PARLEY_MODELS ?? '.cache/models'),
};

const texts = {
  english: 'Good morning, and thank you for calling. The shop opens at nine. How can I help you today?',
  hindi: 'नमस्ते, फ़ोन करने के लिए धन्यवाद। दुकान सुबह नौ बजे खुलती है। मैं आपकी क्या मदद करूँ?',
  marathi: 'नमस्कार, फोन केल्याबद्दल धन्यवाद. दुकान सकाळी नऊ वाजता उघडते. मी तुम्हाला कशी मदत करू?',
} as const;
type Language = keyof typeof texts;

async function main(): Promise<void> {
  const flite = await openTextToSpeech('flite', config);
  const espeak = await openTextToSpeech('espeak', config);
  const sherpa = await openTextToSpeech('sherpa-onnx', config);
  const listeners = await Promise.all(
    (['pocketsphinx', 'sherpa-onnx', 'zipformer'] as const).map((name) => openSpeechToText(name, config)),
  );
  try {
    const speakers: readonly [TextToSpeech, Language][] = [
      [flite, 'english'],
      [espeak, 'hindi'],
      [espeak, 'marathi'],
      [sherpa, 'english'],
      [sherpa, 'hindi'],
    ];
    const rows: Figures[] = [];
    for (const [engine, language] of speakers) rows.push(await measureSpeaking(engine, language));
    report('speech-speaking', rows);
    report('speech-twenty-at-once', [await measureTogether(flite, 'english'), await measureTogether(espeak, 'hindi')]);
    const heard: Figures[] = [];
    for (const listener of listeners) heard.push(await measureHearing(flite, listener));
    report('speech-hearing', heard);
    report('speech-hour', await measureHours((await say(flite, 'english')).samples));
  } finally {
    await Promise.all([flite, espeak, sherpa, ...listeners].map((engine) => engine.close()));
  }
}

interface Said {
  readonly firstMs: number;
  readonly allMs: number;
  readonly seconds: number;
  readonly samples: Int16Array;
}

async function say(engine: TextToSpeech, language: Language): Promise<Said> {
  const startedAtMs = performance.now();
  let firstMs: number | undefined;
  let seconds = 0;
  const blocks: Int16Array[] = [];
  for await (const { samples, sampleRate } of engine.speak({ text: texts[language], language })) {
    firstMs ??= performance.now() - startedAtMs;
    seconds += samples.length / sampleRate;
    blocks.push(samples);
  }
  return { firstMs: firstMs ?? Number.NaN, allMs: performance.now() - startedAtMs, seconds, samples: joinSamples(blocks) };
}

async function measureSpeaking(engine: TextToSpeech, language: Language): Promise<Figures> {
  const { provider, unavailable } = engine.capabilities;
  if (unavailable) return { engine: provider, language, 'not measured': unavailable };
  const cold = await say(engine, language);
  const warm: Said[] = [];
  for (let round = 0; round < rounds; round++) warm.push(await say(engine, language));
  return {
    engine: provider,
    language,
    'first sound, cold ms': cold.firstMs.toFixed(0),
    'first sound p50 ms': share(
      warm.map(({ firstMs }) => firstMs),
      0.5,
    ),
    'first sound p95 ms': share(
      warm.map(({ firstMs }) => firstMs),
      0.95,
    ),
    'real-time factor': (sum(warm.map(({ allMs }) => allMs)) / 1000 / sum(warm.map(({ seconds }) => seconds))).toFixed(3),
  };
}

async function measureTogether(engine: TextToSpeech, language: Language): Promise<Figures> {
  if (engine.capabilities.unavailable)
    return { engine: engine.capabilities.provider, 'not measured': engine.capabilities.unavailable };
  const startedAtMs = performance.now();
  const said = await Promise.all(Array.from({ length: callers }, () => say(engine, language)));
  const seconds = sum(said.map((one) => one.seconds));
  return {
    engine: engine.capabilities.provider,
    callers,
    'first sound p50 ms': share(
      said.map(({ firstMs }) => firstMs),
      0.5,
    ),
    'first sound p95 ms': share(
      said.map(({ firstMs }) => firstMs),
      0.95,
    ),
    'all done ms': (performance.now() - startedAtMs).toFixed(0),
    'seconds spoken': seconds.toFixed(0),
  };
}

async function measureHearing(speaker: TextToSpeech, listener: SpeechToText): Promise<Figures> {
  const { unavailable, provider } = listener.capabilities;
  if (unavailable) return { engine: provider, 'not measured': unavailable };
  const { samples, seconds } = await say(speaker, 'english');
  async function* audio(): AsyncGenerator<Int16Array> {
    yield samples;
  }
  const startedAtMs = performance.now();
  const { text } = await listener.transcribe({ audio, sampleRate: 16_000, language: 'english' });
  const workMs = performance.now() - startedAtMs;
  return {
    engine: provider,
    'seconds heard': seconds.toFixed(1),
    'answer ms': workMs.toFixed(0),
    'real-time factor': (workMs / 1000 / seconds).toFixed(2),
    heard: text,
  };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function share(values: readonly number[], part: number): string {
  return (values.toSorted((a, b) => a - b)[Math.floor(part * (values.length - 1))] ?? Number.NaN).toFixed(0);
}

void main();
