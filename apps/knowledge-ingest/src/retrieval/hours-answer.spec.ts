import { answerHours } from './hours-answer';
import { openStateAt, type OpenSpan } from '../profile/opening-hours';
import { hoursQuestionOf } from './table-questions';

type Answering = Parameters<typeof answerHours>;

/** `ownWords`: the name of the business and its kind. */
const answered = (question: string, { ownWords, ...timetable }: Answering[1] & { ownWords?: string }, when: Answering[2]) => {
  const asked = hoursQuestionOf(question, ownWords);
  return asked && answerHours(asked, timetable, when);
};

const span = (day: string, open_time: string, close_time: string): OpenSpan => ({ day, open_time, close_time, is_open: true });
const workdays = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday'].map((day) => span(day, '09:30 AM', '07:00 PM'));
const zone = 'Asia/Kolkata';
/** Monday, 2 March 2026, at a local time in Kolkata. */
const monday = (clock: string) => Date.parse(`2026-03-02T${clock}:00+05:30`);
const dayMs = 24 * 60 * 60 * 1000;

it.each([
  'Why are you closed on Sunday?',
  'Who is open on Sunday?',
  'आप रविवार को बंद क्यों रहते हैं?',
  'aap sunday ko band kyon hai?',
  'रविवारी बंद का असता?',
  'रविवारी कोण उघडे असते?',
])('hours do not answer %s', (question) => {
  expect(hoursQuestionOf(question)).toBeUndefined();
});

it.each(['Are you closed on Sunday?', 'रविवार को बंद है?', 'रविवारी बंद असते का?', 'रविवारी उघडे आहात का?', 'दुकान का समय'])(
  'hours answer %s',
  (question) => {
    expect(hoursQuestionOf(question)).toBeDefined();
  },
);

describe('whether a business is open', () => {
  it.each([
    ['09:29', { isOpen: false, opensAt: { day: 'Monday', time: '09:30 AM', daysAhead: 0 } }],
    ['09:30', { isOpen: true, closesAt: '07:00 PM', isAlwaysOpen: false }],
    ['18:59', { isOpen: true, closesAt: '07:00 PM', isAlwaysOpen: false }],
    ['19:00', { isOpen: false, opensAt: { day: 'Tuesday', time: '09:30 AM', daysAhead: 1 } }],
  ])('on a Monday at %s', (clock, state) => {
    expect(openStateAt(workdays, zone, monday(clock))).toEqual(state);
  });

  it('skips a closed weekend', () => {
    const state = openStateAt(workdays, zone, monday('20:00') + 4 * dayMs);
    expect(state).toEqual({ isOpen: false, opensAt: { day: 'Monday', time: '09:30 AM', daysAhead: 3 } });
  });

  it('depends on the business’s time zone, not the server’s', () => {
    const atMs = Date.parse('2026-03-02T04:15:00Z');
    expect(openStateAt(workdays, 'Asia/Kolkata', atMs).isOpen).toBe(true);
    expect(openStateAt(workdays, 'Europe/Berlin', atMs).isOpen).toBe(false);
  });

  it('includes hours past midnight, also from Sunday into Monday', () => {
    const nights = [span('Sunday', '08:00 PM', '02:00 AM')];
    expect(openStateAt(nights, zone, monday('01:59'))).toEqual({ isOpen: true, closesAt: '02:00 AM', isAlwaysOpen: false });
    expect(openStateAt(nights, zone, monday('02:00')).isOpen).toBe(false);
  });

  it('includes a break at noon', () => {
    const split = [span('Monday', '09:00 AM', '12:00 PM'), span('Monday', '02:00 PM', '06:00 PM')];
    expect(openStateAt(split, zone, monday('12:30'))).toMatchObject({
      isOpen: false,
      opensAt: { time: '02:00 PM', daysAhead: 0 },
    });
  });

  it('is always if every day continues into the next', () => {
    const always = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'].map((day) =>
      span(day, '12:00 AM', '12:00 AM'),
    );
    expect(openStateAt(always, zone, monday('13:00'))).toMatchObject({ isOpen: true, isAlwaysOpen: true });
  });

  it('is correct on the day clocks change', () => {
    const sunday = [span('Sunday', '09:00 AM', '05:00 PM')];
    expect(openStateAt(sunday, 'Europe/Berlin', Date.parse('2026-03-29T06:59:00Z')).isOpen).toBe(false);
    expect(openStateAt(sunday, 'Europe/Berlin', Date.parse('2026-03-29T07:00:00Z')).isOpen).toBe(true);
  });

  it('is never if there are no hours', () => {
    expect(openStateAt([], zone, monday('10:00'))).toEqual({ isOpen: false });
  });
});

describe('a question about hours', () => {
  it.each([
    ['are you open now?', 'now'],
    ['is the shop open', 'now'],
    ['क्या आप अभी खुले हैं', 'now'],
    ['दुकान आत्ता उघडी आहे का', 'now'],
    ['what are your opening hours', 'week'],
    ['when do you close', 'week'],
    ['दुकान का समय क्या है', 'week'],
    ['तुमचे दुकान किती वाजता उघडते', 'week'],
    ['are you open on Sunday', 'day'],
    ['क्या दुकान रविवार को खुली है', 'day'],
    ['रविवारी दुकान चालू असते का', 'day'],
    ['are you open tomorrow', 'tomorrow'],
    ['when do you close today', 'today'],
  ])('%s', (question, about) => {
    expect(hoursQuestionOf(question)?.about).toBe(about);
  });

  it.each([
    'how do I open an account',
    'please close my order',
    'can you open a complaint for me',
    'what is the price of the kettle',
    'मेरा ऑर्डर बंद कर दो',
    'खाते कसे उघडायचे',
  ])('is not about hours: %s', (question) => {
    expect(hoursQuestionOf(question)).toBeUndefined();
  });

  it('is answered in the caller’s language', () => {
    const timetable = { hours: workdays, timeZone: zone };
    const at = { atMs: monday('20:00') };
    expect(answered('are you open', timetable, { ...at, language: 'english' })).toBe(
      'We are closed now. We open tomorrow at 9:30 AM.',
    );
    expect(answered('क्या आप खुले हैं', timetable, { ...at, language: 'hindi' })).toBe('हम अभी बंद हैं। हम कल सुबह 9:30 बजे खुलेंगे।');
    expect(answered('रविवारी दुकान उघडे असते का', timetable, { ...at, language: 'marathi' })).toBe('रविवारी आम्ही बंद असतो.');
  });
});

describe('a question that resembles one about the hours of the business', () => {
  const timetable = { hours: workdays, timeZone: zone, ownWords: 'Terra Kiln Studio pottery' };
  const at = { atMs: monday('12:00'), language: 'english' } as const;

  it.each([
    'When do you open the kiln?',
    'Do you open the kiln on Friday?',
    'What time do you close your kiln on Monday?',
    'When do you open kiln?',
    'When is the opening of the kiln on Friday?',
    'kiln kab band karte ho?',
    'kiln शुक्रवार को कब बंद करते हैं?',
  ])('asks when it opens a thing that its name contains: %s', (question) => {
    expect(answered(question, timetable, at)).toBeUndefined();
  });

  it.each([
    'When do you open the studio?',
    'When do you open Terra Kiln Studio?',
    'When does the Terra Kiln Studio close?',
    'Is Terra Kiln Studio open on Friday?',
    'When do you close the shop on Friday?',
    'क्या आप शुक्रवार को खुले होते हैं?',
  ])('asks for them: %s', (question) => {
    expect(answered(question, timetable, at)).toBeDefined();
  });

  it.each([
    'Were you open on 25 December 2025?',
    'Are you open on 25 December 2025?',
    'Were you open on 1 March?',
    'Were you open on Sunday?',
    'Was the shop closed on Friday?',
    'kal dukan khuli thi?',
    'क्या आप रविवार को खुले थे?',
    'रविवारी दुकान उघडी होती का?',
  ])('is about the past, which a timetable does not tell: %s', (question) => {
    expect(answered(question, timetable, at)).toBeUndefined();
  });

  it('is about a year for which no exceptions are known yet', () => {
    expect(answered('Are you open on 25 December 2026?', timetable, at)).toContain('25 December');
    expect(answered('Are you open on 25 December 2028?', timetable, at)).toBeUndefined();
  });
});
