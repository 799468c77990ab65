import type { Grounds } from '@parley/ports';
import { aModelRequest } from '@parley/ports';
import { answerFrom } from '../answer';

const days = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'] as const;
const closing = (day: (typeof days)[number]) => (day === 'Friday' ? '07:30 PM' : '09:00 PM');

function answer(language: Grounds['language'], question: string): string {
  const schedule: NonNullable<Grounds['schedule']> = {
    timezone: 'Asia/Kolkata',
    working_hours: days.map((day) => ({ day, is_open: true, open_time: '09:00 AM', close_time: closing(day) })),
    holidays: [],
  };
  const knowledge = '# The business\nName: Pawan Cycles\nKind: Cycle shop';
  const messages = [{ role: 'user' as const, text: question }];
  return answerFrom(
    aModelRequest({ messages, grounds: { language, agentName: 'A', greeting: '', passages: [], knowledge, schedule } }),
  );
}

describe('"until" asks for the end of the hours, and "from" for their beginning', () => {
  it.each([
    ['english', 'Are you open until 9 on Monday?', /^Yes,/u],
    ['english', 'Open till 9 on Friday?', /^No,.*7:30 PM/u],
    ['english', 'till 7:30 on Friday?', /^Yes,/u],
    ['english', 'Are you there till 8 on Friday?', /^No,.*7:30 PM/u],
    ['english', 'Open from 8?', /^No,.*9:00 AM/u],
    ['english', 'Are you open from 9?', /^Yes,.*9:00 AM/u],
    ['english', 'Are you open on Friday from 10 to 5?', /^Yes,/u],
    ['english', 'Are you open on Friday from 10 to 8?', /^No,/u],
    ['english', 'Open till 10 pm?', /^No,/u],
    ['english', 'By when must I come on Friday?', /7:30 PM/u],
    ['hindi', 'सोमवार को 9 बजे तक खुले हो?', /^हाँ,/u],
    ['hindi', 'शुक्रवार को आठ बजे तक?', /^नहीं,/u],
    ['hindi', 'क्या आठ बजे से खुलते हो?', /^नहीं,/u],
    ['hindi', 'कब तक आना होगा?', /रात 9 बजे तक/u],
    ['hindi', 'somvar ko 9 baje tak khula hai?', /^हाँ,/u],
    ['marathi', 'सोमवारी 9 वाजेपर्यंत उघडे आहे का?', /^हो,/u],
    ['marathi', 'शुक्रवारी आठ वाजेपर्यंत?', /^नाही,/u],
    ['marathi', 'आठ वाजल्यापासून उघडे असते का?', /^नाही,/u],
    ['marathi', 'कधीपर्यंत यावे लागेल?', /रात्री 9 पर्यंत/u],
    ['marathi', 'somvari 9 vajeparyant ughde aahe ka?', /^हो,/u],
  ] as const)('%s: %s', (language, question, told) => expect(answer(language, question)).toMatch(told));

  it('and an hour alone for that hour', () => {
    expect(answer('english', 'Are you open at 9 pm?')).toMatch(/^No, at 9:00 PM/u);
    expect(answer('english', 'Are you open at 9?')).toMatch(/9:00 AM/u);
  });
});
