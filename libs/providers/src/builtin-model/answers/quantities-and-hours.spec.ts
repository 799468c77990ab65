import { aModelRequest, type Grounds } from '@parley/ports';
import { answerFrom } from '../answer';

const knowledge = `# The business
Name: Sparsh Physio
Kind: Physiotherapy centre
Telephone: +912024001122

# Products and services
- First assessment. Price: 600 INR. Duration: 45 minutes. Booking required.
- Follow-up session. Price: 400 INR. Duration: 30 minutes. Booking required.
- Back care package, 7 days. Price: 4500 INR. Duration: 45 minutes. Booking required.
- Back care package, 14 days. Price: 8200 INR. Duration: 45 minutes. Booking required.
- Home visit. Within 5 km. Price: 900 INR. Duration: 45 minutes. Booking required.
- Wax bath. Price: 150 INR. Duration: 15 minutes. Booking required.
- Knee supports. A pair, washable. Price: 950 INR. Available.
- Weights up to 5 kg. Price: 700 INR. Available.
- Weights, 6 to 10 kg. Price: 1300 INR. Available.
- शेंगदाणा गाळप. प्रति किलो. Price: 22 INR. Duration: 40 minutes.
- शेंगदाणा तेल. एक लिटर. Price: 320 INR. Available.
- शेंगा फोडणे. प्रति किलो. Price: 5 INR. Duration: 30 minutes.

# Questions and answers
Q: Must I keep still during the wax bath?
A: Yes, for ten minutes.
Q: Is the wax safe for children?
A: Yes, from six years.
Q: क्या सेंटर में जूते उतारने पड़ते हैं?
A: हाँ, दरवाज़े पर।
Q: How do I get to you?
A: Take the metro to Deccan.`;

const inDays = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
const holiday = inDays(5);
const days = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'] as const;
const weekdayOf = (date: string) => days[(new Date(date).getUTCDay() + 6) % 7] ?? 'Monday';
const restDay = weekdayOf(inDays(3));
const schedule: NonNullable<Grounds['schedule']> = {
  timezone: 'UTC',
  working_hours: days
    .filter((day) => day !== restDay)
    .map((day) => ({ day, is_open: true, open_time: '09:30 AM', close_time: '07:00 PM' })),
  holidays: [
    { date: holiday, opens: '', closes: '', note: 'Staff workshop, दुपारी बंद' },
    { date: inDays(6), opens: '10:00 AM', closes: '01:00 PM', note: 'Founders Day' },
  ],
};

function answer(question: string, language: Grounds['language'] = 'english'): string {
  const grounds: Grounds = { language, agentName: 'Maya', greeting: '', passages: [], knowledge, schedule };
  return answerFrom(aModelRequest({ messages: [{ role: 'user', text: question }], grounds }));
}

const [, month = '', day = ''] = holiday.split('-');
const monthIn = (locale: string) => new Intl.DateTimeFormat(locale, { month: 'long', timeZone: 'UTC' }).format(new Date(holiday));

describe('quantities in a question', () => {
  it.each([
    ['7 din ka back care package kitne ka hai?', 'hindi', '₹4,500'],
    ['7 दिवसांच्या बॅक केअर पॅकेजची किंमत किती?', 'marathi', '₹4,500'],
    ['How much is the 7 day back care package?', 'english', '₹4,500'],
    ['I paid 600 for my first assessment, how much is a follow-up session?', 'english', '₹400'],
    ['I live 12 km away, what does a home visit cost?', 'english', '₹900'],
    ['My number is 4521, how much is a wax bath?', 'english', '₹150'],
    ['At 10 o clock how much is a wax bath?', 'english', '₹150'],
    ['What does a pair of knee supports cost?', 'english', '₹950'],
    ['How much are weights of 8 kg?', 'english', '₹1,300'],
  ] as const)('are none that name a kind, a sum, a way or an hour: %s', (question, language, price) => {
    expect(answer(question, language)).toContain(price);
    expect(answer(question, language)).not.toMatch(/×|together|मिलाकर|मिळून/u);
  });

  it.each([
    ['What do three wax baths cost?', 'english', '₹450'],
    ['What do the first assessment plus two follow-up sessions come to?', 'english', '₹1,400'],
    ['Two follow-up sessions and the 7 days package, how much?', 'english', '₹5,300'],
    ['दहा किलो शेंगदाणा गाळायचे किती पैसे?', 'marathi', '₹220'],
  ] as const)('belong to the thing of their phrase: %s', (question, language, total) =>
    expect(answer(question, language)).toContain(total),
  );

  it('make no sum where one of the things may be meant in the same quantity', () =>
    expect(answer('दोन किलो शेंगदाणा गाळप आणि शेंगा फोडून, एकूण किती?', 'marathi')).toMatch(/माहिती नाही.*₹22.*₹5/u));
});

describe('hours', () => {
  it.each([
    [`Are you open on ${Number(day)} ${monthIn('en')}?`, 'english', /closed on/u],
    [`Can I come on ${Number(day)} ${monthIn('en')}?`, 'english', /closed on/u],
    [`Can I bring my son on ${day}/${month}/${holiday.slice(0, 4)}?`, 'english', /closed on/u],
    [`${Number(day)} ${monthIn('mr-IN')}ला सेंटर सुरू असेल का?`, 'marathi', /बंद आहोत/u],
    [`${Number(day)} ${monthIn('hi-IN')} को खुला है?`, 'hindi', /बंद हैं/u],
  ] as const)('of a date are those of its exception: %s', (question, language, said) =>
    expect(answer(question, language)).toMatch(said),
  );

  it.each(['Do you open at 9?', 'Are you open at 9 pm?', 'Are you open at 8 am?'])(
    'tell whether an hour is one of them: %s',
    (question) => expect(answer(question)).toMatch(/we are closed\. .*9:30 AM to 7:00 PM/u),
  );

  it('are told by themselves where the hour may be of the morning or of the evening', () =>
    expect(answer('Are you open at 10?')).not.toContain('At 10'));

  it.each(['Which day are you closed?', 'Which day is the workshop closed?'])(
    'of the week are asked for with no word of a holiday: %s',
    (question) => expect(answer(question)).toBe(`On ${restDay}s we are closed.`),
  );

  it.each([
    ['Is the bank open on Founders Day?', 'english'],
    [`Is the post office closed on ${Number(day)} ${monthIn('en')}?`, 'english'],
    [`Is the metro running on ${Number(day)} ${monthIn('en')}?`, 'english'],
    ['Are the schools open tomorrow?', 'english'],
    ['When does the hospital open?', 'english'],
    [`क्या बैंक ${Number(day)} ${monthIn('hi-IN')} को खुला है?`, 'hindi'],
    ['kya kal school khula hai?', 'hindi'],
    ['उद्या बँक उघडी आहे का?', 'marathi'],
  ] as const)('are not those of another house: %s', (question, language) => {
    expect(answer(question, language)).toMatch(/not sure|not know|जानकारी नहीं|माहिती नाही/u);
    expect(answer(question, language)).not.toMatch(/^(?:On|We are|Yes|No)|(?:हम|आम्ही) .*(?:बंद|खुले|उघडे) (?:हैं|रहते|आहोत|असतो)/u);
  });

  it.each(['Is the centre open on Founders Day?', 'Is Sparsh Physio open on Founders Day?', 'Are you open on Founders Day?'])(
    'are those of the house by its name and kind: %s',
    (question) => expect(answer(question)).toMatch(/^On .*\(Founders Day\) we are open from 10:00 AM to 1:00 PM\.$/u),
  );

  it.each([
    ['Are you open at 4 pm on Founders Day?', 'english', /^No, at 4:00 PM we are closed\. On .*10:00 AM to 1:00 PM/u],
    ['Can I come to the centre at 11 am on Founders Day?', 'english', /^Yes, at 11:00 AM we are open\. On .*10:00 AM/u],
    [`Are you open at 11 am on ${Number(day)} ${monthIn('en')}?`, 'english', /^No, we are closed on/u],
    ['Founders Day को दो बजे खुले हैं?', 'hindi', /^नहीं, दोपहर 2 बजे हम बंद रहते हैं। .*सुबह 10 बजे से दोपहर 1 बजे तक/u],
    ['Founders Day ला दुपारी 12 वाजता येऊ शकतो का?', 'marathi', /^हो, दुपारी 12 वाजता आम्ही उघडे .*सकाळी 10 ते दुपारी 1 पर्यंत/u],
  ] as const)('answer Yes or No first to a time on an exception: %s', (question, language, said) =>
    expect(answer(question, language)).toMatch(said),
  );

  it.each([
    ['Do you have any holidays?', 'english', /Staff workshop.*Founders Day/u],
    ['आपकी छुट्टियाँ कब हैं?', 'hindi', /Staff workshop.*Founders Day/u],
    ['तुम्हाला सुट्टी असते का?', 'marathi', /Staff workshop.*Founders Day/u],
  ] as const)('of holidays are those of the profile: %s', (question, language, said) =>
    expect(answer(question, language)).toMatch(said),
  );
});

describe('a stored Yes', () => {
  it.each([
    ['May I move during the wax bath?', 'english', '“Must I keep still during the wax bath?'],
    ['Is the wax dangerous for children?', 'english', 'About “Is the wax safe for children?” our information says: “Yes'],
    ['क्या सेंटर में जूते पहन सकते हैं?', 'hindi', '“क्या सेंटर में जूते उतारने पड़ते हैं?'],
  ] as const)('is told with its question where another is asked: %s', (question, language, said) => {
    expect(answer(question, language)).not.toMatch(/^(?:Yes|हाँ)/u);
    expect(answer(question, language)).toContain(said);
  });

  it.each([
    ['Do I have to keep still in the wax bath?', 'Yes, for ten minutes.'],
    ['Is the wax safe for a child?', 'Yes, from six years.'],
  ])('is said where it is asked: %s', (question, said) => expect(answer(question)).toBe(said));
});
