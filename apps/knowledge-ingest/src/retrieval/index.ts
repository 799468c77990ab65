// What an evaluation or a benchmark needs to do as the service does.
export { parseDocument } from '../documents/parsing/parse-document';
export { languageOf } from '../language/language';
export { indexTerms } from '../language/terms';
export { fuse } from './fusion';
export { scoredPassages, tuning } from './selection';
