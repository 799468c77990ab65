import { askedTime, dateMeant } from './asked-time';

const today = '2026-11-26';

describe('when a question asks for something', () => {
  it.each([
    ['Are you open on 4 December?', '2026-12-04'],
    ['Are you open on Sunday the 6th of December?', '2026-12-06'],
    ['Will you be there on December 6, 2027?', '2027-12-06'],
    ['on the sixth of December', '2026-12-06'],
    ['May I come on 2/12/2026?', '2026-12-02'],
    ['Are you open on 02-12?', '2026-12-02'],
    ['open on the 2nd?', '2026-12-02'],
    ['When do you open on Sunday 29th?', '2026-11-29'],
    ['kya aap 25 december ko khule hain', '2026-12-25'],
    ['चार दिसंबर को खुला है?', '2026-12-04'],
    ['२ डिसेंबरला दुकान चालू आहे का?', '2026-12-02'],
    ['डिसेंबर 2 तारखेला सुरू असेल का?', '2026-12-02'],
    ['Are you open on 10 January?', '2027-01-10'],
    ['कल सुबह आ सकते हैं?', '2026-11-27'],
    ['परवा चालू आहे का?', '2026-11-28'],
  ])('reads the date of "%s"', (question, date) => expect(dateMeant(askedTime(question), today)).toBe(date));

  it.each([
    'How much may 2 people pay?',
    'Is it for 10-12 people?',
    'a 1/2 kg box',
    'my flat is 9-5',
    '7 din ka package kitne ka hai?',
  ])('reads no date and no hour in "%s"', (question) => {
    const { date, clock } = askedTime(question);
    expect([date, clock]).toEqual([undefined, undefined]);
  });

  it.each([
    ['open until 9 tomorrow?', 'until', undefined],
    ['till 7:30 on Friday?', 'until', undefined],
    ['open from 8?', 'from', undefined],
    ['Are you open from 10 to 5?', 'from', 5 * 60],
    ['कल 9 बजे तक खुले हो?', 'until', undefined],
    ['आठ बजे से खुलते हो?', 'from', undefined],
    ['9 बजे से 5 बजे तक?', 'from', 5 * 60],
    ['नौ बजे से पहले आ सकते हैं?', undefined, undefined],
    ['शनिवारी 9 पर्यंत?', 'until', undefined],
    ['आठ वाजल्यापासून उघडे असते का?', 'from', undefined],
    ['kal 9 baje tak', 'until', undefined],
    ['Do you open at 9?', undefined, undefined],
  ])('reads where a span begins or ends in "%s"', (question, bound, end) => {
    const { clock } = askedTime(question);
    expect([clock?.bound, clock?.end?.minutes]).toEqual([bound, end]);
  });

  it.each([
    ['Do you open at 9?', 9 * 60, true],
    ['Are you open at 8 pm today?', 20 * 60, false],
    ['at three in the afternoon on Tuesday', 15 * 60, false],
    ['half past nine', 9 * 60 + 30, true],
    ['sham ko 7 baje khula hai kya', 19 * 60, false],
    ['सुबह साढ़े नौ बजे खुलते हो?', 9 * 60 + 30, false],
    ['दुपारी २ वाजता', 14 * 60, false],
    ['रात 10 बजे तक', 22 * 60, false],
  ])('reads the hour of "%s"', (question, minutes, isOfEither) =>
    expect(askedTime(question).clock).toMatchObject({ minutes, isOfEither }),
  );

  it('leaves the question without those words', () => {
    const { weekday, rest } = askedTime('Is the shop open at 9 am on Wednesday?');
    expect(weekday).toBe('Wednesday');
    expect(rest.replaceAll(/\s+/gu, ' ').trim()).toBe('is the shop open ?');
  });
});
