import { spokenPieces } from '@parley/language';
import {
  ProviderFailure,
  type SpeechBlock,
  type SpeechRequest,
  type SpeechToText,
  type SpeechToTextCapabilities,
  type SpokenLanguage,
  type TextToSpeech,
  type TextToSpeechCapabilities,
  type Transcription,
  type TranscriptionModel,
  type TranscriptionRequest,
  type Voice,
} from '@parley/ports';
import { z } from 'zod';
import { type EnginePool, Samples, sentenceAhead } from '../engine-pool';
import { filesOf, lacking, type ModelFolder, provider, sherpaPool } from './installed-model';
import { ZipformerHearing } from './zipformer-hearing';
import { defineHearing, defineVoices, modelVariables } from '../vendor';
import { wholeRecording } from '../whole-recording';

const languages = ['english', 'hindi', 'marathi'] as const;
const codes: Record<SpokenLanguage, string> = { english: 'en', hindi: 'hi', marathi: 'mr' };
const models = ['whisper-base', 'whisper-small'] as const;
const sampleRate = 16_000;
const secondsMax = 29;

const Heard = z.object({ text: z.string(), language: z.string() });

const folderOf = (model: string): ModelFolder => ({
  name: `sherpa-onnx-${model}`,
  files: { encoder: '-encoder.int8.onnx', decoder: '-decoder.int8.onnx', tokens: '-tokens.txt' },
});

/** Whisper in local child processes, with models from the model folder. */
export class SherpaHearing implements SpeechToText {
  private readonly pools = new Map<string, EnginePool<object, typeof Heard>>();

  constructor(private readonly modelsFolder: string) {}

  get capabilities(): SpeechToTextCapabilities {
    return {
      provider,
      languages,
      sampleRates: [sampleRate],
      live: false,
      wordTimings: false,
      languageDetection: true,
      secondsMax,
      grade: 'production',
      unavailable: lacking(models.map(folderOf), this.modelsFolder),
      whyNoModel: (model) => lacking([folderOf(model)], this.modelsFolder),
    };
  }

  async models(): Promise<readonly TranscriptionModel[]> {
    return models.map((id) => ({ id, name: id, languages }));
  }

  async transcribe({ language, model, signal, ...sound }: TranscriptionRequest): Promise<Transcription> {
    signal?.throwIfAborted();
    const pool = this.poolFor(model);
    const samples = await wholeRecording(sound, { provider, sampleRate, secondsMax });
    if (samples.length === 0) return { text: '', language };
    const heard = await pool.run({ samples, sampleRate, language: language ? codes[language] : '' }, signal);
    return { text: heard.text.trim(), language: language ?? languages.find((known) => codes[known] === heard.language) };
  }

  async close(): Promise<void> {
    await Promise.all([...this.pools.values()].map((pool) => pool.close()));
  }

  private poolFor(wanted: string | undefined): EnginePool<object, typeof Heard> {
    const model = wanted ?? models.find((name) => filesOf(folderOf(name), this.modelsFolder)) ?? models[0];
    const known = this.pools.get(model);
    if (known) return known;
    const files = filesOf(folderOf(model), this.modelsFolder);
    if (!files) throw refusal(`has no model ${model}: npm run models -- add ${folderOf(model).name}`);
    const { tokens, ...whisper } = files;
    const modelConfig = { whisper: { ...whisper, task: 'transcribe' }, tokens, numThreads: 1, provider: 'cpu' };
    const pool = sherpaPool('hear', { modelConfig }, Heard);
    this.pools.set(model, pool);
    return pool;
  }
}

function refusal(message: string): ProviderFailure {
  return new ProviderFailure(provider, message, { retryable: false });
}

/** A voice and its model. */
interface SherpaVoice extends Voice {
  readonly languages: readonly [SpokenLanguage];
  readonly model: ModelFolder & { readonly family: 'vits' | 'kokoro' };
  /** The number of the speaker in the model. */
  readonly speaker: number;
  /** The espeak-ng name of the language, for multilingual models. */
  readonly reading?: string;
}

const dataDir = 'espeak-ng-data';

const kokoroModel = {
  family: 'kokoro',
  name: 'kokoro-multi-lang-v1_0',
  smaller: 'kokoro-multi-lang-v1_0-int8',
  files: { model: 'model.onnx', voices: 'voices.bin', tokens: 'tokens.txt', dataDir },
} as const;

/** Piper's voices come first, since they begin to speak several times sooner. */
const modelVoices: readonly SherpaVoice[] = [
  piper('en_US-amy-low', 'Amy', 'english', 'female'),
  piper('hi_IN-pratham-medium', 'Pratham', 'hindi', 'male'),
  kokoro('af_heart', 3, 'Heart', 'english'),
  kokoro('af_bella', 2, 'Bella', 'english'),
  kokoro('am_michael', 16, 'Michael', 'english'),
  kokoro('am_puck', 18, 'Puck', 'english'),
  kokoro('hf_alpha', 31, 'Alpha', 'hindi'),
  kokoro('hf_beta', 32, 'Beta', 'hindi'),
  kokoro('hm_omega', 33, 'Omega', 'hindi'),
  kokoro('hm_psi', 34, 'Psi', 'hindi'),
];

const Spoken = z.object({ samples: Samples, sampleRate: z.int() });

/** A model that takes a larger share of real time is too slow for calls, since other calls and sentences need their share. */
const shareMax = 0.7;
/** The assumed shares until a model has been measured here; on two shared cores Kokoro takes about as long as its speech lasts. */
const sharesExpected = { vits: 0.2, kokoro: 1 } as const;
const learning = 0.3;

/** How long each model takes to synthesize, as a share of the duration of the speech. */
export class SpeakingPace {
  private readonly shares = new Map<string, number>();
  private readonly loaded = new Set<string>();

  isSlow({ name, family }: Pick<SherpaVoice['model'], 'name' | 'family'>): boolean {
    return (this.shares.get(name) ?? sharesExpected[family]) > shareMax;
  }

  /** Notes the time taken for a sentence, and its duration. A model's first sentence does not count, since it includes loading. */
  note({ name }: Pick<SherpaVoice['model'], 'name'>, tookMs: number, lastsMs: number): void {
    if (lastsMs <= 0 || !this.loaded.has(name)) return void this.loaded.add(name);
    const share = tookMs / lastsMs;
    const usual = this.shares.get(name) ?? share;
    this.shares.set(name, usual + learning * (share - usual));
  }
}

/** Piper's and Kokoro's voices in local child processes, with models from the model folder. */
export class SherpaSpeaking implements TextToSpeech {
  /** One per model, shared by its speakers. */
  private readonly pools = new Map<string, EnginePool<object, typeof Spoken>>();

  constructor(
    private readonly modelsFolder: string,
    private readonly paceOfModels = new SpeakingPace(),
  ) {}

  get capabilities(): TextToSpeechCapabilities {
    const spoken = ['english', 'hindi'] as const;
    return {
      provider,
      languages: spoken,
      // An English model was trained on no Hindi. Hindi ones get Latin words as sounds, and have heard those in Hindi.
      scripts: { english: ['Latin'], hindi: ['Devanagari', 'Latin'] },
      slowIn: spoken.filter((language) => this.isSlowIn(language)),
      sampleRates: [16_000, 22_050, 24_000],
      streamingIn: false,
      streamingOut: true,
      wordTimings: false,
      pace: true,
      charactersMax: 5000,
      latency: 'live',
      grade: 'production',
      unavailable: lacking(
        modelVoices.map(({ model }) => model),
        this.modelsFolder,
      ),
      whyNoModel: (voice) =>
        lacking(
          modelVoices.flatMap(({ id, model }) => (id === voice ? [model] : [])),
          this.modelsFolder,
        ),
    };
  }

  async voices(): Promise<readonly Voice[]> {
    return modelVoices.map(({ id, name, languages, gender }) => ({ id, name, languages, gender }));
  }

  async *speak({ text, language, voice, pace = 1, signal, beforePiece }: SpeechRequest): AsyncGenerator<SpeechBlock> {
    const isWanted = ({ id, languages: [its] }: SherpaVoice) => its === language && id === voice;
    const chosen = voice === undefined ? this.usualVoice(language) : modelVoices.find(isWanted);
    if (!chosen) throw refusal(`has no ${voice === undefined ? 'model of a voice' : `voice ${voice}`} for ${language}`);
    const pool = this.poolOf(chosen);
    const { speaker, reading } = chosen;
    yield* sentenceAhead(spokenPieces(text, language), { signal, beforePiece }, async (sentence, ...turn) => {
      const startedAtMs = performance.now();
      const spoken = await pool.run({ text: sentence, pace, speaker, reading }, ...turn);
      const tookMs = performance.now() - startedAtMs;
      this.paceOfModels.note(chosen.model, tookMs, (spoken.samples.length * 1000) / spoken.sampleRate);
      return spoken;
    });
  }

  /** The first voice of a language whose model is installed. */
  private usualVoice(language: SpokenLanguage): SherpaVoice | undefined {
    return modelVoices.find(({ languages: [its], model }) => its === language && filesOf(model, this.modelsFolder));
  }

  private isSlowIn(language: SpokenLanguage): boolean {
    const voice = this.usualVoice(language);
    return voice !== undefined && this.paceOfModels.isSlow(voice.model);
  }

  async close(): Promise<void> {
    await Promise.all([...this.pools.values()].map((pool) => pool.close()));
  }

  private poolOf({ id, model: { family, ...model } }: SherpaVoice): EnginePool<object, typeof Spoken> {
    const known = this.pools.get(model.name);
    if (known) return known;
    const files = filesOf(model, this.modelsFolder);
    if (!files) throw refusal(`has no model of the voice ${id}: npm run models -- add ${model.name}`);
    // A multilingual model needs a language when it is loaded, and gets the actual one with each text.
    const settings = family === 'kokoro' ? { ...files, lang: 'en-us' } : files;
    const pool = sherpaPool(
      'speak',
      { model: { [family]: settings, numThreads: 1, provider: 'cpu' }, maxNumSentences: 1 },
      Spoken,
    );
    this.pools.set(model.name, pool);
    return pool;
  }
}

function piper(id: string, name: string, language: SpokenLanguage, gender: Voice['gender']): SherpaVoice {
  const files = { model: `${id}.onnx`, tokens: 'tokens.txt', dataDir };
  return { id, name, languages: [language], gender, speaker: 0, model: { family: 'vits', name: `vits-piper-${id}`, files } };
}

/** The second letter of a name is the speaker's gender. */
function kokoro(id: string, speaker: number, name: string, language: 'english' | 'hindi'): SherpaVoice {
  const reading = language === 'hindi' ? 'hi' : 'en-us';
  return { id, name, languages: [language], gender: id[1] === 'f' ? 'female' : 'male', speaker, reading, model: kokoroModel };
}

/** Speech by sherpa-onnx: voices, and Whisper for recordings. */
export const sherpaOnnx = {
  voices: defineVoices({
    id: 8,
    name: 'sherpa-onnx',
    isLocal: true,
    settings: [],
    languages: ['english', 'hindi'],
    grade: 'production',
    latency: 'live',
    sampleRates: [16_000, 22_050, 24_000],
    voices: [
      { id: 71, voice: 'en_US-amy-low', gender: 'female', languages: ['english'] },
      { id: 72, voice: 'hi_IN-pratham-medium', gender: 'male', languages: ['hindi'] },
      { id: 73, voice: 'af_heart', gender: 'female', languages: ['english'] },
      { id: 74, voice: 'af_bella', gender: 'female', languages: ['english'] },
      { id: 75, voice: 'am_michael', gender: 'male', languages: ['english'] },
      { id: 76, voice: 'am_puck', gender: 'male', languages: ['english'] },
      { id: 77, voice: 'hf_alpha', gender: 'female', languages: ['hindi'] },
      { id: 78, voice: 'hf_beta', gender: 'female', languages: ['hindi'] },
      { id: 79, voice: 'hm_omega', gender: 'male', languages: ['hindi'] },
      { id: 80, voice: 'hm_psi', gender: 'male', languages: ['hindi'] },
    ],
    variables: modelVariables,
    open: async ({ config }) => new SherpaSpeaking(config.PARLEY_MODELS ?? ''),
  }),
  hearing: defineHearing({
    id: 6,
    name: 'sherpa-onnx',
    isLocal: true,
    settings: [],
    languages: ['english', 'hindi', 'marathi'],
    grade: 'production',
    isLive: false,
    wordTimings: false,
    models: [
      { id: 51, model: 'whisper-base', languages: ['english', 'hindi', 'marathi'] },
      { id: 52, model: 'whisper-small', languages: ['english', 'hindi', 'marathi'] },
    ],
    variables: modelVariables,
    open: async ({ config }) => new SherpaHearing(config.PARLEY_MODELS ?? ''),
  }),
};

/** Live transcription by the zipformers of sherpa-onnx. */
export const zipformer = {
  hearing: defineHearing({
    id: 7,
    name: 'zipformer',
    isLocal: true,
    settings: [],
    languages: ['english'],
    grade: 'production',
    isLive: true,
    wordTimings: true,
    models: [
      { id: 61, model: 'streaming-en', languages: ['english'] },
      { id: 62, model: 'streaming-en-20M', languages: ['english'] },
    ],
    variables: modelVariables,
    open: async ({ config }) => new ZipformerHearing(config.PARLEY_MODELS ?? ''),
  }),
};
