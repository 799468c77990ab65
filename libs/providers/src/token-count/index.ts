export { countTokens } from './token-count';
