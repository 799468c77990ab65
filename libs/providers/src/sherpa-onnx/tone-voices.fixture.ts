import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type Node, numbers, onnxModel, whole } from './onnx-model.fixture';

const speakers = 53;
const lengths = 510;
const styleSize = 4;
const samplesPerPhoneme = 480;
const phonemes = [...' abcdefghijklmnopqrstuvwxyzæðŋɐɑɒɔəɚɛɜɡɪɹɾʃʊʌʒʔʰʱːˈˌθɖʈɳʋɟɲ̪,.?!'];

/** The loudness of a speaker of the tone models, at most 1. */
export const levelOf = (speaker: number): number => (speaker + 1) / 100;

// Every phoneme becomes a constant level for some time, which shows the speaker, the amount of text and the speed.
const voicing: readonly Node[] = [
  ['Cast', 'samplesEach', 'duration', { to: 7 }],
  ['Reshape', 'ids', 'phonemes', 'column'],
  ['Cast', 'idNumbers', 'ids', { to: 1 }],
  ['Sub', 'nothing', 'idNumbers', 'idNumbers'],
  ['Add', 'levels', 'nothing', 'level'],
  ['Concat', 'size', 'one', 'samplesEach', { axis: 0 }],
  ['Expand', 'sound', 'levels', 'size'],
  ['Reshape', 'audio', 'sound', 'shape'],
];
const voicingConstants = {
  perPhoneme: numbers(samplesPerPhoneme),
  column: whole(-1, 1),
  one: whole(1),
  from: whole(0),
  to: whole(1),
  axis: whole(1),
};

/** Creates a Kokoro model that sherpa-onnx can load, with everything but real weights. */
export async function makeToneKokoro(folder: string): Promise<void> {
  const model = onnxModel({
    inputs: [
      { name: 'phonemes', type: 'int64', shape: [1, 'length'] },
      { name: 'style', type: 'float', shape: [1, styleSize] },
      { name: 'speed', type: 'float', shape: [1] },
    ],
    outputs: [{ name: 'audio', type: 'float', shape: ['samples'] }],
    constants: { ...voicingConstants, shape: whole(-1) },
    nodes: [['Div', 'duration', 'perPhoneme', 'speed'], ['Slice', 'level', 'style', 'from', 'to', 'axis'], ...voicing],
    metadata: {
      model_type: 'kokoro',
      has_espeak: 1,
      sample_rate: 24_000,
      version: 2,
      voice: 'en-us',
      style_dim: `${lengths},1,${styleSize}`,
      n_speakers: speakers,
    },
  });
  const perSpeaker = lengths * styleSize;
  const styles = Float32Array.from({ length: speakers * perSpeaker }, (_, at) => levelOf(Math.floor(at / perSpeaker)));
  await lay(folder, { 'model.onnx': model, 'voices.bin': Buffer.from(styles.buffer), 'tokens.txt': tokens(['$', ...phonemes]) });
}

/** Creates a Piper voice that sherpa-onnx can load, with everything but real weights. */
export async function makeTonePiper(
  folder: string,
  { id, voice }: { readonly id: string; readonly voice: string },
): Promise<void> {
  const model = onnxModel({
    inputs: [
      { name: 'phonemes', type: 'int64', shape: [1, 'length'] },
      { name: 'input_lengths', type: 'int64', shape: [1] },
      { name: 'scales', type: 'float', shape: [3] },
    ],
    outputs: [{ name: 'audio', type: 'float', shape: [1, 1, 'samples'] }],
    constants: { ...voicingConstants, shape: whole(1, 1, -1), level: numbers(levelOf(0) * 10), next: whole(2), row: whole(0) },
    nodes: [['Slice', 'scale', 'scales', 'to', 'next', 'row'], ['Mul', 'duration', 'perPhoneme', 'scale'], ...voicing],
    metadata: { model_type: 'vits', comment: 'piper', language: voice, voice, has_espeak: 1, n_speakers: 1, sample_rate: 22_050 },
  });
  await lay(folder, { [`${id}.onnx`]: model, 'tokens.txt': tokens(['_', '^', '$', ...phonemes]) });
}

function tokens(all: readonly string[]): string {
  return all.map((token, id) => `${token} ${id}\n`).join('');
}

async function lay(folder: string, files: Record<string, Buffer | string>): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const [name, content] of Object.entries(files)) await writeFile(path.join(folder, name), content);
  await layPronunciation(path.join(folder, 'espeak-ng-data'));
}

const packed = /filename:"\/usr\/share\/espeak-ng-data\/([^"]+)",start:(\d+),end:(\d+)/g;
const wanted = /^(phontab|phonindex|phondata|intonations|(en|hi)_dict|lang\/(gmw\/en|inc\/hi).*)$/;

/** Copies the pronunciation rules from the optional espeak package. */
async function layPronunciation(folder: string): Promise<void> {
  const script = require.resolve('@echogarden/espeak-ng-emscripten');
  const listing = await readFile(script, 'utf8');
  const data = await readFile(script.replace(/\.js$/, '.data'));
  for (const [, name = '', start, end] of listing.matchAll(packed)) {
    if (!wanted.test(name)) continue;
    await mkdir(path.dirname(path.join(folder, name)), { recursive: true });
    await writeFile(path.join(folder, name), data.subarray(Number(start), Number(end)));
  }
}
