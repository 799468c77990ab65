import { aModelRequest, type Grounds } from '@parley/ports';
import { answerFrom } from '../answer';

const knowledge = `# The business
Name: Kaleidoscope
Kind: Costume hire
Telephone: +912168260311

# Products and services
- Sewing machine case (Things). Price: 850 INR. Available.

# Document: cleaning.csv
Garment: Kurta; Wash and press (INR): 60; Dry clean (INR): 140; Ready in (days): 2
Garment: Velvet robe; Wash and press (INR): 180; Dry clean (INR): 320; Ready in (days): 4
Garment: Wool robe; Wash and press (INR): 150; Dry clean (INR): 300; Ready in (days): 3
Garment: Shirt; Wash and press (INR): 40; Dry clean (INR): 90; Ready in (days): 1

# Document: passes.csv
Pass: Festival; Period (months): 3; Fee (₹): 2700; Fitting room: no
Pass: Season; Period (months): 6; Fee (₹): 4900; Fitting room: yes

# Document: tours.csv
Tour: Palace walk; Vehicle: Tempo; Stops: 12; Height (m): 40; Price per person (INR): 450
Tour: Scooter ride; Vehicle: Activa; Stops: 5; Height (m): 95; Price per person (INR): 700

# Document: rules.md
## Rules
Visitors wear gloves in the archive. Shoes with heels are not worn on the wooden floor.
Robes are embroidered in silk. The workroom has the licence number 2218.
There are four looms. A mask costs ₹300 and needs a deposit. Things may be exchanged within ten days.
Tours of the palace are led by Farida Khan.`;

const schedule: NonNullable<Grounds['schedule']> = {
  timezone: 'Asia/Kolkata',
  working_hours: [{ day: 'Monday', is_open: true, open_time: '10:00 AM', close_time: '06:00 PM' }],
  holidays: [{ date: '2026-12-25', opens: '', closes: '', note: 'Staff training' }],
};

type Before = readonly [asked: string, said: string];

function answer(question: string, language: Grounds['language'] = 'english', before?: Before): string {
  const [asked = '', said = ''] = before ?? [];
  const earlier = before && [
    { role: 'user' as const, text: asked },
    { role: 'assistant' as const, text: said },
  ];
  const grounds: Grounds = { language, agentName: 'Maya', greeting: '', passages: [], knowledge, schedule };
  return answerFrom(aModelRequest({ messages: [...(earlier ?? []), { role: 'user', text: question }], grounds }));
}

describe('the built-in answers', () => {
  it('of two similar prices gives the one that was named', () => {
    expect(answer('How much is dry cleaning the velvet robe?')).toBe('The dry clean of Velvet robe is ₹320.');
    expect(answer('velvet robe dry clean ka rate kya hai?', 'hindi')).not.toContain('₹180');
  });

  it('prefers the item of that name over others of its kind', () => {
    expect(answer('How much is dry cleaning a kurta?')).not.toContain('Shirt');
  });

  it('multiplies the requested price, not the first column', () => {
    expect(answer('What do four shirts dry cleaned come to?')).toContain('₹360');
    expect(answer('चार शर्ट ड्राय क्लीन करायचे किती होतील?', 'marathi')).toContain('₹360');
  });

  it('compares two prices of one item', () => {
    expect(answer('How much cheaper is washing a wool robe than dry cleaning it?')).toMatch(/^The difference is ₹150\./u);
  });

  it('counts the people who pay, whatever they are called', () => {
    expect(answer('What do three people pay for the palace walk?')).toContain('₹1,350');
  });

  it.each([
    ['I have 1000 rupees, how much is the palace walk?', '₹450'],
    ['I am 30, how much is dry cleaning a kurta?', '₹140'],
    ['How much is the scooter ride with 125 cc?', ''],
    ['मेरे पास 500 रुपये हैं, palace walk का दाम क्या है?', '₹450'],
  ])('counts nothing by a number that is about something else: %s', (question, price) => {
    const told = answer(question, question.startsWith('I') || question.startsWith('How') ? 'english' : 'hindi');
    expect(told).toContain(price);
    expect(told).not.toMatch(/comes? to|होंगे|₹\d{1,2},\d/u);
  });

  it('says how many an amount buys, even if the price is in a sentence', () => {
    expect(answer('I have 1000 rupees, how many masks can I get?')).toMatch(/^That is enough for 3 /u);
  });

  it('answers yes or no when asked whether one is cheaper', () => {
    expect(answer('Is the palace walk cheaper than the scooter ride?')).toMatch(/^Yes\. It is Palace walk/u);
    expect(answer('Is the scooter ride cheaper than the palace walk?')).toMatch(/^No\. It is Palace walk/u);
    expect(answer('क्या scooter ride, palace walk से सस्ती है?', 'hindi')).toMatch(/^नहीं।/u);
  });

  it.each([0, 6, 13])('tells with the hours of a weekday that it is a holiday in %i days', (ahead) => {
    const at = new Date(Date.now() + ahead * 86_400_000);
    const date = new Intl.DateTimeFormat('en-CA', { timeZone: 'Asia/Kolkata' }).format(at);
    const weekday = new Intl.DateTimeFormat('en-US', { timeZone: 'Asia/Kolkata', weekday: 'long' }).format(at);
    const open = { day: weekday as 'Monday', is_open: true, open_time: '10:00 AM', close_time: '06:00 PM' };
    const holidays = [{ date, opens: '', closes: '', note: 'Local festival' }];
    const grounds = { ...aModelRequest().grounds, language: 'english' as const, passages: [], knowledge };
    const told = (question: string, days: typeof holidays) =>
      answerFrom(
        aModelRequest({
          messages: [{ role: 'user', text: question }],
          grounds: { ...grounds, schedule: { ...schedule, working_hours: [open], holidays: days } },
        }),
      );
    expect(told(`Are you open on ${weekday}?`, holidays)).toMatch(
      /^We are closed on .*\(Local festival\)\. On .* from 10:00 AM/u,
    );
    expect(told(`Are you open on ${weekday}?`, [])).toMatch(/^On /u);
  });

  it('matches a holiday by sound only in questions about hours', () => {
    const before: Before = ['दरबारी पोशाक का दाम क्या है?', 'मुझे जानकारी नहीं।'];
    expect(answer('और तोरणा का?', 'hindi', before)).not.toContain('training');
    expect(answer('Are you open on the day of the staff training?')).toMatch(/^We are closed/u);
  });

  it('matches a number of months to the item of that duration', () => {
    const before: Before = ['How much is the pass for three months?', 'Festival costs ₹2,700.'];
    expect(answer('And for six months?', 'english', before)).toBe('Season costs ₹4,900.');
  });

  it('resolves the other item even if its name is also a column', () => {
    const before: Before = ['How much is the palace walk?', 'Palace walk costs ₹450 per person.'];
    expect(answer('And the scooter one?', 'english', before)).toContain('₹700');
  });

  it('does not answer what is forbidden with what is allowed', () => {
    expect(answer('What may I not wear on the floor?')).toContain('not worn');
    expect(answer('What may I not wear in the archive?')).not.toBe('Visitors wear gloves in the archive.');
  });

  it.each([
    ['Can things be exchanged after two weeks?', true],
    ['Can things be exchanged after a month?', true],
    ['Can things be delivered after two weeks?', false],
  ])('does not take a duration for an action that the sentence must mention: %s', (question, isTold) => {
    expect(answer(question) === 'Things may be exchanged within ten days.').toBe(isTold);
  });

  it('does not answer “how many” with a number that is only a name', () => {
    expect(answer('How many embroiderers work for you?')).not.toMatch(/^Robes are embroidered/u);
    expect(answer('How many looms do you have?')).toContain('four looms');
  });

  it('does not answer “who” with a number', () => {
    expect(answer('Who shows the stops of the palace walk?')).not.toMatch(/450|Tempo|\b12\b/u);
  });

  it('lists items only when asked what there is', () => {
    expect(answer('kal tak chahiye kapde, jaldi ho jayega kya?', 'hindi')).not.toMatch(/₹/u);
    expect(answer('Which garments do you have?')).toContain('Kurta');
  });

  it('finds a field by its adjective', () => {
    expect(answer('How high is the palace walk?')).toContain('40');
  });
});
