export { deepgramHearing, type DeepgramOptions } from './deepgram-hearing';
export { deepgramSpeaking } from './deepgram-speaking';
