export { openAiHearing } from './openai-hearing';
export { openAiSpeaking } from './openai-speaking';
export type { OpenAiSpeechOptions } from './openai-speech-options';
