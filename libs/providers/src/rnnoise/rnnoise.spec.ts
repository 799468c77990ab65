import { joinSamples, loudnessOf, resample } from '@parley/audio';
import { ProviderFailure } from '@parley/ports';
import { eventually } from '@parley/testing';
import type { CallableWorker } from '../callable-worker';
import { Flite } from '../flite';
import { Rnnoise, rnnoiseThread } from './index';
import type { NoiseBatch, RnnoiseCalls } from './rnnoise.worker';

const flite = new Flite();
const rnnoise = new Rnnoise({ answerMs: 60_000, loadMs: 60_000 });
afterAll(() => Promise.all([flite.close(), rnnoise.close()]));

/** A thread that processes sound like this. */
function workerThat(
  clean: (batch: NoiseBatch) => Promise<Int16Array>,
  close = async (): Promise<void> => undefined,
): Pick<CallableWorker<RnnoiseCalls>, 'call' | 'close'> {
  const call = async (operation: string, batch: NoiseBatch) => (operation === 'clean' ? clean(batch) : undefined);
  return { call: call as CallableWorker<RnnoiseCalls>['call'], close };
}

async function clean(engine: Rnnoise, sound: Int16Array, sampleRate: number, strength: number): Promise<Int16Array> {
  const blocks: Int16Array[] = [];
  let got = 0;
  const listener = (samples: Int16Array): void => {
    blocks.push(samples.slice());
    got += samples.length;
  };
  const stream = await engine.open({ sampleRate, strength, listener });
  const frame = sampleRate / 50;
  let pushed = 0;
  for (let at = 0; at < sound.length; at += frame) {
    stream.push(sound.subarray(at, at + frame));
    pushed += frame;
    if (pushed % (frame * 25) === 0) await eventually('the sound so far is cleaned', () => got > pushed - frame * 2);
  }
  stream.close();
  return joinSamples(blocks);
}

function hiss(samples: number, amplitude: number): Int16Array {
  let seed = 11;
  return Int16Array.from({ length: samples }, () => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fff_ffff;
    return (seed / 2_147_483_648 - 0.5) * 2 * amplitude;
  });
}

async function speechAt(sampleRate: number): Promise<Int16Array> {
  const blocks: Int16Array[] = [];
  for await (const { samples } of flite.speak({ text: 'Please open the door.', language: 'english' })) blocks.push(samples);
  return resample(joinSamples(blocks), 16_000, sampleRate);
}

describe('Rnnoise', () => {
  it.each([
    [8000, 10],
    [16_000, 10],
    [48_000, 5],
  ])('at %i samples a second leaves a %ith of the noise, and keeps the voice', async (rate, part) => {
    const noise = hiss(2 * rate, 1500);
    const cleaned = await clean(rnnoise, noise, rate, 100);
    expect(loudnessOf(cleaned.subarray(rate))).toBeLessThan(loudnessOf(noise) / part);
    const speech = await speechAt(rate);
    const spoken = await clean(rnnoise, speech, rate, 100);
    expect(loudnessOf(spoken)).toBeGreaterThan(loudnessOf(speech) * 0.6);
  });

  it('removes only part of the noise on request, and none at zero', async () => {
    const noise = hiss(16_000, 1500);
    const cleaned = await Promise.all([0, 50, 100].map((strength) => clean(rnnoise, noise, 8000, strength)));
    const left = cleaned.map((sound) => loudnessOf(sound.subarray(8000)));
    const [leftByNone = 0, leftByHalf = 0, leftByAll = 0] = left;
    expect(leftByNone).toBeCloseTo(loudnessOf(noise), 2);
    expect([leftByNone > leftByHalf * 1.5, leftByHalf > leftByAll * 1.5]).toEqual([true, true]);
  });

  it('returns as many samples as it got, delayed by no more than it states plus two frames', async () => {
    const rate = 16_000;
    const click = new Int16Array(rate);
    click.fill(12_000, 8000, 8020);
    const passed = await clean(rnnoise, click, rate, 0);
    expect(click.length - passed.length).toBeLessThanOrEqual((rate * 3) / 100);
    const loudest = passed.findIndex((sample) => Math.abs(sample) > 6000);
    expect(Math.abs(loudest - 8000 - (rnnoise.delayMs * rate) / 1000)).toBeLessThanOrEqual((rate * 2) / 1000);
  });

  it('passes the sound through unchanged, in place, when its thread dies', async () => {
    const worker = workerThat(() => Promise.reject(new ProviderFailure('rnnoise', 'the worker ended', { retryable: true })));
    const noise = hiss(16_000, 1500);
    const passed = await clean(new Rnnoise({ worker }), noise, 8000, 100);
    expect(loudnessOf(passed.subarray(800))).toBeCloseTo(loudnessOf(noise), 2);
  });

  it.each([8000, 16_000])('skips lasting quiet at %i samples a second, without losing a sample or speech', async (rate) => {
    let asked = 0;
    const real = rnnoiseThread();
    const worker: Pick<CallableWorker<RnnoiseCalls>, 'call' | 'close'> = {
      call: ((operation: 'clean', ...args: Parameters<RnnoiseCalls['clean']>) => {
        if (operation === 'clean') asked += args[0].samples.length / 480;
        return real.call(operation, ...args);
      }) as CallableWorker<RnnoiseCalls>['call'],
      close: () => real.close(),
    };
    const engine = new Rnnoise({ answerMs: 60_000, loadMs: 60_000, worker });
    const speech = await speechAt(rate);
    const quiet = hiss(3 * rate, 20);
    const sound = joinSamples([quiet, speech, quiet, speech, quiet]);
    const cleaned = await clean(engine, sound, rate, 60);
    await engine.close();
    expect(sound.length - cleaned.length).toBeLessThanOrEqual((rate * 3) / 100);
    const frames = sound.length / (rate / 100);
    expect(asked / frames).toBeLessThan((2 * speech.length) / sound.length + 0.15);
    const [first, second] = [3 * rate, 6 * rate + speech.length].map((from) => cleaned.slice(from, from + speech.length));
    for (const heard of [first, second]) expect(loudnessOf(heard ?? quiet)).toBeGreaterThan(loudnessOf(speech) * 0.6);
    const placeOf = (samples: Int16Array) => samples.findIndex((sample) => Math.abs(sample) > 2000);
    expect(Math.abs(placeOf(second ?? quiet) - placeOf(first ?? quiet))).toBeLessThanOrEqual(rate / 1000);
  });

  it('leaves voices as they came on a line without noise, and takes noise out once there is some', async () => {
    const rate = 16_000;
    let asked = 0;
    const worker = workerThat(async ({ samples }) => ((asked += samples.length / 480), new Int16Array(samples.length)));
    const engine = new Rnnoise({ worker });
    const heard: Int16Array[] = [];
    const stream = await engine.open({
      sampleRate: rate,
      strength: 100,
      listener: (samples) => void heard.push(samples.slice()),
    });
    const samplesHeard = () => heard.reduce((sum, { length }) => sum + length, 0);
    const framesAskedFor = async (sound: Int16Array): Promise<number> => {
      const before = asked;
      for (let at = 0; at < sound.length; at += rate / 2) {
        const until = samplesHeard() + Math.min(rate / 2, sound.length - at);
        stream.push(sound.subarray(at, at + rate / 2));
        await eventually('the sound so far is told', () => samplesHeard() >= until - 640);
      }
      return asked - before;
    };
    const speech = await speechAt(rate);
    const whole = speech.subarray(0, speech.length - (speech.length % 320));
    const quiet = hiss(rate, 8);
    expect(await framesAskedFor(joinSamples([quiet, whole, quiet]))).toBeGreaterThan(whole.length / 400);
    const from = samplesHeard();
    expect(await framesAskedFor(joinSamples([whole, quiet]))).toBe(0);
    expect(loudnessOf(joinSamples(heard).subarray(from, from + whole.length))).toBeCloseTo(loudnessOf(whole), 2);
    const street = hiss(5 * rate, 400);
    expect(await framesAskedFor(joinSamples([street, whole.map((sample, at) => sample + (street[at] ?? 0))]))).toBeGreaterThan(
      200,
    );
    stream.close();
  });

  it('asks once about what several lines bring within a moment, and returns each its own sound', async () => {
    const asked: NoiseBatch[] = [];
    const engine = new Rnnoise({ worker: workerThat(async (batch) => (asked.push(batch), batch.samples)) });
    const heard = [0, 0, 0];
    const listen = (line: number) => (samples: Int16Array) => void (heard[line] = samples.at(-1) ?? 0);
    const lines = await Promise.all(
      heard.map((_, line) => engine.open({ sampleRate: 48_000, strength: 100, listener: listen(line) })),
    );
    lines.forEach((line, index) => line.push(new Int16Array(960).fill(1000 * (index + 1))));
    await eventually('all are told', () => heard.every((sample) => sample > 0));
    expect(asked.map(({ lengths }) => [...lengths])).toEqual([[960, 960, 960]]);
    expect(heard).toEqual([1000, 2000, 3000]);
  });

  it('asks nothing more about a closed line, since the thread would remember it for ever', async () => {
    const asked: NoiseBatch[] = [];
    const engine = new Rnnoise({ worker: workerThat(async (batch) => (asked.push(batch), batch.samples)) });
    const listener = jest.fn();
    const [closed, open] = [
      await engine.open({ sampleRate: 48_000, strength: 100, listener }),
      await engine.open({ sampleRate: 48_000, strength: 100, listener }),
    ];
    for (const line of [closed, open]) line.push(new Int16Array(960).fill(1000));
    closed.close();
    await eventually('the other line is told', () => listener.mock.calls.length > 0);
    expect(asked.flatMap(({ streams }) => [...streams])).toEqual([2]);
  });

  it('lets a late thread finish, passes the sound through meanwhile, and uses it again', async () => {
    const late = Promise.withResolvers<void>();
    const ended = jest.fn(async () => undefined);
    let asked = 0;
    const worker = workerThat(async ({ samples }) => {
      if (++asked === 1) await late.promise;
      return samples.map((sample) => -sample);
    }, ended);
    const heard: number[] = [];
    const engine = new Rnnoise({ answerMs: 20, worker });
    const listener = (samples: Int16Array): void => void heard.push(samples.at(-1) ?? 0);
    const line = await engine.open({ sampleRate: 48_000, strength: 100, listener });
    const speak = () => line.push(new Int16Array(960).fill(1000));
    speak();
    await eventually('the sound passes as it is', () => heard.length === 1);
    speak();
    await eventually('so does what comes meanwhile', () => heard.length === 2);
    late.resolve();
    await eventually('the thread is asked again', async () => (speak(), asked > 1));
    await eventually('its sound is told', () => heard.at(-1) === -1000);
    expect(heard.slice(0, 2)).toEqual([1000, 1000]);
    expect(ended).not.toHaveBeenCalled();
  });

  it('refuses an unsupported rate or strength', async () => {
    const listener = (): void => undefined;
    await expect(rnnoise.open({ sampleRate: 11_025, strength: 50, listener })).rejects.toThrow(RangeError);
    await expect(rnnoise.open({ sampleRate: 8000, strength: 101, listener })).rejects.toThrow(RangeError);
  });
});
