// What evaluations and benchmarks need to behave like the service.
export { parseDocument } from '../documents/parsing/parse-document';
export { QuestionsByTopic } from './ready-answers';
export { type FaqCandidate, indexTerms, languageOf, matchFaq, questionTerms } from '@parley/language';
export { scoredPassages, tuning, fuse } from './selection';
