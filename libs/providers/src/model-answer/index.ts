export { toProviderFailure } from './failure';
export { type AnswerPiece, ModelAnswer, type UsageCounting } from './model-answer';
