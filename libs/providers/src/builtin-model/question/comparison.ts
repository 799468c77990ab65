import { foldSpelling, wordsOf } from '@parley/language';

const fold = (words: string): ReadonlySet<string> => new Set(words.split(' ').map(foldSpelling));

/** Ask for the least price. */
export const cheaperWords = fold(
  'cheaper cheapest lower lowest least affordable inexpensive sasta sasti saste swast सस्ता सस्ती सस्ते स्वस्त',
);
/** Ask for the highest price. */
export const dearerWords = fold(
  'costlier costliest dearer dearest pricier expensive priciest highest mehnga mehngi mahag महंगा महंगी महाग',
);
/** Ask for the most of something. */
const biggerWords = fold(
  'bigger biggest larger largest more most big large maximum longer longest heavier higher highest tallest taller उंच ऊँचा ऊंचा uncha bada badi bade motha mothi बड़ा बड़ी बड़े मोठा मोठी मोठे ज़्यादा जास्त',
);
/** "Less expensive" is cheaper. */
export const lessWords = fold('less least fewer fewest lower lowest कम कमी kam kami');
/** Ask for how large something is, and not for how many. */
export const sizeWords = fold(
  'bigger biggest larger largest big large smaller smallest small spacious roomy bada badi bade motha mothi chhota chhoti lahan बड़ा बड़ी बड़े मोठा मोठी मोठे छोटा छोटी छोटे लहान',
);
/** Ask for the least of something. */
export const smallerWords = fold(
  'smaller smallest small minimum shorter shortest lighter less fewer chhota chhoti lahan छोटा छोटी छोटे लहान कम कमी',
);
/** Ask for what takes the most or the least time or length. */
export const longerWords = fold('longer longest shorter shortest');
/** Ask for what takes the least time. */
export const soonerWords = fold('quicker quickest faster fastest sooner soonest earlier earliest जल्दी लवकर jaldi lavkar');
/** Ask for the difference of two things. */
export const differenceWords = fold(
  'difference differ compare compared comparison versus vs save farak fark antar फर्क अंतर फरक तुलना बचत बचेगा वाचतील',
);
/** Ask for the sum of several things. */
export const totalWords = fold('together both total altogether sum मिलाकर दोनों कुल मिळून दोन्ही एकूण milakar dono');

/** Whether a question says one of these words. */
export function says(question: string, words: ReadonlySet<string>): boolean {
  return wordsOf(question).some((word) => words.has(word));
}

/** Whether a word compares or adds, and is about nothing itself. */
export function comparesOrAdds(word: string): boolean {
  return [cheaperWords, dearerWords, biggerWords, smallerWords, soonerWords, differenceWords, totalWords].some((words) =>
    words.has(word),
  );
}

/** "Is it less with the old one?" chooses nothing. */
const choosing =
  /\b(?:which|\w+est|one|or|than|over|difference|differ|compared?|save|sabse|kaun|kon|fark|farak|antar|sarvat|most|least)\b|सबसे|सर्वात|सगळ्यात|कौन|कोण|किंवा|पेक्षा|फर्क|फ़र्क|फरक|अंतर|(?<![\p{L}\p{M}])या(?![\p{L}\p{M}])|(?:(?<![\p{L}\p{M}])से|\bse) (?:[\p{L}\p{M}]+ )?(?:सस्त|महंग|महँग|बड़|छोट|ज़्यादा|ज्यादा|कम|sast|mehng|mahang|bad[aie]|chhot|zyada|kam\b)/iu;

/** Whether a question chooses among things or sets them against each other. */
export function isComparison(question: string): boolean {
  if (!choosing.test(question)) return false;
  return [cheaperWords, dearerWords, biggerWords, smallerWords, soonerWords, differenceWords].some((words) =>
    says(question, words),
  );
}
