export { spokenTogether, conceptOf, wantedBy } from './concepts';
export { meaningsAsHeard, meaningsOf, partsOfCompound, termsAcrossLanguages } from './dictionary';
export { clockTime, groupedHours, type OpenDay } from './grouped-hours';
export { foldSpelling, heardAs, soundOf, wordsOf } from './spelling';
export * from './spoken-text';
export { stemOf } from './stems';
export {
  contentTerms,
  formsOf,
  indexTerms,
  isDevanagari,
  isSmall,
  languageOf,
  questionTerms,
  soundsOf,
  type WordForms,
} from './terms';
export {
  areOneWord,
  goesOn,
  hasPronoun,
  haveSameTopics,
  inContext,
  isWeak,
  leansOnBefore,
  saysOnly,
  type Topics,
  topicsOf,
} from './topics';
