/** @quiet Judged by CPU time. */
import { ResultSchema } from '@parley/contracts';
import { saidResult } from './said-result';

const today = '2026-03-02';

/** The result for one field, from the agent's question and the caller's answer. */
function learned(name: string, field: object, ...[asked, said]: readonly [string, string]): unknown {
  const schema = ResultSchema.parse({ properties: { [name]: field } });
  const turns = [
    { question: '', answer: asked },
    { question: said, answer: 'Thank you.' },
  ];
  return saidResult(schema, { turns, today })[name];
}

describe('a caller’s answer, read by rules', () => {
  const boolean = { type: 'boolean' };
  it.each([
    ['Will you pay this week?', 'Yes.', true],
    ['Will you pay this week?', 'No, sorry.', false],
    ['Will you pay this week?', 'जी हाँ', true],
    ['Will you pay this week?', 'नहीं', false],
    ['How can I help?', 'I will pay on Friday.', true],
    ['How can I help?', "I won't pay anything.", false],
    ['Will you pay this week?', "I'm not sure.", null],
    ['Will you pay this week?', 'I do not know if I will pay.', null],
    ['Will you pay this week?', 'When do I have to pay?', null],
    ['How can I help?', 'I have a question about the payment.', null],
    ['How can I help?', 'Yes.', null],
    ['You may pay by card. Do you like tea?', 'Yes.', null],
  ])('a boolean: "%s" "%s" is %s', (asked, said, value) => {
    expect(learned('will_pay', boolean, asked, said)).toBe(value);
  });

  const plan = { type: 'string', enum: ['gold', 'silver', 'pay_later'] };
  it.each([
    ['Which plan do you want?', 'The silver one, please.', 'silver'],
    ['Which plan do you want?', 'I would pay later.', 'pay_later'],
    ['Which plan do you want?', 'Gold or silver.', null],
    ['Which plan do you want?', 'Not the gold.', null],
    ['Which plan do you want?', 'Goldfinger is a film.', null],
    ['How are you?', 'Gold is dear.', null],
    ['How are you?', 'I take the gold plan.', 'gold'],
  ])('a choice: "%s" "%s" is %s', (asked, said, value) => {
    expect(learned('plan', plan, asked, said)).toBe(value);
  });

  it.each([
    ['number', 'How many guests will come?', 'Around 12.5 I guess', 12.5],
    ['integer', 'How many guests will come?', 'four', 4],
    ['integer', 'How many guests will come?', '1,200 of them', 1200],
    ['integer', 'How many guests will come?', '२५', 25],
    ['integer', 'How many guests will come?', '2.5', null],
    ['integer', 'How many guests will come?', '3 or 4', null],
    ['integer', 'How many guests will come?', 'On 12 March.', null],
    ['integer', 'How old are you?', '40', null],
  ])('a %s: "%s" "%s" is %s', (type, asked, said, value) => {
    expect(learned('guests', { type }, asked, said)).toBe(value);
  });

  const day = { type: 'string', format: 'date' };
  it.each([
    ['On 12 March.', '2026-03-12'],
    ['March 12th, 2027', '2027-03-12'],
    ['The 1st of February', '2027-02-01'],
    ['2026-04-30', '2026-04-30'],
    ['Tomorrow', '2026-03-03'],
    ['31 February', null],
    ['On 12 or 13 March, or 14 March', null],
    ['Some day.', null],
  ])('a day: "%s" is %s', (said, value) => {
    expect(learned('payment_date', day, 'When will the payment come?', said)).toBe(value);
  });

  it('uses the last answer, and leaves null for what was not said, and for text fields', () => {
    const properties = { will_pay: boolean, name: { type: 'string' }, guests: { type: 'integer' } };
    const turns = [
      { question: '', answer: 'Will you pay?' },
      { question: 'No.', answer: 'Really: will you pay?' },
      { question: 'Yes, all right. My name is Ravi.', answer: 'Fine.' },
    ];
    expect(saidResult(ResultSchema.parse({ properties }), { turns, today })).toEqual({
      will_pay: true,
      name: null,
      guests: null,
    });
  });

  it('takes time linear in the length of the conversation', () => {
    const properties = Object.fromEntries(
      Array.from({ length: 30 }, (_, index) => [`day_${index}`, { type: 'string', format: 'date', description: 'delivery' }]),
    );
    const long = { question: 'delivery 1 march '.repeat(5_000), answer: 'delivery ,'.repeat(5_000) };
    const before = process.cpuUsage();
    saidResult(ResultSchema.parse({ properties }), { turns: Array.from({ length: 50 }, () => long), today });
    expect(process.cpuUsage(before).user / 1000).toBeLessThan(5_000);
  });
});
