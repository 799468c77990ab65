import { existsSync } from 'node:fs';
import path from 'node:path';
import {
  ProviderFailure,
  type SpeechToText,
  type SpeechToTextCapabilities,
  type Transcription,
  type TranscriptionModel,
  type TranscriptionRequest,
} from '@parley/ports';
import { z } from 'zod';
import { childProcess, EnginePool, placesByDefault, sparePlacesByDefault } from '../engine-pool';
import { defineHearing, modelVariables, noModelOf } from '../vendor';
import { wholeRecording, withShortPauses } from '../whole-recording';

const provider = 'moonshine';
const sampleRate = 16_000;
/** Longer recordings are cut at pauses, since the work grows faster than the length. */
const secondsMax = 30;
/** The model's minimum; nobody says a word in a tenth of a second. */
const samplesMin = sampleRate / 10;
const models = ['tiny', 'base'] as const;

const Heard = z.object({ text: z.string() });

type Pool = EnginePool<{ samples: Int16Array }, typeof Heard>;

const nameOf = (model: string): string => `moonshine-${model}`;

/** Moonshine in local child processes: English only, and fast enough for calls on one core. */
export class Moonshine implements SpeechToText {
  private readonly pools = new Map<string, Pool>();

  constructor(private readonly modelsFolder: string) {}

  get capabilities(): SpeechToTextCapabilities {
    return {
      provider,
      languages: ['english'],
      sampleRates: [sampleRate],
      live: false,
      wordTimings: false,
      languageDetection: false,
      secondsMax,
      grade: 'production',
      unavailable: models.some((model) => this.folderOf(model)) ? undefined : noModelOf([nameOf('base')]),
      whyNoModel: (model) => (this.folderOf(model) ? undefined : noModelOf([nameOf(model)])),
    };
  }

  async models(): Promise<readonly TranscriptionModel[]> {
    return models.map((id) => ({ id, name: nameOf(id), languages: ['english'] }));
  }

  async transcribe({ language = 'english', model, signal, ...sound }: TranscriptionRequest): Promise<Transcription> {
    signal?.throwIfAborted();
    if (language !== 'english') throw refusal(`does not hear ${language}`);
    const pool = this.poolFor(model);
    const spoken = withShortPauses(await wholeRecording(sound, { provider, sampleRate, secondsMax }), sampleRate);
    if (spoken.length < samplesMin) return { text: '', language };
    const { text } = await pool.run({ samples: spoken }, signal);
    return { text, language };
  }

  async close(): Promise<void> {
    await Promise.all([...this.pools.values()].map((pool) => pool.close()));
  }

  private folderOf(model: string): string | undefined {
    const folder = path.resolve(this.modelsFolder, nameOf(model));
    return existsSync(folder) ? folder : undefined;
  }

  private poolFor(wanted: string | undefined): Pool {
    const model = wanted ?? models.findLast((name) => this.folderOf(name)) ?? models[0];
    const known = this.pools.get(model);
    if (known) return known;
    const folder = this.folderOf(model);
    if (!folder) throw refusal(`has no model ${model}: npm run models -- add ${nameOf(model)}`);
    const file = path.join(__dirname, `moonshine.child${path.extname(__filename)}`);
    const pool: Pool = new EnginePool({
      provider,
      places: placesByDefault,
      sparePlaces: sparePlacesByDefault,
      queueMax: 16,
      jobMs: 60_000,
      reply: Heard,
      start: async (pace) => childProcess(file, [folder], pace),
    });
    this.pools.set(model, pool);
    return pool;
  }
}

function refusal(message: string): ProviderFailure {
  return new ProviderFailure(provider, message, { retryable: false });
}

/** Transcription by Moonshine. */
export const moonshine = {
  hearing: defineHearing({
    id: 8,
    name: 'moonshine',
    isLocal: true,
    settings: [],
    languages: ['english'],
    grade: 'production',
    isLive: false,
    wordTimings: false,
    models: [
      { id: 81, model: 'tiny', languages: ['english'] },
      { id: 82, model: 'base', languages: ['english'] },
    ],
    variables: modelVariables,
    open: async ({ config }) => new Moonshine(config.PARLEY_MODELS ?? ''),
  }),
};
