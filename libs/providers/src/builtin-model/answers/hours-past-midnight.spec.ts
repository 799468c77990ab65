import { aModelRequest, type Grounds } from '@parley/ports';
import { answerFrom } from '../answer';

const days = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'] as const;
const schedule: NonNullable<Grounds['schedule']> = {
  timezone: 'Asia/Kolkata',
  working_hours: days
    .filter((day) => day !== 'Monday')
    .map((day) => ({ day, is_open: true, open_time: '06:00 PM', close_time: '02:00 AM' })),
  holidays: [],
};
const knowledge = `# The business
Name: Moonlight
Kind: Bar
Telephone: +912024001155`;

function answer(question: string, language: Grounds['language'] = 'english'): string {
  const grounds: Grounds = { language, agentName: 'Maya', greeting: '', passages: [], knowledge, schedule };
  return answerFrom(aModelRequest({ messages: [{ role: 'user', text: question }], grounds }));
}

describe('an hour after midnight', () => {
  it.each([
    ['Are you open at 1 am on Sunday?', /^Yes, at 1:00 AM we are open\./u],
    ['Are you open at 1 am on Monday?', /^Yes, at 1:00 AM we are open\. On Sundays .*2:00 AM\. On Mondays we are closed\.$/u],
    ['Are you open at 1 am on Tuesday?', /^No, at 1:00 AM we are closed\. On Mondays we are closed\. On Tuesdays/u],
    ['Are you open at 3 am on Sunday?', /^No, at 3:00 AM we are closed\./u],
    ['Are you open at 11 pm on Saturday?', /^Yes, at 11:00 PM/u],
    ['Are you open at 11 pm on Monday?', /^No/u],
    ['Are you open at 1 am?', /^Yes, at 1:00 AM/u],
  ])('is of the night that it ends: %s', (question, said) => expect(answer(question)).toMatch(said));

  it.each([
    ['सोमवार को रात एक बजे खुले रहते हैं?', 'hindi', /^(?!हाँ|नहीं).*रविवार.*रात 2 बजे.*सोमवार.*बंद/u],
    ['सोमवारी रात्री एक वाजता उघडे असता का?', 'marathi', /^(?!हो|नाही).*रविवारी.*रात्री 2.*सोमवारी.*बंद/u],
    ['रविवार को रात एक बजे खुले रहते हैं?', 'hindi', /^हाँ/u],
    ['शनिवारी रात्री एक वाजता उघडे असता का?', 'marathi', /^हो/u],
  ] as const)('may be of two nights, and then the hours of both are told: %s', (question, language, said) =>
    expect(answer(question, language)).toMatch(said),
  );
});
