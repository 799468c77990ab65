export { type AskedTime, askedTime, dateMeant, type NamedClock, type Weekday, weekdays } from './asked-time';
export { spokenTogether, conceptOf, wantedBy } from './concepts';
export { detectLanguage, type HeardLanguage, languageOf, quotedIn } from './detected-language';
export { meaningsAsHeard, meaningsOf, partsOfCompound, termsAcrossLanguages } from './dictionary';
export {
  atTime,
  type ClockState,
  clockTime,
  groupedHours,
  hoursOfDay,
  listed,
  minuteOf,
  type OpenDay,
  type SaidDay,
  stateAt,
  weeklyHours,
} from './grouped-hours';
export { inLatinLetters } from './latin-letters';
export { maskedQuestion } from './masked-question';
export {
  type Amount,
  amountRangesIn,
  amountsIn,
  budgetIn,
  isNumberWord,
  isUnit,
  measureNamed,
  numbersIn,
  type NumberSaid,
  saysPart,
  withoutBudget,
  withDecimals,
  writtenMoney,
} from './numbers';
export {
  agrees,
  type ComparableQuestion,
  comparableQuestion,
  asksTheSame,
  differsInMeaning,
  type FaqCandidate,
  matchFaq,
  normalizedQuestion,
  repliesYesOrNo,
} from './same-question';
export { foldSpelling, normalized, soundOf, withoutMarks, withRunsEnded, wordsOf } from './spelling';
export * from './spoken-text';
export { stemOf } from './stems';
export { contentTerms, formsOf, indexTerms, isDevanagari, isStopWord, questionTerms, soundsOf, type WordForms } from './terms';
export {
  areOneWord,
  refersBack,
  hasPronoun,
  haveSameTopics,
  inContext,
  isBusinessNoun,
  isWeak,
  leansOnBefore,
  saysOnly,
  type Topics,
  topicsOf,
} from './topics';
