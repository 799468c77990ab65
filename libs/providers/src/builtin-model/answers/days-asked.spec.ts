import { aModelRequest, type Grounds } from '@parley/ports';
import { answerFrom } from '../answer';

const knowledge = `# The business
Name: Corner Works
Kind: Shop
Telephone: +912024001199

# Products and services
- Kayak rental. Price: 400 INR per day. Duration: 60 minutes. Booking required.

# Questions and answers
Q: Can I store my kayak over winter?
A: Yes, for ₹250 a month.`;

/** Thursday, 19 November 2026, in the morning. */
const now = new Date('2026-11-19T05:00:00Z');
const open = { open_time: '10:00 AM', close_time: '06:00 PM', is_open: true };
const schedule: NonNullable<Grounds['schedule']> = {
  timezone: 'Asia/Kolkata',
  working_hours: (['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'] as const).map((day) => ({
    day,
    ...open,
  })),
  holidays: [
    { date: '2026-11-28', opens: '', closes: '', note: 'River race' },
    { date: '2026-12-24', opens: '10:00 AM', closes: '01:00 PM', note: 'Half day' },
  ],
};

type Before = readonly (readonly [asked: string, said: string])[];
function answer(question: string, language: Grounds['language'] = 'english', before: Before = [], hours = schedule): string {
  const earlier = before.flatMap(([asked, said]) => [
    { role: 'user' as const, text: asked },
    { role: 'assistant' as const, text: said },
  ]);
  const grounds: Grounds = { language, agentName: 'Maya', greeting: '', passages: [], knowledge, schedule: hours };
  return answerFrom(aModelRequest({ messages: [...earlier, { role: 'user', text: question }], grounds }));
}

beforeEach(() => jest.useFakeTimers({ now, doNotFake: ['nextTick', 'setImmediate'] }));
afterEach(() => jest.useRealTimers());

describe('a date that is an exception is told so', () => {
  it.each([
    ['What about 28 November?', 'english', /^We are closed .*River race/u],
    ['And on 28 November?', 'english', /^We are closed .*River race/u],
    ['28 November?', 'english', /^We are closed .*River race/u],
    ['28 नवंबर को खुले होंगे?', 'hindi', /River race/u],
    ['28 नवंबर को खुला रहेगा?', 'hindi', /River race/u],
    ['24 दिसंबर को दोपहर दो बजे खुले होंगे?', 'hindi', /Half day/u],
    ['28 नोव्हेंबरला उघडे असाल का?', 'marathi', /River race/u],
    ['What about 30 November?', 'english', /10:00 AM/u],
  ] as const)('in any wording: %s', (question, language, told) => expect(answer(question, language)).toMatch(told));

  it('also after another day was asked for', () =>
    expect(
      answer('What about 28 November?', 'english', [['And on Sunday?', 'On Sunday we are open from 10:00 AM to 6:00 PM.']]),
    ).toMatch(/^We are closed .*River race/u));
});

describe('of a business without hours', () => {
  const unknown = { ...schedule, working_hours: [] };

  it.each([
    ['When are you open on Monday?', 'english'],
    ['What are your hours?', 'english'],
    ['Are you open at 5 pm?', 'english'],
    ['And on 30 November?', 'english'],
    ['सोमवार को कब खुलते हैं?', 'hindi'],
    ['सोमवारी दुकान चालू आहे का?', 'marathi'],
  ] as const)('nobody says that it is closed: %s', (question, language) =>
    expect(answer(question, language, [], unknown)).not.toMatch(/closed|बंद/u),
  );

  it('its exceptions are told', () =>
    expect(answer('What about 28 November?', 'english', [], unknown)).toMatch(/closed .*River race/u));
});

describe('"this Saturday" is the coming one', () => {
  it.each([
    ['Are you open this Saturday?', 'english'],
    ['Are you open this Saturday at 11 am?', 'english'],
    ['क्या आप इस शनिवार को खुले हैं?', 'hindi'],
    ['क्या आप आने वाले शनिवार को खुले रहेंगे?', 'hindi'],
    ['या शनिवारी दुकान चालू आहे का?', 'marathi'],
  ] as const)('and not the exception a week later: %s', (question, language) => {
    expect(answer(question, language)).toMatch(/10/u);
    expect(answer(question, language)).not.toContain('River race');
  });

  it('"on Saturday" may mean either', () => expect(answer('Are you open on Saturday?')).toContain('River race'));
});

it('the price of what is done with a thing is not surely that of the thing', () =>
  expect(answer('What is the price of storing my kayak?')).toMatch(/not sure|₹250/u));
