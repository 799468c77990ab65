import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { joinSamples, muLaw, resample } from '@parley/audio';
import { describeSpeechToText } from '@parley/ports/suites';
import { Flite } from '../flite';
import { numbers, onnxModel, whole } from '../sherpa-onnx/onnx-model.fixture';
import { Moonshine } from '.';

const rate = 16_000;
const added = path.resolve(__dirname, '../../../../.cache/models');
const loud = Int16Array.from({ length: rate }, (_, at) => ((at * 7919) % 16_000) - 8000);

async function* seconds(count: number): AsyncGenerator<Int16Array> {
  for (let second = 0; second < count; second += 1) yield loud;
}

const pieces = ['<unk>', '<s>', '</s>', '▁Caf', '<0xC3>', '<0xA9>', '▁at', '▁nine'];
const tokens = [...pieces, 'one that steers'];
/** The next token of each: a sentence with a two-byte letter and a control token, then the end. */
const followers = [2, 3, 2, 4, 5, 8, 7, 2, 6];
const always = (token: number): number[] => tokens.map(() => token);

/** A model with the real one's inputs, which emits fixed tokens while there is sound. */
async function makeModel(folder: string, next: readonly number[]): Promise<void> {
  await mkdir(folder, { recursive: true });
  const encoder = onnxModel({
    inputs: [{ name: 'input_values', type: 'float', shape: [1, 'samples'] }],
    outputs: [{ name: 'last_hidden_state', type: 'float', shape: [1, 'samples', 1] }],
    constants: { last: whole(2) },
    nodes: [['Unsqueeze', 'last_hidden_state', 'input_values', 'last']],
    metadata: {},
  });
  const decoder = onnxModel({
    inputs: [
      { name: 'input_ids', type: 'int64', shape: [1, 'tokens'] },
      { name: 'encoder_hidden_states', type: 'float', shape: [1, 'samples', 1] },
    ],
    outputs: [{ name: 'logits', type: 'float', shape: [1, 'tokens', tokens.length] }],
    constants: {
      likely: numbers(...next.flatMap((follower) => tokens.map((_, token) => (token === follower ? 1 : 0)))),
      square: whole(tokens.length, tokens.length),
      toEnd: numbers(...tokens.map((piece) => (piece === '</s>' ? 0.001 : 0))),
    },
    nodes: [
      ['Reshape', 'rows', 'likely', 'square'],
      ['Gather', 'next', 'rows', 'input_ids'],
      ['Mul', 'squares', 'encoder_hidden_states', 'encoder_hidden_states'],
      ['ReduceSum', 'power', 'squares', { keepdims: 0 }],
      ['Mul', 'loud', 'next', 'power'],
      ['Add', 'logits', 'loud', 'toEnd'],
    ],
    metadata: {},
  });
  await writeFile(path.join(folder, 'encoder_model.onnx'), encoder);
  await writeFile(path.join(folder, 'decoder_model_merged.onnx'), decoder);
  await writeFile(path.join(folder, 'vocabulary.txt'), pieces.join('\n'));
}

describe('Moonshine', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'models-'));
    await makeModel(path.join(folder, 'moonshine-tiny'), followers);
  });
  afterAll(() => rm(folder, { recursive: true }));

  describeSpeechToText(
    'a model of a few nodes',
    () => new Moonshine(folder),
    () => ({ samples: loud, language: 'english', word: 'nine' }),
  );

  it('says of each model whether it is installed', () => {
    const { unavailable, whyNoModel } = new Moonshine(folder).capabilities;
    expect([unavailable, whyNoModel?.('tiny')]).toEqual([undefined, undefined]);
    expect(whyNoModel?.('base')).toContain('`npm run models -- add moonshine-base`');
  });

  it('joins the pieces of a sentence, without its control tokens', async () => {
    const engine = new Moonshine(folder);
    const { text } = await engine.transcribe({ audio: () => seconds(2), sampleRate: rate });
    expect(text).toBe('Café at nine');
    await engine.close();
  });

  it('stops a model that repeats itself, and hears nothing in a tenth of a second', async () => {
    await makeModel(path.join(folder, 'repeating/moonshine-base'), always(7));
    const engine = new Moonshine(path.join(folder, 'repeating'));
    const { text } = await engine.transcribe({ audio: () => seconds(2), sampleRate: rate });
    expect(text.split(' ')).toHaveLength(21);
    const blink = async function* (): AsyncGenerator<Int16Array> {
      yield loud.slice(0, 1599);
    };
    expect(await engine.transcribe({ audio: blink, sampleRate: rate })).toEqual({ text: '', language: 'english' });
    await engine.close();
  });

  it('says how to get a model until one is installed, and refuses other languages and missing models', async () => {
    const place = path.join(folder, 'later');
    const engine = new Moonshine(place);
    expect(engine.capabilities.unavailable).toMatch(/PARLEY_MODELS.*npm run models -- add moonshine-base/u);
    await makeModel(path.join(place, 'moonshine-tiny'), followers);
    expect(engine.capabilities.unavailable).toBeUndefined();
    const wish = { audio: () => seconds(1), sampleRate: rate };
    await expect(engine.transcribe({ ...wish, language: 'hindi' })).rejects.toMatchObject({ retryable: false });
    const base = engine.transcribe({ ...wish, model: 'base' });
    await expect(base).rejects.toMatchObject({ message: expect.stringContaining('add moonshine-base') });
    await engine.close();
  });

  it('loses only the child process to a file that is no model', async () => {
    const place = path.join(folder, 'broken/moonshine-tiny');
    await makeModel(place, followers);
    await writeFile(path.join(place, 'encoder_model.onnx'), 'no model');
    const engine = new Moonshine(path.dirname(place));
    const heard = engine.transcribe({ audio: () => seconds(1), sampleRate: rate });
    await expect(heard).rejects.toMatchObject({ name: 'ProviderFailure' });
    await engine.close();
  });

  const withWeights = existsSync(path.join(added, 'moonshine-base')) ? it : it.skip;

  withWeights('understands over a telephone what a voice says, and nothing in silence, by the real model', async () => {
    const [flite, engine] = [new Flite(), new Moonshine(added)];
    const blocks: Int16Array[] = [];
    const wish = { text: 'I would like to change the address on my account.', language: 'english', voice: 'slt' } as const;
    for await (const { samples } of flite.speak(wish)) blocks.push(samples);
    const narrow = await resample(joinSamples(blocks), rate, 8000);
    const byTelephone = async function* (): AsyncGenerator<Int16Array> {
      yield muLaw.decode(muLaw.encode(narrow));
    };
    const heard = await engine.transcribe({ audio: byTelephone, sampleRate: 8000 });
    expect(heard.text).toMatch(/change the address on my account/iu);
    const withPauses = await engine.transcribe({
      audio: async function* () {
        for (let times = 0; times < 4; times += 1) yield joinSamples([...blocks, new Int16Array(3 * rate)]);
      },
      sampleRate: rate,
    });
    expect(withPauses.text.match(/address on my account/giu)).toHaveLength(4);
    const silence = async function* (): AsyncGenerator<Int16Array> {
      yield new Int16Array(rate);
    };
    expect((await engine.transcribe({ audio: silence, sampleRate: rate })).text).toBe('');
    await Promise.all([flite.close(), engine.close()]);
  });
});
