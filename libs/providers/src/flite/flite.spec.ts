import { loudnessOf } from '@parley/audio';
import { describeTextToSpeech } from '@parley/ports/suites';
import { Flite } from '.';
import { EnginePool } from '../engine-pool';

describeTextToSpeech('Flite', () => new Flite());

describe('Flite', () => {
  let flite: Flite;
  beforeAll(() => {
    flite = new Flite({ threads: 1, queueMax: 2 });
  });
  afterAll(() => flite.close());

  async function secondsOf(text: string, signal?: AbortSignal): Promise<number> {
    let seconds = 0;
    for await (const { samples, sampleRate } of flite.speak({ text, language: 'english', signal })) {
      expect(loudnessOf(samples)).toBeGreaterThan(0.01);
      seconds += samples.length / sampleRate;
    }
    return seconds;
  }

  it('refuses a script it would read as silence', async () => {
    await expect(secondsOf('नमस्ते')).rejects.toMatchObject({ provider: 'flite', retryable: false });
  });

  it.each([
    ['Zoë and Müller sell crème brûlée.', 'Zoe and Muller sell creme brulee.'],
    ['Ｏｕｒ 𝐬𝐡𝐨𝐩 has Łódź, Ærø and ½.', 'Our shop has Lodz, Aero and half.'],
    ['Don’t wait.', "Don't wait."],
  ])('says all letters of the Latin script: %s', async (written, plain) =>
    expect(await secondsOf(written)).toBeCloseTo(await secondsOf(plain), 3),
  );

  it('yields the first sentence before the last is synthesized', async () => {
    const text = Array.from({ length: 50 }, (_, i) => `This is sentence number ${i}.`).join(' ');
    const run = jest.spyOn(EnginePool.prototype, 'run');
    for await (const { samples, sampleRate } of flite.speak({ text, language: 'english' })) {
      expect(samples.length / sampleRate).toBeLessThan(5);
      break;
    }
    // The sentence being played, and the next one.
    expect(run).toHaveBeenCalledTimes(2);
    run.mockRestore();
  });

  it('treats a text that looks like an option as text', async () => {
    expect(await secondsOf('-o /etc/passwd --help -voicedir x')).toBeGreaterThan(1);
  });

  it('is busy when too many wait, and recovers', async () => {
    const outcomes = await Promise.allSettled(Array.from({ length: 8 }, () => secondsOf('One moment please.')));
    const refused = outcomes.filter(({ status }) => status === 'rejected');
    expect(refused.length).toBeGreaterThan(0);
    expect(refused.length).toBeLessThan(8);
    for (const outcome of refused) expect(outcome).toMatchObject({ reason: { retryable: true, retryAfterMs: 1000 } });
    expect(await secondsOf('One moment please.')).toBeGreaterThan(0.5);
  });

  it('completes what it has begun, even if its listener is slow while others fill the queue', async () => {
    const text = Array.from({ length: 6 }, (_, i) => `This is sentence number ${i}.`).join(' ');
    const dawdled = flite.speak({ text, language: 'english' });
    await dawdled.next();
    // Comes after the sentence that is spoken ahead, and leaves the engine idle.
    await secondsOf('One moment please.');
    const others = Promise.allSettled(Array.from({ length: 4 }, () => secondsOf(text)));
    let heard = 1;
    for await (const { samples } of dawdled) heard += samples.length > 0 ? 1 : 0;
    expect(heard).toBe(6);
    expect((await others).map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'fulfilled', 'rejected']);
  });

  it('frees its place in the queue when the caller disconnects', async () => {
    const leaving = new AbortController();
    const all = Promise.allSettled(Array.from({ length: 3 }, () => secondsOf('One moment please.', leaving.signal)));
    leaving.abort();
    for (const { status } of await all) expect(status).toBe('rejected');
    expect(await secondsOf('Thank you.')).toBeGreaterThan(0.3);
  });
});
