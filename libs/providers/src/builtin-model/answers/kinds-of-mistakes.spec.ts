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
A mask costs ₹300 and needs a deposit.
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

describe('the engine without a key', () => {
  it('of two prices that mean nearly the same tells the one whose words were said', () => {
    expect(answer('How much is dry cleaning the velvet robe?')).toBe('The dry clean of Velvet robe is ₹320.');
    expect(answer('velvet robe dry clean ka rate kya hai?', 'hindi')).not.toContain('₹180');
  });

  it('takes a thing for no other of its kind where there is one of the name', () => {
    expect(answer('How much is dry cleaning a kurta?')).not.toContain('Shirt');
  });

  it('multiplies the price that was asked for, and not the first of the table', () => {
    expect(answer('What do four shirts dry cleaned come to?')).toContain('₹360');
    expect(answer('चार शर्ट ड्राय क्लीन करायचे किती होतील?', 'marathi')).toContain('₹360');
  });

  it('sets two prices of one thing against each other', () => {
    expect(answer('How much cheaper is washing a wool robe than dry cleaning it?')).toMatch(/^The difference is ₹150\./u);
  });

  it('counts who pays, whoever they are', () => {
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

  it('says how many of a thing an amount buys, also where a sentence tells the price', () => {
    expect(answer('I have 1000 rupees, how many masks can I get?')).toMatch(/^That is enough for 3 /u);
  });

  it('answers whether one is cheaper than the other by yes or no', () => {
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

  it('means a holiday that merely sounds like a word only where hours are asked for', () => {
    const before: Before = ['दरबारी पोशाक का दाम क्या है?', 'मुझे जानकारी नहीं।'];
    expect(answer('और तोरणा का?', 'hindi', before)).not.toContain('training');
    expect(answer('Are you open on the day of the staff training?')).toMatch(/^We are closed/u);
  });

  it('takes so many months for the thing that lasts so long', () => {
    const before: Before = ['How much is the pass for three months?', 'Festival costs ₹2,700.'];
    expect(answer('And for six months?', 'english', before)).toBe('Season costs ₹4,900.');
  });

  it('asks the price of the other thing, though what that is called is also a kind of a column', () => {
    const before: Before = ['How much is the palace walk?', 'Palace walk costs ₹450 per person.'];
    expect(answer('And the scooter one?', 'english', before)).toContain('₹700');
  });

  it('answers what is not allowed by no sentence about what is', () => {
    expect(answer('What may I not wear on the floor?')).toContain('not worn');
    expect(answer('What may I not wear in the archive?')).not.toBe('Visitors wear gloves in the archive.');
  });

  it('answers who does something by no figure', () => {
    expect(answer('Who shows the stops of the palace walk?')).not.toMatch(/450|Tempo|\b12\b/u);
  });

  it('lists things only to those who ask what there is', () => {
    expect(answer('kal tak chahiye kapde, jaldi ho jayega kya?', 'hindi')).not.toMatch(/₹/u);
    expect(answer('Which garments do you have?')).toContain('Kurta');
  });

  it('knows a field by the adjective that asks for it', () => {
    expect(answer('How high is the palace walk?')).toContain('40');
  });
});
