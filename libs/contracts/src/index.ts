export * from './catalogue';
export * from './every-message';
export * from './faults';
export { within } from './in-time';
export { fieldMeanings, meaningsGivenTwice, meaningOf } from './meanings';
export * from './messages';
export * from './principal';
export * from './vocabulary';
