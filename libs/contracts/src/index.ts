export * from './catalogue';
export { complaintsAbout, ownWords, valueAt } from './complaints';
export * from './every-message';
export * from './faults';
export { fieldMeanings, meaningsGivenTwice, meaningOf } from './meanings';
export * from './messages';
export * from './principal';
export * from './vocabulary';
