export {
  type AnswerEvent,
  type AnswerRequest,
  type Line,
  type Mind,
  type Mouth,
  realClock,
  VirtualClock,
} from './call/surroundings';
export { VoiceCall } from './call/voice-call';
export { isBackchannel, soundsLikeVoicemail } from './hearing/telling-phrases';
export { DigitCollector } from './hearing/digit-collector';
export { openEars } from './hearing/ears';
export type { Ears, HeardEvent, OpenEars } from './hearing/heard';
export { suspectedIn } from './hearing/speech-detector';
export { ruleJudge } from './hearing/rule-judge';
export { plainSettings } from './scripted/scripted-call';
export { ScriptedEars } from './scripted/scripted-ears';
export { type Interrupted, knowledges, simulateInterruption } from './scripted/simulated-interruption';
export type { EndReason } from './session/events';
export { type SessionSettings, sessionSettingsOf } from './session/settings';
