export { sarvamHearing } from './sarvam-hearing';
export { sarvamSpeaking } from './sarvam-speaking';
export type { SarvamOptions } from './sarvam-options';
