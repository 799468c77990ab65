// What an evaluation or a benchmark needs to do as the service does.
export { parseDocument } from '../documents/parsing/parse-document';
export { QuestionsByTopic } from './ready-answers';
export { type FaqCandidate, indexTerms, languageOf, matchFaq, questionTerms } from '@parley/language';
export { scoredPassages, tuning, fuse } from './selection';
