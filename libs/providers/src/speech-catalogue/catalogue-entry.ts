import type { SpeechGrade, SpokenLanguage, Voice } from '@parley/ports';
import { text, url } from '@parley/service-kit';
import { z } from 'zod';

/** What every provider says of itself. */
interface ProviderEntry {
  /** Never changes and is never used again: agents refer to it. */
  readonly id: number;
  readonly name: string;
  readonly isLocal: boolean;
  /** Variables without which it does not work. */
  readonly settings: readonly (keyof SpeechProviderConfig)[];
  readonly languages: readonly SpokenLanguage[];
  readonly grade: SpeechGrade;
}

export interface VoiceProviderEntry extends ProviderEntry {
  readonly latency: 'instant' | 'live' | 'slow';
  /** A voice's id is unique among all providers; `voice` is what its provider calls it. */
  readonly voices: readonly {
    readonly id: number;
    readonly voice: string;
    readonly gender: Voice['gender'];
    readonly languages: readonly SpokenLanguage[];
  }[];
  readonly sampleRates: readonly number[];
}

export interface TranscribeProviderEntry extends ProviderEntry {
  readonly isLive: boolean;
  /** A model's id is unique among all providers; `model` is what its provider calls it. */
  readonly models: readonly { readonly id: number; readonly model: string; readonly languages: readonly SpokenLanguage[] }[];
  readonly wordTimings: boolean;
}

/** Where speech comes from. Every service that lists or uses speech providers takes these, so that all see the same ones. */
export const SpeechProviderVariables = z.object({
  POCKETSPHINX_DIR: text().default('.cache/pocketsphinx').meta({
    description: 'Where pocketsphinx was unpacked. The system’s own installation is found without it.',
    example: '/opt/pocketsphinx',
  }),
  PARLEY_MODELS: text().default('.cache/models').meta({
    description:
      'The folder of models for sherpa-onnx, which speaks and hears on this machine, and of smart-turn, which hears when callers have finished. `npm run models -- list` shows them.',
    example: '/var/lib/parley/models',
  }),
  OPENAI_SPEECH_API_KEY: text()
    .optional()
    .meta({ description: 'The key of a speech service that speaks OpenAI’s protocol.', example: 'sk-…', secret: true }),
  OPENAI_SPEECH_BASE_URL: url('http', 'https')
    .optional()
    .meta({ description: 'The address of that service, if it is not OpenAI.', example: 'http://speaches:8000/v1' }),
  DEEPGRAM_API_KEY: text()
    .optional()
    .meta({ description: 'The key of Deepgram: English and Hindi heard live, English spoken.', example: '…', secret: true }),
  ELEVENLABS_API_KEY: text()
    .optional()
    .meta({ description: 'The key of ElevenLabs: English and Hindi spoken.', example: '…', secret: true }),
  SARVAM_API_KEY: text()
    .optional()
    .meta({ description: 'The key of Sarvam: Hindi, Marathi and English, spoken and heard.', example: '…', secret: true }),
  AZURE_SPEECH_KEY: text().optional().meta({
    description: 'The key of an Azure Speech resource: all three languages, spoken and heard.',
    example: '…',
    secret: true,
  }),
  AZURE_SPEECH_REGION: text().optional().meta({ description: 'The region of that resource.', example: 'centralindia' }),
});

export type SpeechProviderConfig = z.output<typeof SpeechProviderVariables>;
