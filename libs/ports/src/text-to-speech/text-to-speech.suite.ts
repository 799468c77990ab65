import { ProviderFailure } from '../provider-failure';
import { type SpeechBlock, type SpeechRequest, spokenLanguages, type SpokenLanguage, type TextToSpeech } from './text-to-speech';

const greetings: Record<SpokenLanguage, { short: string; long: string }> = {
  english: { short: 'Good morning.', long: 'Good morning, the shop opens at nine and closes at six in the evening.' },
  hindi: { short: 'नमस्ते।', long: 'नमस्ते, दुकान सुबह नौ बजे खुलती है और शाम छह बजे बंद होती है।' },
  marathi: { short: 'नमस्कार.', long: 'नमस्कार, दुकान सकाळी नऊ वाजता उघडते आणि संध्याकाळी सहा वाजता बंद होते.' },
};

/** A word of each script that an engine may name. */
const words: Readonly<Record<string, string>> = {
  ...{ Latin: 'beautiful', Devanagari: 'सुंदरता', Bengali: 'সুন্দরতা', Gujarati: 'સુંદરતા', Gurmukhi: 'ਸੁੰਦਰਤਾ' },
  ...{ Kannada: 'ಸುಂದರತೆ', Malayalam: 'സുന്ദരമായ', Tamil: 'அழகான' },
};

/** The guarantees of the port, tested for any engine. */
export function describeTextToSpeech(name: string, create: () => Promise<TextToSpeech> | TextToSpeech): void {
  describe(`${name} as a text-to-speech engine`, () => {
    let engine: TextToSpeech;
    beforeAll(async () => {
      engine = await create();
    });
    afterAll(() => engine.close());

    it('speaks each of its languages, audibly and at a rate that it lists', async () => {
      for (const language of engine.capabilities.languages) {
        const blocks = await gather(engine, { text: greetings[language].short, language });
        expect(secondsOf(blocks)).toBeGreaterThan(0.2);
        expect(loudestOf(blocks)).toBeGreaterThan(1000);
        for (const { sampleRate } of blocks) expect(engine.capabilities.sampleRates).toContain(sampleRate);
      }
    });

    it('leaves out no word in a script that it names, and names one for each of its languages', async () => {
      const { scripts, languages } = engine.capabilities;
      if (scripts === 'any') return;
      for (const language of languages) {
        const text = greetings[language].short;
        const alone = secondsOf(await gather(engine, { text, language }));
        expect(scripts[language]).not.toEqual([]);
        for (const script of scripts[language] ?? []) {
          const all = await gather(engine, { text: `${text} ${words[script]}`, language });
          expect({ script, isSaid: secondsOf(all) > alone + 0.1 }).toEqual({ script, isSaid: true });
        }
      }
    });

    it('takes longer for a longer text', async () => {
      const [language] = languagesOf(engine);
      const short = await gather(engine, { text: greetings[language].short, language });
      const long = await gather(engine, { text: greetings[language].long, language });
      expect(secondsOf(long)).toBeGreaterThan(secondsOf(short) * 1.5);
    });

    it('speaks slower on request, or says that it cannot', async () => {
      const [language] = languagesOf(engine);
      const text = greetings[language].long;
      const slow = secondsOf(await gather(engine, { text, language, pace: 0.7 }));
      const quick = secondsOf(await gather(engine, { text, language, pace: 1.2 }));
      if (engine.capabilities.pace) expect(slow).toBeGreaterThan(quick * 1.2);
      else expect(slow).toBeCloseTo(quick, 0);
    });

    it('yields nothing for a text without words', async () => {
      const [language] = languagesOf(engine);
      expect(await gather(engine, { text: '  \n', language })).toEqual([]);
    });

    it('refuses a language it does not speak', async () => {
      for (const language of spokenLanguages) {
        if (engine.capabilities.languages.includes(language)) continue;
        const failure = await failureOf(gather(engine, { text: greetings[language].short, language }));
        expect(failure).toMatchObject({ provider: engine.capabilities.provider, retryable: false });
      }
    });

    it('refuses an unknown voice instead of using another', async () => {
      const [language] = languagesOf(engine);
      const failure = await failureOf(gather(engine, { text: greetings[language].short, language, voice: 'no-such-voice' }));
      expect(failure).toMatchObject({ retryable: false });
    });

    it('has a voice for each of its languages', async () => {
      const voices = await engine.voices();
      const spoken = new Set(voices.flatMap(({ languages }) => languages));
      expect([...engine.capabilities.languages].filter((language) => !spoken.has(language))).toEqual([]);
      expect(new Set(voices.map(({ id }) => id)).size).toBe(voices.length);
    });

    it('stops when the caller disconnects', async () => {
      const [language] = languagesOf(engine);
      const request = { text: greetings[language].long, language, signal: AbortSignal.abort() };
      await expect(gather(engine, request)).rejects.toThrow(/abort/i);
    });

    it('asks before each piece of a text, has asked for all of it by the end, and speaks nothing that is refused', async () => {
      const [language] = languagesOf(engine);
      const text = `${greetings[language].long} ${greetings[language].short}`;
      const asked: number[] = [];
      await gather(engine, { text, language, beforePiece: async (characters) => void asked.push(characters) });
      expect(asked).toEqual(asked.toSorted((one, other) => one - other));
      expect(asked.at(-1)).toBe([...text].length);
      const blocks: SpeechBlock[] = [];
      const refused = (async () => {
        const beforePiece = () => Promise.reject(new Error('nobody listens'));
        for await (const block of engine.speak({ text, language, beforePiece })) blocks.push(block);
      })();
      await expect(refused).rejects.toThrow('nobody listens');
      expect(blocks).toEqual([]);
    });

    it('serves several callers at once', async () => {
      const [language] = languagesOf(engine);
      const request = { text: greetings[language].short, language };
      const all = await Promise.all(Array.from({ length: 4 }, () => gather(engine, request)));
      for (const blocks of all) expect(secondsOf(blocks)).toBeGreaterThan(0.2);
    });
  });
}

function languagesOf(engine: TextToSpeech): [SpokenLanguage, ...SpokenLanguage[]] {
  const [first, ...others] = engine.capabilities.languages;
  if (!first) throw new TypeError('an engine speaks at least one language');
  return [first, ...others];
}

async function gather(engine: TextToSpeech, request: SpeechRequest): Promise<SpeechBlock[]> {
  const blocks: SpeechBlock[] = [];
  for await (const block of engine.speak(request)) blocks.push(block);
  return blocks;
}

async function failureOf(work: Promise<unknown>): Promise<ProviderFailure> {
  const outcome = await work.catch((failure: unknown) => failure);
  if (outcome instanceof ProviderFailure) return outcome;
  throw new TypeError('the engine did not fail with a ProviderFailure', { cause: outcome });
}

function secondsOf(blocks: readonly SpeechBlock[]): number {
  return blocks.reduce((seconds, { samples, sampleRate }) => seconds + samples.length / sampleRate, 0);
}

function loudestOf(blocks: readonly SpeechBlock[]): number {
  return Math.max(0, ...blocks.map(({ samples }) => samples.reduce((peak, sample) => Math.max(peak, Math.abs(sample)), 0)));
}
