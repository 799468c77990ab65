import { InferenceSession, Tensor } from 'onnxruntime-node';
import { workerData } from 'node:worker_threads';
import { answerCalls } from '../answer-calls.ts';
import { logMel, melBands, melRate } from './log-mel.ts';

/** What the worker does. */
export interface SmartTurnCalls {
  /** The probability that the speaker has finished, for each sound in 16 bits at 16 kHz. */
  judge(sounds: readonly Int16Array[]): Promise<Float32Array>;
}

const secondsHeard = 8;
const samplesHeard = secondsHeard * melRate;
const frames = secondsHeard * 100;
const modelFile = String(workerData);
let loading: Promise<InferenceSession> | undefined;

function session(): Promise<InferenceSession> {
  // One thread, because results are not urgent and calls share the cores.
  loading ??= InferenceSession.create(modelFile, { intraOpNumThreads: 1, interOpNumThreads: 1, executionMode: 'sequential' });
  return loading;
}

/** The features of a sound, which the model expects at the end of its eight seconds. */
function featuresOf(sound: Int16Array): Float32Array {
  const samples = new Float32Array(samplesHeard);
  const heard = sound.subarray(Math.max(0, sound.length - samplesHeard));
  const from = samplesHeard - heard.length;
  for (let i = 0; i < heard.length; i++) samples[from + i] = (heard[i] ?? 0) / 32_768;
  return logMel(samples);
}

const calls: SmartTurnCalls = {
  async judge(sounds) {
    const features = new Float32Array(sounds.length * melBands * frames);
    sounds.forEach((sound, index) => features.set(featuresOf(sound), index * melBands * frames));
    const model = await session();
    const answers = await model.run({ input_features: new Tensor('float32', features, [sounds.length, melBands, frames]) });
    const probabilities = answers[model.outputNames[0] ?? '']?.data;
    if (!(probabilities instanceof Float32Array)) throw new TypeError('the model answered with something else than numbers');
    return Float32Array.from(probabilities);
  },
};

answerCalls({ ...calls });
