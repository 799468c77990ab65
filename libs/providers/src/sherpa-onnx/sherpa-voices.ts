import type { SpokenLanguage, Voice } from '@parley/ports';
import type { ModelFolder } from './installed-model';

/** A voice, the model that has it, and what the engine must be told of both. */
export interface SherpaVoice extends Voice {
  readonly languages: readonly [SpokenLanguage];
  readonly model: ModelFolder & { readonly family: 'vits' | 'kokoro' };
  /** Its place in a model of many speakers. */
  readonly speaker: number;
  /** How a model of many languages is to read the text, as espeak-ng calls it. */
  readonly reading?: string;
}

const dataDir = 'espeak-ng-data';
const kokoroModel = {
  family: 'kokoro',
  name: 'kokoro-multi-lang-v1_0',
  files: { model: 'model.onnx', voices: 'voices.bin', tokens: 'tokens.txt', dataDir },
} as const;

/** Those of Piper first: they begin to speak several times sooner. */
export const sherpaVoices: readonly SherpaVoice[] = [
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

function piper(id: string, name: string, language: SpokenLanguage, gender: Voice['gender']): SherpaVoice {
  const files = { model: `${id}.onnx`, tokens: 'tokens.txt', dataDir };
  return { id, name, languages: [language], gender, speaker: 0, model: { family: 'vits', name: `vits-piper-${id}`, files } };
}

/** The second letter of a name is the speaker's gender. */
function kokoro(id: string, speaker: number, name: string, language: 'english' | 'hindi'): SherpaVoice {
  const reading = language === 'hindi' ? 'hi' : 'en-us';
  return { id, name, languages: [language], gender: id[1] === 'f' ? 'female' : 'male', speaker, reading, model: kokoroModel };
}
