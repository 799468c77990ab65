// Runs the model in a separate process, so that sound that crashes it ends only this process.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { InferenceSession, Tensor } from 'onnxruntime-node';

const sampleRate = 16_000;
const [startToken, endToken] = [1, 2];
/** Nobody speaks faster; beyond this rate the model is repeating itself. */
const tokensPerSecondMax = 6.5;
const tokensMin = 8;
const [folder = ''] = process.argv.slice(2);
const options = { intraOpNumThreads: 1, interOpNumThreads: 1, executionMode: 'sequential' } as const;

interface Model {
  readonly encoder: InferenceSession;
  readonly decoder: InferenceSession;
  /** The text of each token. Tokens past the last are control tokens. */
  readonly pieces: readonly string[];
}

async function load(): Promise<Model> {
  const pieces = readFileSync(path.join(folder, 'vocabulary.txt'), 'utf8').split('\n');
  const [encoder, decoder] = await Promise.all([
    InferenceSession.create(path.join(folder, 'encoder_model.onnx'), options),
    InferenceSession.create(path.join(folder, 'decoder_model_merged.onnx'), options),
  ]);
  return { encoder, decoder, pieces };
}

type Tensors = Record<string, Tensor>;

/** Greedy decoding: takes the likeliest token until the model ends. */
async function heard({ encoder, decoder, pieces }: Model, samples: Int16Array): Promise<string> {
  const sound = Float32Array.from(samples, (sample) => sample / 32_768);
  const encoded = await encoder.run({ input_values: new Tensor('float32', sound, [1, sound.length]) });
  const encoder_hidden_states = tensorOf(encoded, encoder.outputNames[0]);
  const tokensMax = tokensMin + (samples.length / sampleRate) * tokensPerSecondMax;
  let past = nothingYet(decoder);
  let token = startToken;
  let text = '';
  for (let at = 0; at < tokensMax; at += 1) {
    const isLater = at > 0;
    const input_ids = new Tensor('int64', [BigInt(token)], [1, 1]);
    const use_cache_branch = new Tensor('bool', [isLater], [1]);
    const answers = await decoder.run(known(decoder, { input_ids, encoder_hidden_states, use_cache_branch, ...past }));
    token = likeliest(tensorOf(answers, 'logits'));
    if (token === endToken) break;
    text += token > endToken ? (pieces[token] ?? '') : '';
    past = remembered(past, answers, isLater);
  }
  return written(text);
}

/** An empty key-value cache, with the shapes that the model declares. */
function nothingYet(decoder: InferenceSession): Tensors {
  return Object.fromEntries(
    decoder.inputMetadata.flatMap((input) => {
      if (!input.isTensor || !input.name.startsWith('past_key_values.')) return [];
      const sizes = input.shape.map((size, place) => (typeof size === 'number' ? size : place === 0 ? 0 : 1));
      return [[input.name, new Tensor('float32', new Float32Array(0), sizes)]];
    }),
  );
}

/** Updates the cache: the encoder's part is set by the first step; the decoder's grows with every token. */
function remembered(past: Tensors, answers: InferenceSession.ReturnType, isLater: boolean): Tensors {
  return Object.fromEntries(
    Object.entries(past).map(([name, tensor]) => {
      const isOfSound = name.includes('.encoder.');
      return [name, isLater && isOfSound ? tensor : tensorOf(answers, name.replace('past_key_values', 'present'))];
    }),
  );
}

/** The inputs that the model declares. */
function known(decoder: InferenceSession, inputs: Tensors): Tensors {
  return Object.fromEntries(decoder.inputNames.flatMap((name) => (inputs[name] ? [[name, inputs[name]]] : [])));
}

function tensorOf(answers: InferenceSession.ReturnType, name = ''): Tensor {
  const tensor = answers[name];
  if (!(tensor instanceof Tensor)) throw new TypeError(`the model answered without ${name}`);
  return tensor;
}

function likeliest({ data, dims }: Tensor): number {
  if (!(data instanceof Float32Array)) throw new TypeError('the model answered with something else than numbers');
  const scores = data.subarray(data.length - (dims.at(-1) ?? 0));
  let best = 0;
  for (let token = 1; token < scores.length; token += 1) if ((scores[token] ?? 0) > (scores[best] ?? 0)) best = token;
  return best;
}

/** Joins pieces: `▁` begins a word, and characters without a piece are given as bytes, as in `<0xC3><0xA9>`. */
function written(pieces: string): string {
  return pieces
    .replace(/(?:<0x[0-9A-F]{2}>)+/gu, (bytes) => Buffer.from(bytes.replace(/<0x|>/gu, ''), 'hex').toString('utf8'))
    .replaceAll('▁', ' ')
    .trim();
}

const loading = load();
process.on('message', ({ samples }: { samples: Int16Array }) => {
  void loading
    .then(async (model) => process.send?.({ text: await heard(model, samples) }))
    .catch((failure: unknown) => process.send?.({ failure: String(failure) }));
});
process.on('disconnect', () => process.exit(0));
