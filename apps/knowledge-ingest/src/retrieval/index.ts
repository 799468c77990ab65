// What an evaluation or a benchmark needs to do as the service does.
export { parseDocument } from '../documents/parsing/parse-document';
export { type FaqCandidate, matchFaq } from '../faqs/faq-matching';
export { QuestionsByTopic } from './searching';
export { indexTerms, languageOf, questionTerms } from '@parley/language';
export { scoredPassages, tuning, fuse } from './selection';
