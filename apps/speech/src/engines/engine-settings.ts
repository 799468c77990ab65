import type { SpeechCache } from '@parley/ports';
import type { SpeechFigures } from './speech-figures';

/** What all engines of this service share. */
export interface SharedSettings {
  readonly cache?: SpeechCache;
  readonly figures?: Pick<SpeechFigures, 'spoken' | 'heard'>;
  /** After how long without a beginning the next engine is asked too; never unless set. */
  readonly hedgeMs?: number | undefined;
}

/** The key under which the shared settings are injected. */
export const EngineSettings = Symbol('engine settings');
