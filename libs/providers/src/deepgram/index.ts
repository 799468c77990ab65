export { deepgramHearing } from './deepgram-hearing';
export { deepgramSpeaking } from './deepgram-speaking';
