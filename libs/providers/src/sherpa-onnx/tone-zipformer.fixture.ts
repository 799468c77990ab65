import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { numbers, onnxModel, type Port, whole } from './onnx-model.fixture';

const chunkFrames = 32;
const loudness = -9;
const states: readonly Port[] = [
  { name: 'cached_key_0', type: 'float', shape: [1, 'N', 1] },
  { name: 'cached_nonlin_attn_0', type: 'float', shape: [1, 'N', 1, 3] },
  { name: 'cached_val1_0', type: 'float', shape: [1, 'N', 1] },
  { name: 'cached_val2_0', type: 'float', shape: [1, 'N', 1] },
  { name: 'cached_conv1_0', type: 'float', shape: ['N', 4, 1] },
  { name: 'cached_conv2_0', type: 'float', shape: ['N', 4, 1] },
  { name: 'embed_states', type: 'float', shape: ['N', 128, 3, 19] },
  { name: 'processed_lens', type: 'int64', shape: ['N'] },
];

/**
 * Creates a streaming zipformer that sherpa-onnx can load, with everything but real weights. It writes TONE when sound begins and REST
 * when it ends.
 */
export async function makeToneZipformer(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const files: Record<string, Buffer | string> = {
    'encoder-epoch-99-avg-1.int8.onnx': encoder(),
    'decoder-epoch-99-avg-1.onnx': decoder(),
    'joiner-epoch-99-avg-1.int8.onnx': joiner(),
    'tokens.txt': '<blk> 0\n<sos/eos> 1\n<unk> 2\n▁TO 3\nNE 4\n▁REST 5\n',
  };
  for (const [name, content] of Object.entries(files)) await writeFile(path.join(folder, name), content);
}

/** Returns the loudness of every fourth frame. */
function encoder(): Buffer {
  const kept = states.map(({ name }) => ['Identity', `new_${name}`, name] as const);
  return onnxModel({
    inputs: [{ name: 'x', type: 'float', shape: ['N', 45, 80] }, ...states],
    outputs: [
      { name: 'encoder_out', type: 'float', shape: ['N', chunkFrames / 4, 1] },
      ...states.map((port) => ({ ...port, name: `new_${port.name}` })),
    ],
    constants: { from: whole(0), to: whole(chunkFrames), time: whole(1), step: whole(4), bins: whole(2), binCount: numbers(80) },
    nodes: [
      ['Slice', 'frames', 'x', 'from', 'to', 'time', 'step'],
      ['ReduceSum', 'sums', 'frames', 'bins'],
      ['Div', 'encoder_out', 'sums', 'binCount'],
      ...kept,
    ],
    metadata: {
      model_type: 'zipformer2',
      T: 45,
      decode_chunk_len: chunkFrames,
      encoder_dims: 4,
      query_head_dims: 1,
      value_head_dims: 1,
      num_heads: 1,
      num_encoder_layers: 1,
      cnn_module_kernels: 3,
      left_context_len: 1,
    },
  });
}

/** Returns the last piece written. */
function decoder(): Buffer {
  return onnxModel({
    inputs: [{ name: 'y', type: 'int64', shape: ['N', 2] }],
    outputs: [{ name: 'decoder_out', type: 'float', shape: ['N', 1] }],
    constants: { from: whole(1), to: whole(2), axis: whole(1) },
    nodes: [
      ['Slice', 'last', 'y', 'from', 'to', 'axis'],
      ['Cast', 'decoder_out', 'last', { to: 1 }],
    ],
    metadata: { vocab_size: 6, context_size: 2 },
  });
}

/** Emits TO when it is loud, unless a piece of TONE was last; NE after TO; REST when it is quiet after NE; otherwise nothing. */
function joiner(): Buffer {
  return onnxModel({
    inputs: [
      { name: 'encoder_out', type: 'float', shape: ['N', 1] },
      { name: 'decoder_out', type: 'float', shape: ['N', 1] },
    ],
    outputs: [{ name: 'logit', type: 'float', shape: ['N', 6] }],
    constants: {
      loudness: numbers(loudness),
      zero: numbers(0),
      never: numbers(10),
      half: numbers(0.5),
      one: numbers(1),
      tone: numbers(3.5),
      to: numbers(3),
      ne: numbers(4),
    },
    nodes: [
      ['Sub', 'loud', 'encoder_out', 'loudness'],
      ['Neg', 'quiet', 'loud'],
      ['Mul', 'blank', 'loud', 'zero'],
      ['Sub', 'unused', 'blank', 'never'],
      ['Sub', 'fromTone', 'decoder_out', 'tone'],
      ['Abs', 'farFromTone', 'fromTone'],
      ['Sub', 'notTone', 'farFromTone', 'one'],
      ['Sub', 'fromTo', 'decoder_out', 'to'],
      ['Abs', 'farFromTo', 'fromTo'],
      ['Sub', 'wasTo', 'half', 'farFromTo'],
      ['Sub', 'fromNe', 'decoder_out', 'ne'],
      ['Abs', 'farFromNe', 'fromNe'],
      ['Sub', 'wasNe', 'half', 'farFromNe'],
      ['Min', 'begins', 'loud', 'notTone'],
      ['Min', 'ends', 'quiet', 'wasNe'],
      ['Concat', 'logit', 'blank', 'unused', 'unused', 'begins', 'wasTo', 'ends', { axis: 1 }],
    ],
    metadata: { joiner_dim: 1 },
  });
}
