export {
  type AnswerEvent,
  type AnswerRequest,
  type Line,
  type AnswerGenerator,
  type Synthesizer,
  realClock,
  VirtualClock,
} from './call/surroundings';
export { VoiceCall } from './call/voice-call';
export { isBackchannel, soundsLikeVoicemail } from './hearing/telling-phrases';
export { DigitCollector } from './hearing/digit-collector';
export { openRecognition } from './hearing/audio-recognition';
export type { AudioRecognition, HeardEvent, OpenRecognition } from './hearing/heard';
export { suspectedIn } from './hearing/speech-detector';
export { ruleJudge } from './hearing/rule-judge';
export { plainSettings } from './scripted/scripted-call';
export { ScriptedRecognition } from './scripted/scripted-recognition';
export { type Interrupted, knowledges, simulateInterruption } from './scripted/simulated-interruption';
export type { EndReason } from './session/events';
export { type SessionSettings, sessionSettingsOf } from './session/settings';
