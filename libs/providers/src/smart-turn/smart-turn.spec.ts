import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { joinSamples } from '@parley/audio';
import { describeTurnEnd } from '@parley/ports/suites';
import { eventually } from '@parley/testing';
import { CallableWorker } from '../callable-worker';
import { Flite } from '../flite';
import { numbers, onnxModel, rounded, whole } from '../sherpa-onnx/onnx-model.fixture';
import { SmartTurn } from '.';

const rate = 16_000;
const file = 'smart-turn/smart-turn-v3.2-cpu.onnx';

const positions = 400;
/** What the earlier half of the positions adds to the loudness: with any of them no turn would ever be over. */
const positionTable = Array.from({ length: positions }, (_, index) => (index < positions / 2 ? 10_000 : 0));

/**
 * The inputs and the output of the real model, a table with a row for each of its positions, weights of 8 bits, and results rounded so
 * coarsely that all sounds would be alike. In place of its weights the loudness of the last fifth of a second decides.
 */
const quietIsDone = onnxModel({
  inputs: [{ name: 'input_features', type: 'float', shape: ['sounds', 80, 800] }],
  outputs: [{ name: 'logits', type: 'float', shape: ['sounds', 1] }],
  constants: {
    from: whole(-20),
    to: whole(1_000_000),
    time: whole(2),
    all: whole(1, 2),
    first: whole(0),
    last: whole(1),
    length: whole(positions),
    'inner.embed_positions.weight': { ...numbers(...positionTable), shape: [positions, 1] },
    coarse: numbers(1_000_000),
    unit: numbers(0.001),
    zero: rounded([0]),
    weight: rounded([-1], [1, 1]),
  },
  nodes: [
    ['Slice', 'end', 'input_features', 'from', 'to', 'time'],
    ['ReduceSum', 'loudness', 'end', 'all', { keepdims: 0 }],
    ['Reshape', 'places', 'inner.embed_positions.weight', 'length'],
    ['ReduceSum', 'place', 'places', 'first', { keepdims: 0 }],
    ['Add', 'heard', 'loudness', 'place'],
    ['QuantizeLinear', 'rounded', 'heard', 'coarse', 'zero'],
    ['DequantizeLinear', 'restored', 'rounded', 'coarse', 'zero'],
    ['Unsqueeze', 'column', 'restored', 'last'],
    ['DequantizeLinear', 'scale', 'weight', 'unit', 'zero'],
    ['MatMul', 'quiet', 'column', 'scale'],
    ['Sigmoid', 'logits', 'quiet'],
  ],
  metadata: {},
});

describe('SmartTurn', () => {
  const flite = new Flite();
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'models-'));
    await mkdir(path.join(folder, 'smart-turn'));
    await writeFile(path.join(folder, file), quietIsDone);
  });
  afterAll(async () => {
    await flite.close();
    await rm(folder, { recursive: true });
  });

  async function said(): Promise<{ finished: Int16Array; brokenOff: Int16Array; sampleRate: number }> {
    const blocks: Int16Array[] = [];
    for await (const { samples } of flite.speak({
      text: 'Can you tell me how much it costs?',
      language: 'english',
      voice: 'slt',
    }))
      blocks.push(samples);
    const sound = joinSamples(blocks);
    return { finished: joinSamples([sound, new Int16Array(rate / 2)]), brokenOff: sound.slice(0, rate), sampleRate: rate };
  }

  describeTurnEnd('a model of a few nodes', () => new SmartTurn(folder, { answerMs: 30_000 }), said);

  it('judges the last four seconds alone, and by their loudness exactly', async () => {
    const judge = new SmartTurn(folder, { answerMs: 30_000 });
    const { finished, sampleRate } = await said();
    const four = new Int16Array(4 * sampleRate);
    four.set(finished.slice(-four.length), Math.max(0, four.length - finished.length));
    const noisy = joinSamples([Int16Array.from({ length: 2 * sampleRate }, (_, i) => (i % 2 === 0 ? 30_000 : -30_000)), four]);
    const [alone, afterNoise] = [
      await judge.judge({ samples: four, sampleRate }),
      await judge.judge({ samples: noisy, sampleRate }),
    ];
    expect(judge.capabilities.secondsMax).toBe(4);
    expect(afterNoise).toBe(alone);
    await judge.close();
  });

  it('gives a sound the same judgement whatever is asked with it', async () => {
    const judge = new SmartTurn(folder, { answerMs: 30_000 });
    const { finished, brokenOff, sampleRate } = await said();
    const ask = (samples: Int16Array) => judge.judge({ samples, sampleRate });
    const alone = await ask(finished);
    const together = await Promise.all([brokenOff, brokenOff, finished, brokenOff].map(ask));
    expect(together[2]).toBe(alone);
    await judge.close();
  });

  it('says what is missing where there is no model, and judges nothing', async () => {
    const judge = new SmartTurn('/nowhere');
    expect(judge.capabilities.unavailable).toMatch(/PARLEY_MODELS.*npm run models -- add smart-turn/);
    expect(await judge.judge({ samples: new Int16Array(rate), sampleRate: rate })).toBeUndefined();
    await judge.close();
  });

  it('judges nothing where the file is no model, and does not try again at once', async () => {
    const broken = await mkdtemp(path.join(tmpdir(), 'models-'));
    await mkdir(path.join(broken, 'smart-turn'));
    await writeFile(path.join(broken, file), 'no model');
    const judge = new SmartTurn(broken, { answerMs: 30_000, restMs: 60_000 });
    const request = { samples: new Int16Array(rate), sampleRate: rate };
    expect(await judge.judge(request)).toBeUndefined();
    const called = jest.spyOn(CallableWorker.prototype, 'call');
    expect(await judge.judge(request)).toBeUndefined();
    expect(called).not.toHaveBeenCalled();
    called.mockRestore();
    await judge.close();
    await rm(broken, { recursive: true });
  });

  it('delays no line for a late model, and asks once about all that came meanwhile', async () => {
    const asked: number[] = [];
    const first = Promise.withResolvers<Float32Array>();
    const worker = {
      call: async (_: 'judge', sounds: readonly Int16Array[]) => {
        asked.push(sounds.length);
        return asked.length === 1 ? first.promise : new Float32Array(sounds.length).fill(0.7);
      },
      retire: async () => undefined,
    };
    const judge = new SmartTurn(folder, { answerMs: 300, worker });
    const request = { samples: new Int16Array(rate), sampleRate: rate };
    const late = judge.judge(request);
    await eventually('the model is asked', () => asked.length === 1);
    expect(await late).toBeUndefined();
    const others = [judge.judge(request), judge.judge(request), judge.judge(request)];
    // Each is resampled before it waits.
    for (let i = 0; i < 10; i++) await new Promise(setImmediate);
    first.resolve(Float32Array.of(0.2));
    const answers = await Promise.all(others);
    answers.forEach((answer) => expect(answer).toBeCloseTo(0.7, 5));
    expect(asked).toEqual([1, 3]);
    await judge.close();
  });
});
