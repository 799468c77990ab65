import { ProviderFailure } from '../provider-failure';
import { spokenLanguages, type SpokenLanguage } from '../text-to-speech/text-to-speech';
import type { SpeechToText } from './speech-to-text';

interface SpokenSample {
  /** 16-bit mono at the first of the engine's rates. */
  readonly samples: Int16Array;
  readonly language: SpokenLanguage;
  /** A word that any engine for this language must recognize in it. */
  readonly word: string;
}

/** The guarantees of the port, tested for any engine. */
export function describeSpeechToText(
  name: string,
  create: () => Promise<SpeechToText> | SpeechToText,
  speech: () => Promise<SpokenSample> | SpokenSample,
): void {
  describe(`${name} as a speech-to-text engine`, () => {
    let engine: SpeechToText;
    let spoken: SpokenSample;
    beforeAll(async () => {
      engine = await create();
      spoken = await speech();
    });
    afterAll(() => engine.close());

    const rate = (): number => engine.capabilities.sampleRates[0] ?? 16_000;
    const hear = (samples: Int16Array, language: SpokenLanguage, signal?: AbortSignal) =>
      engine.transcribe({ audio: () => inBlocks(samples), sampleRate: rate(), language, signal });

    it('recognizes the word', async () => {
      const { text } = await hear(spoken.samples, spoken.language);
      expect(text.toLowerCase()).toContain(spoken.word);
    });

    it('returns an empty text for silence and for no sound', async () => {
      expect((await hear(new Int16Array(rate()), spoken.language)).text).toBe('');
      expect((await hear(new Int16Array(0), spoken.language)).text).toBe('');
    });

    it('refuses an unknown language instead of guessing', async () => {
      for (const language of spokenLanguages) {
        if (engine.capabilities.languages.includes(language)) continue;
        const failure: unknown = await hear(spoken.samples, language).catch((reason: unknown) => reason);
        expect(failure).toBeInstanceOf(ProviderFailure);
        expect(failure).toMatchObject({ retryable: false });
      }
    });

    it('times every word on request, or says that it cannot', async () => {
      const request = { audio: () => inBlocks(spoken.samples), sampleRate: rate(), language: spoken.language, words: true };
      const { words } = await engine.transcribe(request);
      expect(words !== undefined).toBe(engine.capabilities.wordTimings);
      let lastMs = 0;
      for (const { startMs, endMs } of words ?? []) {
        expect(startMs).toBeGreaterThanOrEqual(lastMs);
        expect(endMs).toBeGreaterThanOrEqual(startMs);
        lastMs = startMs;
      }
    });

    it('names a model for each of its languages', async () => {
      const known = new Set((await engine.models()).flatMap(({ languages }) => languages));
      expect([...engine.capabilities.languages].filter((language) => !known.has(language))).toEqual([]);
    });

    it('stops when the caller disconnects', async () => {
      await expect(hear(spoken.samples, spoken.language, AbortSignal.abort())).rejects.toThrow(/abort/i);
    });

    it('stops when the caller disconnects while sound arrives, without an unhandled rejection', async () => {
      const leaving = new AbortController();
      async function* untilLeft(): AsyncGenerator<Int16Array> {
        yield* inBlocks(spoken.samples);
        leaving.abort();
      }
      const uncaught: unknown[] = [];
      const note = (reason: unknown): number => uncaught.push(reason);
      process.on('unhandledRejection', note);
      const request = { audio: untilLeft, sampleRate: rate(), language: spoken.language, signal: leaving.signal };
      await expect(engine.transcribe(request)).rejects.toThrow(/abort/i);
      // Node reports a rejection only once the queues of the tick are empty.
      for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
      process.off('unhandledRejection', note);
      expect(uncaught).toEqual([]);
    });

    it('serves several callers at once', async () => {
      const all = await Promise.all([0, 1, 2].map(() => hear(spoken.samples, spoken.language)));
      for (const { text } of all) expect(text.toLowerCase()).toContain(spoken.word);
    });
  });
}

async function* inBlocks(samples: Int16Array, size = 1600): AsyncGenerator<Int16Array> {
  for (let at = 0; at < samples.length; at += size) yield samples.subarray(at, at + size);
}
