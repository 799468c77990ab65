import { joinSamples, Resampler } from '@parley/audio';
import {
  ProviderFailure,
  type SpeechToText,
  type SpeechToTextCapabilities,
  type SpokenLanguage,
  type Transcription,
  type TranscriptionModel,
  type TranscriptionRequest,
} from '@parley/ports';
import { z } from 'zod';
import type { EnginePool } from '../engine-pool';
import { filesOf, lacking, type ModelFolder, provider, sherpaPool } from './installed-model';

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

/** Whisper on this machine, in processes of their own, by models that somebody has put into the folder of models. */
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
    };
  }

  async models(): Promise<readonly TranscriptionModel[]> {
    return models.map((id) => ({ id, name: id, languages }));
  }

  async transcribe({ audio, language, model, signal, ...sound }: TranscriptionRequest): Promise<Transcription> {
    signal?.throwIfAborted();
    const pool = this.poolFor(model);
    const resampler = await Resampler.create(sound.sampleRate, sampleRate);
    const blocks: Int16Array[] = [];
    try {
      for await (const block of audio()) blocks.push(resampler.push(block).slice());
      blocks.push(resampler.flush());
    } finally {
      resampler.close();
    }
    const samples = joinSamples(blocks);
    if (samples.length > secondsMax * sampleRate) throw refusal(`takes ${secondsMax} seconds at most`);
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
