import { sentencesOf, withoutMarkup } from '@parley/audio';
import { ProviderFailure, type SpeechBlock, type SpeechRequest, type TextToSpeech, type TextToSpeechCapabilities, type Voice } from '@parley/ports';
import { z } from 'zod';
import { type EnginePool, Samples, sentenceAhead } from '../engine-pool';
import { filesOf, lacking, type ModelFolder } from './installed-model';
import { provider, sherpaPool } from './sherpa-pool';

const voices = [
  { id: 'en_US-amy-low', name: 'Amy', languages: ['english'], gender: 'female' },
  { id: 'hi_IN-pratham-medium', name: 'Pratham', languages: ['hindi'], gender: 'male' },
] as const satisfies readonly Voice[];

const Spoken = z.object({ samples: Samples, sampleRate: z.int() });

const modelOf = (voice: string): ModelFolder => ({
  name: `vits-piper-${voice}`,
  files: { model: `${voice}.onnx`, tokens: 'tokens.txt', dataDir: 'espeak-ng-data' },
});

/** Piper's voices on this machine, in processes of their own, by models that somebody has put into the folder of models. */
export class SherpaSpeaking implements TextToSpeech {
  private readonly pools = new Map<string, EnginePool<object, typeof Spoken>>();

  constructor(private readonly modelsFolder: string) {}

  get capabilities(): TextToSpeechCapabilities {
    return {
      provider,
      languages: ['english', 'hindi'],
      sampleRates: [16_000, 22_050],
      streamingIn: false,
      streamingOut: true,
      wordTimings: false,
      pace: true,
      charactersMax: 5000,
      latency: 'live',
      grade: 'production',
      unavailable: lacking(voices.map(({ id }) => modelOf(id)), this.modelsFolder),
    };
  }

  async voices(): Promise<readonly Voice[]> {
    return voices;
  }

  async *speak({ text, language, voice, pace = 1, signal }: SpeechRequest): AsyncGenerator<SpeechBlock> {
    const able = voices.filter(({ languages: [its] }) => its === language);
    const chosen = voice === undefined ? able.find(({ id }) => this.has(id)) : able.find(({ id }) => id === voice);
    if (!chosen) throw refusal(voice === undefined ? `has no model of a voice for ${language}` : `has no voice ${voice} for ${language}`);
    const pool = this.poolOf(chosen.id);
    yield* sentenceAhead(sentencesOf(withoutMarkup(text)), signal, (sentence, stop) => pool.run({ text: sentence, pace }, stop));
  }

  async close(): Promise<void> {
    await Promise.all([...this.pools.values()].map((pool) => pool.close()));
  }

  private has(voice: string): boolean {
    return filesOf(modelOf(voice), this.modelsFolder) !== undefined;
  }

  private poolOf(voice: string): EnginePool<object, typeof Spoken> {
    const known = this.pools.get(voice);
    if (known) return known;
    const vits = filesOf(modelOf(voice), this.modelsFolder);
    if (!vits) throw refusal(`has no model of the voice ${voice}: npm run models -- add ${modelOf(voice).name}`);
    const pool = sherpaPool('speak', { model: { vits, numThreads: 1, provider: 'cpu' }, maxNumSentences: 1 }, Spoken);
    this.pools.set(voice, pool);
    return pool;
  }
}

function refusal(message: string): ProviderFailure {
  return new ProviderFailure(provider, message, { retryable: false });
}
