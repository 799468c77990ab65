import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { joinSamples } from '@parley/audio';
import { describeTurnEnd } from '@parley/ports/suites';
import { eventually } from '@parley/testing';
import { CallableWorker } from '../callable-worker';
import { Flite } from '../flite';
import { numbers, onnxModel, whole } from '../sherpa-onnx/onnx-model.fixture';
import { SmartTurn } from '.';

const rate = 16_000;
const file = 'smart-turn/smart-turn-v3.2-cpu.onnx';

/** The inputs and the output of the real model; in place of its weights the loudness of the last fifth of a second decides. */
const quietIsDone = onnxModel({
  inputs: [{ name: 'input_features', type: 'float', shape: ['sounds', 80, 800] }],
  outputs: [{ name: 'logits', type: 'float', shape: ['sounds', 1] }],
  constants: {
    from: whole(780),
    to: whole(800),
    time: whole(2),
    all: whole(1, 2),
    last: whole(1),
    scale: numbers(-0.001),
  },
  nodes: [
    ['Slice', 'end', 'input_features', 'from', 'to', 'time'],
    ['ReduceSum', 'loudness', 'end', 'all', { keepdims: 0 }],
    ['Mul', 'quiet', 'loudness', 'scale'],
    ['Unsqueeze', 'column', 'quiet', 'last'],
    ['Sigmoid', 'logits', 'column'],
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
