import type { VoiceActivity, VoiceWindow } from './voice-activity';

/** A second of speech, 16-bit mono. */
type SpeechAt = (sampleRate: number) => Promise<Int16Array> | Int16Array;

/** The guarantees of the port, tested for any engine. */
export function describeVoiceActivity(
  name: string,
  create: () => Promise<VoiceActivity> | VoiceActivity,
  speechAt: SpeechAt,
): void {
  describe(`${name} as a voice activity detector`, () => {
    let engine: VoiceActivity;
    beforeAll(async () => {
      engine = await create();
    });
    afterAll(() => engine.close());

    async function judge(samples: Int16Array, sampleRate: number, blockSamples = 160): Promise<VoiceWindow[]> {
      const windowSamples = Math.round((sampleRate * engine.capabilities.windowMs) / 1000);
      const expected = Math.floor(samples.length / windowSamples);
      const windows: VoiceWindow[] = [];
      const judged = Promise.withResolvers<void>();
      const listener = (window: VoiceWindow): void => {
        windows.push(window);
        if (windows.length === expected) judged.resolve();
      };
      const stream = await engine.open({ sampleRate, listener });
      for (let at = 0; at < samples.length; at += blockSamples) stream.push(samples.subarray(at, at + blockSamples));
      if (expected > 0) await judged.promise;
      stream.close();
      return windows;
    }

    async function spoken(sampleRate: number): Promise<Int16Array> {
      const speech = await speechAt(sampleRate);
      const samples = new Int16Array(sampleRate + speech.length);
      samples.set(speech, sampleRate);
      return samples;
    }

    it('detects the voice and not the silence before it, at each of its rates', async () => {
      for (const sampleRate of engine.capabilities.sampleRates) {
        const windows = await judge(await spoken(sampleRate), sampleRate);
        const share = (part: VoiceWindow[]) => part.filter(({ probability }) => probability > 0.5).length / part.length;
        expect(share(windows.filter(({ endMs }) => endMs <= 1000))).toBe(0);
        expect(share(windows.filter(({ startMs }) => startMs >= 1000))).toBeGreaterThan(0.5);
      }
    });

    it('reports each window once, in order and without gaps, however the sound is cut', async () => {
      const [sampleRate = 8000] = engine.capabilities.sampleRates;
      const samples = await spoken(sampleRate);
      const windows = await judge(samples, sampleRate);
      expect(await judge(samples, sampleRate, 1021)).toEqual(windows);
      windows.forEach(({ startMs, endMs }, index) => {
        expect(startMs).toBeCloseTo(index * engine.capabilities.windowMs, 6);
        expect(endMs).toBeCloseTo(startMs + engine.capabilities.windowMs, 6);
      });
    });

    it('judges concurrent streams independently', async () => {
      const [sampleRate = 8000] = engine.capabilities.sampleRates;
      const speech = await spoken(sampleRate);
      const alone = await judge(speech, sampleRate);
      const silence = new Int16Array(speech.length);
      const [among, quiet] = await Promise.all([
        judge(speech, sampleRate),
        judge(silence, sampleRate),
        judge(speech, sampleRate, 333),
      ]);
      among.forEach(({ probability }, index) => expect(probability).toBeCloseTo(alone[index]?.probability ?? -1, 3));
      expect(quiet.every(({ probability }) => probability < 0.5)).toBe(true);
    });

    it('reports nothing once the stream is closed', async () => {
      const [sampleRate = 8000] = engine.capabilities.sampleRates;
      const windows: VoiceWindow[] = [];
      const stream = await engine.open({ sampleRate, listener: (window) => windows.push(window) });
      stream.close();
      stream.push(await spoken(sampleRate));
      await judge(await spoken(sampleRate), sampleRate);
      expect(windows).toEqual([]);
    });

    it('refuses an unlisted rate', async () => {
      await expect(engine.open({ sampleRate: 11_025, listener: () => undefined })).rejects.toThrow(RangeError);
    });
  });
}
