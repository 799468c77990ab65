export { sarvamHearing } from './sarvam-hearing';
export { sarvamSpeaking } from './sarvam-speaking';
