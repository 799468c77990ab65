// What an evaluation or a benchmark needs to do as the service does.
export { parseDocument } from '../documents/parsing/parse-document';
export { type FaqCandidate, matchFaq } from '../faqs/faq-matching';
export { QuestionsByTopic } from '../faqs/questions-by-topic';
export { languageOf } from '../language/language';
export { indexTerms, questionTerms } from '../language/terms';
export { fuse } from './fusion';
export { scoredPassages, tuning } from './selection';
