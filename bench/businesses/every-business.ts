import { inLatinLetters } from '@parley/language';
import { aquariumShop } from './aquarium-shop';
import { lakeBoats } from './lake-boats';
import { bloodCentre } from './blood-centre';
import { animalDoctor } from './animal-doctor';
import { boatClub } from './boat-club';
import { cycleShop } from './cycle-shop';
import { furnitureMaker } from './furniture-maker';
import { waterPurifiers } from './water-purifiers';
import { planetarium } from './planetarium';
import { waterPark } from './water-park';
import { chemist } from './chemist';
import { printingPress } from './printing-press';
import { pestControl } from './pest-control';
import { broadband } from './broadband';
import { sportsClub } from './sports-club';
import { courier } from './courier';
import { jeweller } from './jeweller';
import { busOperator } from './bus-operator';
import { dayCare } from './day-care';
import { hardwareShop } from './hardware-shop';
import { pathologyLab } from './pathology-lab';
import { photoStudio } from './photo-studio';
import { carHire } from './car-hire';
import { bakery } from './bakery';
import { dairy } from './dairy';
import { solarInstaller } from './solar-installer';
import { tailor } from './tailor';
import { banquetHall } from './banquet-hall';
import { beautySalon } from './beauty-salon';
import type { Asked, Business } from './business';
import { coachingInstitute } from './coaching-institute';
import { dentalClinic } from './dental-clinic';
import { drivingSchool } from './driving-school';
import { guestHouse } from './guest-house';
import { gymnasium } from './gymnasium';
import { homeCleaning } from './home-cleaning';
import { housingDeveloper } from './housing-developer';
import { laundry } from './laundry';
import { library } from './library';
import { movers } from './movers';
import { musicSchool } from './music-school';
import { optician } from './optician';
import { petClinic } from './pet-clinic';
import { plantNursery } from './plant-nursery';
import { repairShop } from './repair-shop';
import { tentHouse } from './tent-house';
import { tiffinKitchen } from './tiffin-kitchen';
import { tractorParts } from './tractor-parts';
import { trekOperator } from './trek-operator';

const everyBusiness: readonly Business[] = [
  dentalClinic,
  tractorParts,
  guestHouse,
  musicSchool,
  coachingInstitute,
  housingDeveloper,
  library,
  optician,
  banquetHall,
  petClinic,
  beautySalon,
  tiffinKitchen,
  drivingSchool,
  plantNursery,
  laundry,
  trekOperator,
  gymnasium,
  movers,
  repairShop,
  photoStudio,
  carHire,
  bakery,
  tailor,
  dayCare,
  hardwareShop,
  pathologyLab,
  chemist,
  printingPress,
  pestControl,
  broadband,
  sportsClub,
  courier,
  jeweller,
  busOperator,
  solarInstaller,
  dairy,
  homeCleaning,
  tentHouse,
  boatClub,
  aquariumShop,
  waterPurifiers,
  bloodCentre,
  lakeBoats,
  cycleShop,
  furnitureMaker,
  animalDoctor,
  planetarium,
  waterPark,
];

/**
 * The businesses of the part selected on the command line, or those listed in `--only`, separated by commas. With `--prices`,
 * those that are asked about prices, with every second question held out.
 */
export function askedBusinesses(): readonly Business[] {
  const part = process.argv.includes('--tuning') ? 'tuning' : 'held-out';
  const isOfPrices = process.argv.includes('--prices');
  const [, only] = process.argv.find((argument) => argument.startsWith('--only='))?.split('=') ?? [];
  return everyBusiness
    .filter((business) => (isOfPrices ? business.isOfPrices === true : business.isOfPrices !== true && business.part === part))
    .filter(({ name }) => only === undefined || only.split(',').includes(name))
    .map((business) => (isOfPrices ? { ...business, asked: halfOf(business.asked, part) } : business));
}

const halfOf = (asked: readonly Asked[], part: Business['part']): readonly Asked[] =>
  asked.filter((_, place) => (place % 2 === 0) === (part === 'tuning'));

/**
 * Whether a text contains everything that a question requires; `a|b` accepts either. A number does not match as part of another,
 * and Hindi or Marathi words match in either script.
 */
export function holdsAll(text: string, wanted: readonly string[]): boolean {
  return wanted.every((one) => one.split('|').some((form) => holds(text, form) || holds(text, inLatinLetters(form))));
}

/** Whether a text contains any of these. */
export function holdsAny(text: string, unwanted: readonly string[]): boolean {
  return unwanted.some((form) => holds(text, form) || holds(text, inLatinLetters(form)));
}

/** Whether an answer, or the first thing it quotes, begins with one of these words. */
export function leadsWith(text: string, words: readonly string[]): boolean {
  const openings = [text, text.split('“')[1] ?? ''].map(folded);
  const forms = words.flatMap((word) => [word, inLatinLetters(word)]).map(folded);
  return openings.some((opening) => forms.some((form) => new RegExp(`^${form}(?![\\p{L}\\p{M}])`, 'u').test(opening)));
}

/** Ignores case, quotation marks, and whether an hour is written `07:00` or `7:00`. */
const folded = (text: string): string =>
  text
    .normalize('NFC')
    .toLowerCase()
    .replaceAll('’', "'")
    .replace(/(?<![\d.,:])0(?=\d:\d\d)/gu, '');

const inTheMorning = 'सुबह|सकाळी|subah|sakali';
const later = 'दोपहर|शाम|रात|दुपारी|संध्याकाळी|रात्री|dopahar|shaam|raat|dupari|sandhyakali|ratri';
const spokenHour = new RegExp(`(?:(${inTheMorning})|(?:${later})) (\\d{1,2})(:\\d\\d)?`, 'gu');

/** A text with its hours added in figures: "शाम 7 बजे" is 7:00 pm. */
const withHours = (text: string): string =>
  [
    text,
    ...[...text.matchAll(spokenHour)].map(([, morning, hour, rest = ':00']) => `${hour}${rest} ${morning ? 'am' : 'pm'}`),
  ].join('\n');

function holds(text: string, form: string): boolean {
  const sought = folded(form);
  const escaped = sought.replace(/[.*+?^${}()|[\]\\]/gu, '\\$&');
  const from = /^\d/u.test(sought) ? '(?<![\\d.,])' : '';
  const to = /\d$/u.test(sought) ? '(?!\\d)' : '';
  return new RegExp(`${from}${escaped}${to}`, 'u').test(withHours(folded(text)));
}

/** A question to a business, and its outcome. */
export interface Judged<Outcome extends string> {
  readonly business: string;
  readonly asked: Asked;
  readonly outcome: Outcome;
  /** The answer, or the model's input, for inspecting a miss. */
  readonly seen: string;
}

/** The number of each outcome, in total, by language and by kind of question. */
function countsOf<Outcome extends string>(
  judged: readonly Judged<Outcome>[],
  outcomes: readonly Outcome[],
): Record<string, Record<string, string | number>> {
  const row = (of: readonly Judged<Outcome>[]) => ({
    questions: of.length,
    ...Object.fromEntries(outcomes.map((name) => [name, of.filter(({ outcome }) => outcome === name).length])),
  });
  const groups = Map.groupBy(judged, ({ asked }) => `asked in ${asked.language}`);
  const kinds = Map.groupBy(judged, ({ asked }) => asked.kind);
  return { all: row(judged), ...Object.fromEntries([...groups, ...kinds].map(([name, of]) => [name, row(of)])) };
}

/** Prints the counts and, with `--misses`, every question without a good outcome. */
export function showJudged<Outcome extends string>(
  judged: readonly Judged<Outcome>[],
  { outcomes, good }: { outcomes: readonly Outcome[]; good: readonly Outcome[] },
): void {
  const counts = countsOf(judged, outcomes);
  if (process.argv.includes('--misses'))
    for (const { business, asked, outcome, seen } of judged)
      if (!good.includes(outcome))
        console.log(`${outcome}: [${business}, ${asked.kind}] ${asked.question}\n    ${seen.slice(0, 300)}`);
  console.table(counts);
  console.log(JSON.stringify(counts));
}
