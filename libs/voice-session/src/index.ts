export {
  type AnswerEvent,
  type AnswerRequest,
  type Clock,
  type Keypad,
  type Line,
  type Mind,
  type Mouth,
  realClock,
  type Recording,
  VirtualClock,
} from './call/surroundings';
export { VoiceCall } from './call/voice-call';
export { isBackchannel, soundsLikeVoicemail } from './hearing/telling-phrases';
export { DigitCollector, type DigitCollectorOptions, KeyedDigits } from './hearing/digit-collector';
export { type EarsOptions, openEars } from './hearing/ears';
export type { Ears, HeardEvent, OpenEars, EndOfTurnJudge, PauseInTurn, TurnVerdict } from './hearing/heard';
export { suspectedIn } from './hearing/speech-detector';
export { ruleJudge } from './hearing/rule-judge';
export { babble, HearingLine, PerfectEar } from './scripted/perfect-ear';
export { plainSettings, ScriptedCall } from './scripted/scripted-call';
export { ScriptedEars } from './scripted/scripted-ears';
export { ScriptedMind } from './scripted/scripted-mind';
export { loudnessOfWord, ScriptedMouth } from './scripted/scripted-mouth';
export { type Interrupted, knowledges, simulateInterruption } from './scripted/simulated-interruption';
export { type LogEntry, logLine, replay } from './session/event-log';
export type { EndReason, SessionAction, SessionEvent, SessionState } from './session/events';
export { type SessionSettings, sessionSettingsOf, spokenLines } from './session/settings';
export type { SessionRules } from './session/talk';
export { VoiceSession } from './session/voice-session';
