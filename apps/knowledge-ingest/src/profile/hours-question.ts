import { foldSpelling, wordsOf } from '../language/spelling';
import { weekdays } from './opening-hours';

export type HoursQuestion =
  | { readonly about: 'now' }
  | { readonly about: 'week' }
  | { readonly about: 'day'; readonly day: (typeof weekdays)[number] }
  | { readonly about: 'today' | 'tomorrow' };

const dayNames: readonly (readonly string[])[] = [
  ['monday', 'mon', 'सोमवार'], ['tuesday', 'tue', 'मंगलवार', 'मंगळवार'], ['wednesday', 'wed', 'बुधवार'],
  ['thursday', 'thu', 'गुरुवार', 'बृहस्पतिवार'], ['friday', 'fri', 'शुक्रवार'], ['saturday', 'sat', 'शनिवार'], ['sunday', 'sun', 'रविवार', 'इतवार'],
];
const dayForms = dayNames.map((names) => names.map(foldSpelling));

const fold = (words: string) => words.split(' ').map(foldSpelling);
const nowWords = new Set(fold('now currently presently right abhi अभी इस आत्ता आता सध्या'));
const todayWords = new Set(fold('today tonight aaj आज'));
const tomorrowWords = new Set(fold('tomorrow kal udya कल उद्या'));
const openWords = fold('open opens opened close closes closed closing opening khula khuli khule khulta khulti band ughade ughada खुल खुला खुले खुली खुलता खुलती खुलेगी बंद उघड उघडे उघडा उघडी उघडते उघडता चालू');
const timeWords = new Set(fold('hours timing timings time times when kab kadhi समय टाइम टाइमिंग वेळ वेळा बजे वाजता कब कधी किती'));
/** The question must be about the house: "open an account" and "close my order" are not about hours. */
const houseWords = new Set(
  fold('you your shop store office showroom branch business centre center clinic restaurant place hours timing timings aap aapki aapka dukan दुकान ऑफिस कार्यालय शोरूम आप आपकी आपका आपके लोग स्टोर तुम्ही तुमचे तुमची तुमचा तुमच्या'),
);
const otherObjects = new Set(
  fold('account accounts order orders ticket complaint bag box package parcel bottle window door tab app file link lid खाता खाते ऑर्डर शिकायत तक्रार डिब्बा'),
);

const holidays = new Set(fold('holiday holidays festival festivals diwali छुट्टी छुट्टियों त्योहार सुट्टी सण दिवाली दिवाळी'));

const isOpenWord = (word: string) => openWords.includes(word);

/** What a question wants to know of the opening hours; undefined when it is about something else. */
export function hoursQuestionOf(question: string): HoursQuestion | undefined {
  const words = wordsOf(question);
  const has = (known: ReadonlySet<string>) => words.some((word) => known.has(word));
  const saysOpen = words.some(isOpenWord);
  const saysHours = words.some((word) => ['hours', 'timing', 'timings', ...fold('टाइमिंग')].includes(word));
  if ((!saysOpen && !saysHours && !asksForTheTimeOf(words)) || has(otherObjects)) return undefined;
  // Of several days the first is meant: a question that goes on with another one stands before it.
  const day = words.map(weekdayOf).find((named) => named !== undefined);
  // The timetable knows weekdays and no holidays.
  if (!day && has(holidays)) return undefined;
  const isAboutUs = has(houseWords) || day !== undefined || has(nowWords) || has(todayWords) || has(tomorrowWords) || has(timeWords);
  if (!isAboutUs || words.length > 16) return undefined;
  const tomorrow = words.findIndex((word) => tomorrowWords.has(word));
  const isTomorrow = tomorrow >= 0 && !words.slice(0, tomorrow).some(weekdayOf);
  if (isTomorrow) return { about: 'tomorrow' };
  if (day) return { about: 'day', day };
  if (has(timeWords) || saysHours) return { about: has(todayWords) ? 'today' : 'week' };
  return { about: has(todayWords) && !has(nowWords) ? 'today' : 'now' };
}

function weekdayOf(word: string): (typeof weekdays)[number] | undefined {
  const isForm = (form: string) => form === word || (form.length > 4 && word.startsWith(form));
  return weekdays[dayForms.findIndex((forms) => forms.some(isForm))];
}

/** "दुकान का समय" says neither open nor close. */
function asksForTheTimeOf(words: readonly string[]): boolean {
  const houses = fold('दुकान ऑफिस कार्यालय शोरूम स्टोर दुकानाची दुकानाचा दुकानाचे store shop office showroom');
  const times = fold('समय टाइम वेळ वेळा hours timing timings');
  return words.some((word) => houses.includes(word)) && words.some((word) => times.includes(word));
}
