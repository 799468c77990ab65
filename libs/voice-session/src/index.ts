export type { AnswerEvent, AnswerRequest, Clock, Line, Mind, Mouth } from './call/surroundings';
export { isBackchannel } from './hearing/backchannel';
export type { EndOfTurnJudge, PauseInTurn, TurnVerdict } from './hearing/end-of-turn';
export type { Ears, HeardEvent, OpenEars } from './hearing/heard';
export { ruleJudge } from './hearing/rule-judge';
