import { aModelRequest, type Grounds } from '@parley/ports';
import { answerFrom } from '../answer';

const knowledge = `# The business
Name: Ganga Skates
Kind: Skating rink
Telephone: +912168260322

# Products and services
- Skates (Gear). Price: 3200 INR. Available.
- Knee pads (Gear). Price: 450 INR. Available.
- Tube 26 inch (Parts). Price: 180 INR. Available.
- Tyre 26 inch (Parts). Price: 560 INR. Available.
- Sharpening. Price: 120 INR. Duration: 25 minutes.
- Lesson. Price: 300 INR. Duration: 45 minutes.
- कपाट, दो पल्ले (सामान). Price: 900 INR. Available.

# Questions and answers
Q: When do I get my skates back from sharpening?
A: On the next morning.

# Document: hire.csv
Rink: Canal; Price per hour (INR): 400; Deposit (INR): 1000
Rink: Market; Price per hour (INR): 900; Deposit (INR): 2500

# Document: rules.md
## Repairs
We do not solder steel frames; aluminium frames are soldered.
Knee pads are lent with every hired pair of skates at no charge, lockers for ₹30 an hour.
Skates are brought to you within 10 km for ₹80.
Arjun Rane sharpens on Mondays only.
दूध के बिल से सदस्यों के पैसे कटते हैं।`;

const schedule: NonNullable<Grounds['schedule']> = {
  timezone: 'Asia/Kolkata',
  working_hours: [{ day: 'Friday', is_open: true, open_time: '10:00 AM', close_time: '06:00 PM' }],
  holidays: [{ date: '2099-12-25', opens: '', closes: '', note: 'नाताळ' }],
};

function answer(question: string, language: Grounds['language'] = 'english', before: readonly string[] = []): string {
  const grounds: Grounds = { language, agentName: 'Maya', greeting: '', passages: [], knowledge, schedule };
  const earlier = before.map((text, place) => ({ role: place % 2 === 0 ? ('user' as const) : ('assistant' as const), text }));
  return answerFrom(aModelRequest({ messages: [...earlier, { role: 'user', text: question }], grounds }));
}

describe('what an answer leaves open is told as not sure', () => {
  it.each([
    ['another amount than the one it is for', 'How much is it to bring skates 25 km?', '10 km'],
    ['a thing that a sentence says more of', 'How much are knee pads if I hire skates?', 'no charge'],
    ['an action that is only similar', 'Do you paint frames?', ''],
  ])('%s', (_, question, told) => {
    expect(answer(question)).toMatch(/not sure|do not know/u);
    expect(answer(question)).toContain(told);
  });

  it('a moment is no duration', () => {
    expect(answer('When do I get my skates back from sharpening?')).toBe('On the next morning.');
    expect(answer('When can I have the sharpening?')).not.toMatch(/^Sharpening takes/u);
  });

  it('the total of several, where no price was asked for in words', () =>
    expect(answer('A locker for four hours?')).toContain('do not know the total'));

  it.each([
    ['how long a thing lasts divides no price', 'What does one hour of the lesson cost?', /6\.67|\/ hour/u],
    ['how far somebody lives multiplies no price', 'I live 5 km away, what do you charge to bring skates?', /400/u],
    ['what is done costs something else than the thing', 'What do you charge for repairing a tube?', /^Tube 26 inch costs/u],
    ['a person owns, and nothing else answers who', 'Who owns the rink?', /^(?!I am)/u],
    ['a kind is asked for', 'Which locker do you use?', /^(?!I am)/u],
  ])('%s', (_, question, told) => expect(answer(question)).not.toMatch(told));

  it('a price without an amount', () => expect(answer('दूध का दाम क्या है?', 'hindi')).not.toMatch(/^दूध के बिल/u));

  it('the hours of somebody who was named are not ours', () =>
    expect(answer('Is he there on Fridays?', 'english', ['Who sharpens?', 'Arjun Rane sharpens on Mondays only.'])).not.toContain(
      'we are open',
    ));
});

describe('of two things', () => {
  it.each([
    ['Which deposit is higher, canal or market?', 'english', 'It is Market'],
    ['Is the market rink dearer per hour than the canal one?', 'english', 'Yes. It is Market'],
    ['Lesson महाग की Sharpening महाग?', 'marathi', 'Lesson'],
  ] as const)('the column is compared that is asked for: %s', (question, language, told) =>
    expect(answer(question, language)).toContain(told),
  );
});

it.each([
  ['दो कपाट कितने के होंगे?', 'hindi', '₹1,800'],
  ['How much are three tubes and two tyres?', 'english', '₹1,660'],
  ['तीन lesson, एकूण?', 'marathi', '₹900'],
] as const)('things are counted beside numbers and things alike: %s', (question, language, told) =>
  expect(answer(question, language)).toContain(told),
);

it('holidays are told to those who ask whether there are any', () =>
  expect(answer('तुम्हाला सुट्टी असते का?', 'marathi')).toContain('नाताळ'));
