import { numberWords, saidNumber } from './numbers';
import { foldSpelling } from './spelling';

export const weekdays = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'] as const;
export type Weekday = (typeof weekdays)[number];

/** A date as named in a question: "4 December", "the 6th", "2/12/2026". */
interface NamedDate {
  readonly day: number;
  readonly month: number | undefined;
  readonly year: number | undefined;
}

/** A time of day named in a text. */
export interface NamedClock {
  readonly minutes: number;
  /** Whether morning or evening is open, as in "at nine". */
  readonly isOfEither: boolean;
  /** Set if it bounds a span: "until nine", "from nine". */
  readonly bound?: 'until' | 'from';
  /** The end of a span: five in "from ten to five". */
  readonly end?: Pick<NamedClock, 'minutes' | 'isOfEither'>;
}

/** The time that a question asks about, and the rest of the question. */
export interface AskedTime {
  readonly date: NamedDate | undefined;
  /** Days from today: 1 for "tomorrow". */
  readonly daysAhead: number | undefined;
  readonly weekday: Weekday | undefined;
  readonly clock: NamedClock | undefined;
  readonly rest: string;
}

const oneOf = (words: string): string => words.split(' ').map(foldSpelling).join('|');
/** Word boundaries that also work in Devanagari. */
const begin = '(?<![\\p{L}\\p{M}\\p{N}])';
const end = '(?![\\p{L}\\p{M}\\p{N}])';
const daysOfMonthMax = 31;
const inWords = numberWords(daysOfMonthMax).join('|');
const ordinals =
  'first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth'.split(
    ' ',
  );
const tensOfOrdinals = 'twenty (?:first|second|third|fourth|fifth|sixth|seventh|eighth|ninth)|thirtieth|thirty first';
const dayForm = `(\\d{1,2}|${tensOfOrdinals}|${ordinals.join('|')}|${inWords})`;
/** What may follow a date or an hour in the three languages, with or without a space. */
const suffix = `(?:\\s?(?:${oneOf('को ला रोजी च्या चा ची का की के ko la roji chya cha ka ki ke')})${end})?`;

const monthNames = [
  'january jan जनवरी जानेवारी',
  'february feb फरवरी फेब्रुवारी',
  'march mar मार्च',
  'april apr अप्रैल एप्रिल aprail',
  'may मई मे',
  'june jun जून',
  'july jul जुलाई जुलै julai',
  'august aug अगस्त ऑगस्ट agast',
  'september sept sep सितंबर सप्टेंबर sitambar',
  'october oct अक्टूबर ऑक्टोबर aktubar',
  'november nov नवंबर नोव्हेंबर navambar november',
  'december dec दिसंबर डिसेंबर disambar disember',
].map((names) => names.split(' ').map(foldSpelling));
const monthForm = `(${monthNames.flat().join('|')})`;
const year = '(?:[\\s,]+((?:19|20)\\d\\d))?';
const mayOnly = new Set(['may', foldSpelling('मे')]);

type Found = Omit<AskedTime, 'rest'>;
type Form = readonly [form: RegExp, of: (found: readonly (string | undefined)[]) => Partial<Found> | undefined];

const minutesPerHour = 60;
const noon = 12;

const early = oneOf('morning सुबह सवेरे सकाळी subah sakali sakaali');
const late = oneOf('afternoon evening दोपहर शाम दुपारी संध्याकाळी सायंकाळी dopahar shaam sham dupari sandhyakali');
const night = oneOf('night रात रात्री raat ratri');
const partBefore = `(?:(${early}|${late}|${night})(?:\\s(?:${oneOf('को के ke ko')}))?\\s)?`;
const partBehind = `(?:\\s?(am|pm|a\\.m\\.?|p\\.m\\.?)${end}|\\s(?:in the|at|this)?\\s?(${early}|${late}|${night})${end})?`;
const hour = `(\\d{1,2}|${inWords})`;
const figures = `${hour}(?:[:.](\\d\\d))?`;
const part = oneOf('साढ़े साडे sadhe saadhe साढे');
const quarter = oneOf('सवा सव्वा sava savva');
const less = oneOf('पौने पावणे paune pavne');
const fraction = `(?:(${part}|${quarter}|${less})\\s?)?`;
const oclock = `(?:oclock|o clock|${oneOf('बजे बजेपर्यंत वाजता वाजेपर्यंत वाजल्यानंतर वाजल्यापासून baje bje vajta vajata vaajta waajta vajeparyant vajlyapasun')})`;
const untilBefore = /\b(?:till|until|up ?to)\b/iu;
const fromBefore = /\b(?:from|since)\b/iu;
const untilBehind = new RegExp(`^\\s?(?:${oneOf('तक पर्यंत tak paryant')})${end}`, 'u');
/** "From" after a time, but not in "नौ बजे से पहले", which is before nine. */
const fromBehind = new RegExp(
  `^\\s?(?:${oneOf('पासून pasun')}|(?:${oneOf('से se')})(?!\\s(?:${oneOf('पहले पूर्व pehle pahle')})))${end}`,
  'u',
);
const untilInside = new RegExp(oneOf('बजेपर्यंत वाजेपर्यंत vajeparyant'), 'u');
const fromInside = new RegExp(oneOf('वाजल्यापासून vajlyapasun'), 'u');
const readClock = (of: { hour?: string; minutes?: string; fraction?: string; parts: readonly (string | undefined)[] }) => {
  const isIn = (words: string) => of.parts.some((one) => one !== undefined && new RegExp(`^(?:${words})$`, 'iu').test(one));
  const hours = saidNumber(of.hour ?? '') ?? 99;
  if (hours > 24 || Number(of.minutes ?? 0) >= minutesPerHour) return undefined;
  const shift =
    of.fraction === undefined
      ? 0
      : new RegExp(part, 'u').test(of.fraction)
        ? 30
        : new RegExp(quarter, 'u').test(of.fraction)
          ? 15
          : -15;
  const isEarly = isIn(`am|a\\.m\\.?|${early}`) || (isIn(night) && hours < 5);
  const isLate = isIn(`pm|p\\.m\\.?|${late}`) || (isIn(night) && hours >= 5 && hours < noon);
  const inDay = isLate && hours < noon ? hours + noon : (isEarly || isIn(night)) && hours === noon ? 0 : hours;
  const isOfEither = !isEarly && !isLate && !isIn(night) && hours >= 1 && hours <= noon;
  return { clock: { minutes: (inDay * minutesPerHour + Number(of.minutes ?? 0) + shift) % (24 * minutesPerHour), isOfEither } };
};
const forms: readonly Form[] = [
  [
    new RegExp(
      `(?:\\bon )?(?:\\bthe )?${begin}${dayForm}\\s?(?:st|nd|rd|th)?(?:\\s(?:of|${foldSpelling('तारीख')}))?\\s?${monthForm}${suffix}${end}${year}`,
      'iu',
    ),
    ([, day = '', month = '', ofYear]) => dateOf(day, monthOf(month), ofYear),
  ],
  [
    new RegExp(
      `(?:\\bon )?${begin}${monthForm}\\s(?:the )?${dayForm}(?:st|nd|rd|th)?(?:\\s(?:${oneOf('तारीख तारखेला tarikh tarkhela')}))?${suffix}${end}${year}`,
      'iu',
    ),
    ([whole = '', month = '', day = '', ofYear]) =>
      // The "may two" of "how much may two pay?" is not a date.
      mayOnly.has(month) && !/^on |\d(?:st|nd|rd|th)|\d{4}$/u.test(whole) ? undefined : dateOf(day, monthOf(month), ofYear),
  ],
  [
    /(?:\bon )?(?<!\d)((?:19|20)\d\d)-(\d{1,2})-(\d{1,2})(?!\d)/iu,
    ([, ofYear, month, day = '']) => dateOf(day, Number(month), ofYear),
  ],
  [
    new RegExp(`(?:\\bon )?(?<![\\d./-])(\\d{1,2})([/.-])(\\d{1,2})\\2((?:20)?\\d\\d)(?![\\d/])${suffix}`, 'iu'),
    ([, day = '', , month, ofYear = '']) => dateOf(day, Number(month), ofYear.length === 2 ? `20${ofYear}` : ofYear),
  ],
  [
    // "9-5" and "1/2" are not dates: a date needs two digits, or a word such as "on".
    new RegExp(
      `(?:(?:\\bon |${begin}(?:${oneOf('तारीख दिनांक date')}) )(\\d{1,2})[/-](\\d{1,2})|(?<![\\d./-])(\\d\\d)[/-](0\\d|1[0-2])(?=\\s*(?:[?.!,]|$))|(?<![\\d./-])(\\d{1,2})[/-](\\d{1,2})\\s?(?:${oneOf('को ला रोजी')}))(?![\\d/-])${suffix}`,
      'iu',
    ),
    ([, ...parts]) => {
      const [day = '', month] = parts.filter((part) => part !== undefined);
      return dateOf(day, Number(month), undefined);
    },
  ],
  [
    new RegExp(
      `\\b(?:on|(?:mon|tues|wednes|thurs|fri|satur|sun)day,?) (?:the )?(\\d{1,2})(?:st|nd|rd|th)(?=\\s*(?:[?.!,]|$))|${begin}(\\d{1,2})\\s(?:${oneOf('तारीख तारखेला तारिख tarikh tarkhela')})${suffix}${end}`,
      'iu',
    ),
    ([, on, named]) => dateOf(on ?? named ?? '', undefined, undefined),
  ],
  [
    new RegExp(`\\bday after tomorrow\\b|${begin}(?:${oneOf('परवा परसों parson parso parsun parva')})${end}`, 'iu'),
    () => ({ daysAhead: 2 }),
  ],
  [new RegExp(`\\btomorrow\\b|${begin}(?:${oneOf('उद्या udya कल kal')})${end}`, 'iu'), () => ({ daysAhead: 1 })],
  [new RegExp(`\\b(?:today|tonight)\\b|${begin}(?:${oneOf('आज aaj')})${end}`, 'iu'), () => ({ daysAhead: 0 })],
  ...clockForms(),
  ...weekdayForms(),
];

/** Finds the time that a question asks about, in English, Hindi, Marathi and romanized. */
export function askedTime(question: string): AskedTime {
  let rest = foldSpelling(question.replace(/(?<=\d),\s?(?=(?:19|20)\d\d(?!\d))/gu, ' '));
  const found: { -readonly [Name in keyof Found]?: Found[Name] } = {};
  for (const [form, of] of forms) {
    const match = form.exec(rest);
    const named = match && of(match);
    if (!match || !named) continue;
    const behind = rest.slice(match.index + match[0].length);
    const bounded = named.clock && boundedBy(named.clock, match[0], behind);
    const all = bounded ? { ...named, clock: bounded.clock } : named;
    for (const [name, value] of Object.entries(all)) if (!(name in found)) Object.assign(found, { [name]: value });
    rest = `${rest.slice(0, match.index)} ${bounded?.rest ?? behind}`;
  }
  return { date: undefined, daysAhead: undefined, weekday: undefined, clock: undefined, ...found, rest };
}

/** Adds the bound or the end of a span to a time, and returns the rest of the text. */
function boundedBy(clock: NamedClock, phrase: string, behind: string): { clock: NamedClock; rest: string } {
  if (untilBefore.test(phrase) || untilInside.test(phrase)) return { clock: { ...clock, bound: 'until' }, rest: behind };
  const [until] = untilBehind.exec(behind) ?? [];
  if (until !== undefined) return { clock: { ...clock, bound: 'until' }, rest: behind.slice(until.length) };
  const [from] = fromBehind.exec(behind) ?? [];
  if (from === undefined && !fromBefore.test(phrase) && !fromInside.test(phrase)) return { clock, rest: behind };
  const rest = behind.slice(from?.length ?? 0);
  const [whole = '', named = '', minutes, half] = spanEnd.exec(rest) ?? [];
  const ending = whole === '' ? undefined : readClock({ hour: named, parts: [half], ...(minutes !== undefined && { minutes }) });
  const begun = { ...clock, bound: 'from' as const };
  return ending ? { clock: { ...begun, end: ending.clock }, rest: rest.slice(whole.length) } : { clock: begun, rest };
}

/** The end of a span after its beginning: "to five", "पाँच बजे तक". */
const spanEnd = new RegExp(
  `^\\s*(?:to|till|until|-)?\\s*${figures}\\s?(am|pm|a\\.m\\.?|p\\.m\\.?)?(?:\\s?${oclock})?(?:\\s?(?:${oneOf('तक पर्यंत tak paryant')}))?${end}`,
  'iu',
);

function dateOf(day: string, month: number | undefined, ofYear: string | undefined): Partial<Found> | undefined {
  const inMonth = ordinalOf(day) ?? saidNumber(day) ?? 0;
  const isDay = inMonth >= 1 && inMonth <= daysOfMonthMax && (month === undefined || (month >= 1 && month <= monthNames.length));
  return isDay ? { date: { day: inMonth, month, year: ofYear === undefined ? undefined : Number(ofYear) } } : undefined;
}

function ordinalOf(word: string): number | undefined {
  const [tens, ones] = word.split(' ');
  if (ones !== undefined && tens !== undefined) return (tens === 'thirty' ? 30 : 20) + ordinals.indexOf(ones) + 1;
  if (word === 'thirtieth') return 30;
  const place = ordinals.indexOf(word);
  return place === -1 ? undefined : place + 1;
}

const monthOf = (name: string): number => monthNames.findIndex((names) => names.includes(name)) + 1;

const dayMs = 86_400_000;
/** A date that passed less than this ago is meant, rather than next year's. */
const justPassedDays = 60;

/** The date that is meant, given today's, both as `YYYY-MM-DD`; undefined if none is named. */
export function dateMeant({ date, daysAhead }: Pick<AskedTime, 'date' | 'daysAhead'>, today: string): string | undefined {
  const from = Date.parse(`${today}T00:00:00Z`);
  const written = (atMs: number) => new Date(atMs).toISOString().slice(0, today.length);
  if (!date) return daysAhead === undefined ? undefined : written(from + daysAhead * dayMs);
  const [thisYear = 0, thisMonth = 1] = today.split('-').map(Number);
  const { day, month, year: ofYear } = date;
  if (month === undefined) {
    const inThis = Date.UTC(thisYear, thisMonth - 1, day);
    return written(inThis >= from ? inThis : Date.UTC(thisYear, thisMonth, day));
  }
  const at = Date.UTC(ofYear ?? thisYear, month - 1, day);
  return written(ofYear === undefined && at < from - justPassedDays * dayMs ? Date.UTC(thisYear + 1, month - 1, day) : at);
}

function clockForms(): Form[] {
  return [
    [
      new RegExp(`(?:\\bat )?${begin}(half past|quarter past|quarter to) ${hour}${end}${partBehind}`, 'iu'),
      ([, how, named, half, partSaid]) => {
        const shift = how === 'half past' ? part : how === 'quarter past' ? quarter : less;
        return readClock({ hour: named ?? '', fraction: shift.split('|')[0] ?? '', parts: [half, partSaid] });
      },
    ],
    [
      new RegExp(
        `(?:\\b(?:at|by|till|until|up ?to|from|since) )?${begin}${partBefore}${fraction}${figures}\\s?${oclock}${end}${suffix}${partBehind}`,
        'iu',
      ),
      ([, before, of, named = '', minutes, half, behind]) =>
        readClock({
          hour: named,
          parts: [before, half, behind],
          ...(minutes !== undefined && { minutes }),
          ...(of !== undefined && { fraction: of }),
        }),
    ],
    [
      new RegExp(
        `(?:\\b(?:at|by|till|until|up ?to|from|since|before|after) )?(?<![\\p{L}\\p{N}.:/-])${figures}\\s?(am|pm|a\\.m\\.?|p\\.m\\.?)${end}`,
        'iu',
      ),
      ([, named = '', minutes, half]) => readClock({ hour: named, parts: [half], ...(minutes !== undefined && { minutes }) }),
    ],
    [
      new RegExp(
        `\\b(?:at|by|till|until|up ?to|from|since|before|after) ${figures}(?=\\s*(?:[?.!,]|$|in the |at night|this |on |to \\d|till \\d|until \\d|today|tonight|tomorrow))(?:\\s(?:in the|at|this)\\s(${early}|${late}|${night})${end})?`,
        'iu',
      ),
      ([, named = '', minutes, behind]) => readClock({ hour: named, parts: [behind], ...(minutes !== undefined && { minutes }) }),
    ],
    [
      new RegExp(
        `${begin}(${early}|${late}|${night})\\s${fraction}${figures}${end}(?!\\s(?:${oneOf('घंटे तास दिन दिवस ghante din')}))`,
        'iu',
      ),
      ([, before, of, named = '', minutes]) =>
        readClock({
          hour: named,
          parts: [before],
          ...(minutes !== undefined && { minutes }),
          ...(of !== undefined && { fraction: of }),
        }),
    ],
    [
      new RegExp(`${begin}${figures}(?=\\s?(?:${oneOf('पर्यंत पासून paryant pasun')})${end})`, 'iu'),
      ([, named = '', minutes]) => readClock({ hour: named, parts: [], ...(minutes !== undefined && { minutes }) }),
    ],
    [
      /\bat (noon|midnight)\b/iu,
      ([, which]) => ({ clock: { minutes: which === 'noon' ? noon * minutesPerHour : 0, isOfEither: false } }),
    ],
  ];
}

function weekdayForms(): Form[] {
  const names = [
    'monday mondays mon सोमवार सोमवारी somvar somwar somvari',
    'tuesday tuesdays tue मंगलवार मंगळवार मंगळवारी mangalvar mangalwar mangalvari mangalwari',
    'wednesday wednesdays wed बुधवार बुधवारी budhvar budhwar budhvari budhwari',
    'thursday thursdays thu गुरुवार गुरुवारी बृहस्पतिवार guruvar guruwar guruvari',
    'friday fridays fri शुक्रवार शुक्रवारी shukravar shukrawar shukravari',
    'saturday saturdays शनिवार शनिवारी shanivar shaniwar shanivari shaniwari',
    'sunday sundays रविवार रविवारी इतवार ravivar raviwar ravivari raviwari itwar itvar',
  ];
  return weekdays.map((weekday, place) => [
    new RegExp(
      `(?:\\bon )?(?:\\b(?:next|this|coming|this coming) )?${begin}(?:${oneOf(names[place] ?? '')})(?:${oneOf('ला च्या चा ची पासून पर्यंत')})?${suffix}${end}`,
      'iu',
    ),
    () => ({ weekday }),
  ]);
}
