import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { numbers, onnxModel, type Port, whole } from './onnx-model.fixture';

/** What the tone Whisper transcribes for any sound, by language. */
export const toneWords = { english: 'tone', hindi: 'स्वर', marathi: 'सूर' } as const;

// Token ids: the words, then the languages in the same order, then Whisper's control tokens.
const ids = {
  english: 10,
  hindi: 11,
  marathi: 12,
  sot: 20,
  transcribe: 21,
  translate: 22,
  noTimestamps: 23,
  noSpeech: 24,
  eot: 25,
};
const vocabulary = 32;
const contextLength = 448;
const cache = (name: string): Port => ({ name, type: 'float', shape: [1, 'batch', contextLength, 4] });
const cross = (name: string): Port => ({ name, type: 'float', shape: [1, 1, 1, 1] });

/** Creates a multilingual Whisper that sherpa-onnx can load, with everything but real weights. */
export async function makeToneWhisper(folder: string, size: 'base' | 'small'): Promise<void> {
  await mkdir(folder, { recursive: true });
  const words = Object.values(toneWords).map((word, id) => `${Buffer.from(` ${word}`).toString('base64')} ${id}\n`);
  const files = {
    [`${size}-encoder.int8.onnx`]: encoder(),
    [`${size}-decoder.int8.onnx`]: decoder(),
    [`${size}-tokens.txt`]: words.join(''),
  };
  for (const [name, content] of Object.entries(files)) await writeFile(path.join(folder, name), content);
}

/** Returns the loudest feature. */
function encoder(): Buffer {
  return onnxModel({
    inputs: [{ name: 'mel', type: 'float', shape: [1, 80, 'frames'] }],
    outputs: [cross('n_layer_cross_k'), cross('n_layer_cross_v')],
    constants: { shape: whole(1, 1, 1, 1) },
    nodes: [
      ['ReduceMax', 'loudest', 'mel', { keepdims: 1 }],
      ['Reshape', 'n_layer_cross_k', 'loudest', 'shape'],
      ['Reshape', 'n_layer_cross_v', 'loudest', 'shape'],
    ],
    metadata: {
      model_type: 'whisper',
      n_mels: 80,
      n_text_layer: 1,
      n_text_ctx: contextLength,
      n_text_state: 4,
      n_vocab: vocabulary,
      sot: ids.sot,
      eot: ids.eot,
      blank_id: 30,
      translate: ids.translate,
      transcribe: ids.transcribe,
      is_multilingual: 1,
      no_timestamps: ids.noTimestamps,
      no_speech: ids.noSpeech,
      sot_sequence: `${ids.sot},${ids.english},${ids.transcribe}`,
      all_language_tokens: `${ids.english},${ids.hindi},${ids.marathi}`,
      all_language_codes: 'en,hi,mr',
    },
  });
}

/**
 * After the four control tokens, emits the word of their language if the sound is loud, then the end. Control tokens are distinguished
 * from words by their sum.
 */
function decoder(): Buffer {
  const marks = ids.sot + ids.transcribe + ids.noTimestamps;
  return onnxModel({
    inputs: [
      { name: 'tokens', type: 'int64', shape: ['batch', 'length'] },
      cache('in_n_layer_self_k_cache'),
      cache('in_n_layer_self_v_cache'),
      cross('n_layer_cross_k'),
      cross('n_layer_cross_v'),
      { name: 'offset', type: 'int64', shape: [1] },
    ],
    outputs: [
      { name: 'logits', type: 'float', shape: ['batch', 'length', vocabulary] },
      cache('out_n_layer_self_k_cache'),
      cache('out_n_layer_self_v_cache'),
    ],
    constants: {
      each: numbers(...Array.from({ length: vocabulary }, (_, id) => id)),
      column: whole(1, -1, 1),
      flat: whole(1, 1, 1),
      zero: numbers(0),
      one: numbers(1),
      loudness: numbers(0.5),
      sharp: numbers(1000),
      marks: numbers(marks),
      firstWord: numbers(marks + ids.english),
      eot: numbers(ids.eot),
    },
    nodes: [
      ['Cast', 'fractions', 'tokens', { to: 1 }],
      ['ReduceSum', 'total', 'fractions', { keepdims: 1 }],
      ['Reshape', 'sum', 'total', 'flat'],
      ['Sub', 'overMarks', 'sum', 'marks'],
      ['Max', 'positive', 'overMarks', 'zero'],
      ['Min', 'isFirst', 'positive', 'one'],
      ['Reshape', 'loudest', 'n_layer_cross_k', 'flat'],
      ['Sub', 'louder', 'loudest', 'loudness'],
      ['Mul', 'sharply', 'louder', 'sharp'],
      ['Max', 'aboveNothing', 'sharply', 'zero'],
      ['Min', 'isLoud', 'aboveNothing', 'one'],
      ['Mul', 'speaks', 'isFirst', 'isLoud'],
      ['Sub', 'word', 'sum', 'firstWord'],
      ['Sub', 'fromEnd', 'word', 'eot'],
      ['Mul', 'shift', 'speaks', 'fromEnd'],
      ['Add', 'target', 'shift', 'eot'],
      ['Sub', 'apart', 'each', 'target'],
      ['Abs', 'distance', 'apart'],
      ['Neg', 'closeness', 'distance'],
      ['Reshape', 'places', 'fractions', 'column'],
      ['Mul', 'nothing', 'places', 'zero'],
      ['Add', 'logits', 'nothing', 'closeness'],
      ['Identity', 'out_n_layer_self_k_cache', 'in_n_layer_self_k_cache'],
      ['Identity', 'out_n_layer_self_v_cache', 'in_n_layer_self_v_cache'],
    ],
    metadata: {},
  });
}
