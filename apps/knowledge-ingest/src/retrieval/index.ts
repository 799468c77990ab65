// What an evaluation needs to rank as the service does.
export { languageOf } from '../language/language';
export { indexTerms } from '../language/terms';
export { fuse } from './fusion';
export { scoredPassages, tuning } from './selection';
