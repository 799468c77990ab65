import path from 'node:path';
import { spokenPieces } from '@parley/language';
import {
  ProviderFailure,
  type SpeechBlock,
  type SpeechRequest,
  type SpokenLanguage,
  type TextToSpeech,
  type TextToSpeechCapabilities,
  type TimedWord,
  type Voice,
} from '@parley/ports';
import { z } from 'zod';
import {
  childProcess,
  EnginePool,
  type Pace,
  placesByDefault,
  Samples,
  sentenceAhead,
  sparePlacesByDefault,
  speechWaitMsMax,
} from '../engine-pool';
import { defineVoices } from '../vendor';

const provider = 'espeak';
const packageName = '@echogarden/espeak-ng-emscripten';
const wordsPerMinute = 160;

const voices = [
  { id: 'hi', name: 'Hindi', languages: ['hindi'], gender: 'male' },
  { id: 'hi+f3', name: 'Hindi, female', languages: ['hindi'], gender: 'female' },
  { id: 'mr', name: 'Marathi', languages: ['marathi'], gender: 'male' },
  { id: 'mr+f3', name: 'Marathi, female', languages: ['marathi'], gender: 'female' },
  { id: 'en', name: 'English', languages: ['english'], gender: 'male' },
] as const satisfies readonly Voice[];

const voiceOf: Record<SpokenLanguage, string> = { hindi: 'hi', marathi: 'mr', english: 'en' };

/** Those that each voice reads as words. Of others it says the name of each letter, such as "Chinese letter". */
const scripts = ['Latin', 'Devanagari', 'Bengali', 'Gujarati', 'Gurmukhi', 'Kannada', 'Malayalam', 'Tamil'];

const Spoken = z.object({
  samples: Samples,
  sampleRate: z.int(),
  words: z.array(z.object({ at: z.int(), length: z.int(), startMs: z.number() })),
});
type Spoken = z.output<typeof Spoken>;

interface EspeakOptions {
  readonly processes?: number;
  readonly queueMax?: number;
}

/** Local Hindi and Marathi speech. The engine is under the GPL, so it is optional and runs in a separate process. */
export class Espeak implements TextToSpeech {
  readonly capabilities: TextToSpeechCapabilities;
  private readonly pool: EnginePool<{ text: string; voice: string; wordsPerMinute: number }, typeof Spoken>;

  constructor({ processes = placesByDefault, queueMax = 32 }: EspeakOptions = {}) {
    const engine = enginePath();
    this.capabilities = {
      provider,
      languages: ['hindi', 'marathi', 'english'],
      scripts: { hindi: scripts, marathi: scripts, english: scripts },
      sampleRates: [22_050],
      streamingIn: false,
      streamingOut: true,
      wordTimings: true,
      pace: true,
      charactersMax: 5000,
      latency: 'instant',
      grade: 'demo',
      unavailable:
        engine === undefined ? `needs the optional package ${packageName} (GPL-3.0): npm install ${packageName}` : undefined,
    };
    const start = async (pace: Pace) =>
      childProcess(path.join(__dirname, `espeak.child${path.extname(__filename)}`), [engine ?? ''], pace);
    const places = { places: processes, sparePlaces: sparePlacesByDefault, waitMsMax: speechWaitMsMax };
    this.pool = new EnginePool({ provider, ...places, queueMax, jobMs: 10_000, reply: Spoken, start });
  }

  async voices(): Promise<readonly Voice[]> {
    return voices;
  }

  async *speak({
    text,
    language,
    voice = voiceOf[language],
    pace = 1,
    signal,
    beforePiece,
  }: SpeechRequest): AsyncGenerator<SpeechBlock> {
    if (this.capabilities.unavailable) throw refusal(this.capabilities.unavailable);
    if (!voices.some(({ id, languages: [its] }) => id === voice && its === language)) {
      throw refusal(`has no voice ${voice} for ${language}`);
    }
    const rate = Math.round(wordsPerMinute * pace);
    const spoken = sentenceAhead(spokenPieces(text, language), { signal, beforePiece }, async (sentence, ...turn) => ({
      sentence,
      ...(await this.pool.run({ text: knownLetters(sentence), voice, wordsPerMinute: rate }, ...turn)),
    }));
    let passedMs = 0;
    for await (const { sentence, ...block } of spoken) {
      yield { samples: block.samples, sampleRate: block.sampleRate, words: wordsIn(sentence, block, passedMs) };
      passedMs += (block.samples.length * 1000) / block.sampleRate;
    }
  }

  close(): Promise<void> {
    return this.pool.close();
  }
}

/** Replaces the Marathi letter for the first sound of "app", which the engine skips, by its older form. */
function knownLetters(sentence: string): string {
  return sentence.replaceAll('\u0972', '\u090D');
}

/** The engine reports where words begin; each lasts until the next one. */
function wordsIn(sentence: string, { samples, sampleRate, words }: Spoken, passedMs: number): TimedWord[] {
  const letters = [...sentence];
  const endMs = (samples.length * 1000) / sampleRate;
  return words.map(({ at, length, startMs }, index) => ({
    text: letters.slice(at, at + length).join(''),
    startMs: passedMs + startMs,
    endMs: passedMs + (words[index + 1]?.startMs ?? endMs),
  }));
}

function enginePath(): string | undefined {
  try {
    return require.resolve(packageName);
  } catch {
    return undefined;
  }
}

function refusal(message: string): ProviderFailure {
  return new ProviderFailure(provider, message, { retryable: false });
}

/** Speech by espeak. */
export const espeak = {
  voices: defineVoices({
    id: 2,
    name: 'espeak',
    isLocal: true,
    settings: [],
    languages: ['hindi', 'marathi', 'english'],
    grade: 'demo',
    latency: 'instant',
    sampleRates: [22_050],
    voices: [
      { id: 11, voice: 'hi', gender: 'male', languages: ['hindi'] },
      { id: 12, voice: 'hi+f3', gender: 'female', languages: ['hindi'] },
      { id: 13, voice: 'mr', gender: 'male', languages: ['marathi'] },
      { id: 14, voice: 'mr+f3', gender: 'female', languages: ['marathi'] },
      { id: 15, voice: 'en', gender: 'male', languages: ['english'] },
    ],
    variables: {},
    open: async () => new Espeak(),
  }),
};
