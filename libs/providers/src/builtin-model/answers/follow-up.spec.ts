import { aModelRequest, type Grounds } from '@parley/ports';
import { answerFrom } from '../answer';

const knowledge = `# The business
Name: Sinhagad Pottery
Kind: Pottery
Telephone: +912024457788

# Products and services
- Glaze (Material). Price: 260 INR. Available.

# Questions and answers
Q: May I eat in the studio?
A: No, but tea may be taken to the wheels.

# Document: courses.csv
Course: Wheel throwing; Language: English; Starts: 9:00 AM; Length (weeks): 6; Places: 8; Fee (INR): 4200
Course: Hand building; Language: Marathi; Starts: 4:00 PM; Length (weeks): 4; Places: 12; Fee (INR): 2800

# Document: rules.md
## Groups
Schools reserve three weeks ahead. Colleges reserve one week ahead.
A school pays half; a bank pays in full.
## Kiln
The big kiln is fired on Friday, for firms also on other days.
## कपड़े
बच्चों को एप्रन मिलता है, बड़ों को नहीं मिलता।
मुलांचा वर्ग दोन तास असतो. मोठ्यांचा वर्ग तीन तास असतो.`;

const open = { is_open: true, open_time: '10:00 AM', close_time: '06:00 PM' };
const schedule: NonNullable<Grounds['schedule']> = {
  timezone: 'Asia/Kolkata',
  working_hours: (['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday'] as const).map((day) => ({ day, ...open })),
  holidays: [],
};

/** The answer to the last of these questions, asked one after another. */
function lastAnswer(language: Grounds['language'], ...questions: readonly string[]): string {
  const grounds: Grounds = { language, agentName: 'Maya', greeting: '', passages: [], knowledge, schedule };
  return questions.reduce<{ messages: { role: 'user' | 'assistant'; text: string }[]; said: string }>(
    ({ messages }, text) => {
      const asked = [...messages, { role: 'user' as const, text }];
      const said = answerFrom(aModelRequest({ messages: asked, grounds }));
      return { messages: [...asked, { role: 'assistant' as const, text: said }], said };
    },
    { messages: [], said: '' },
  ).said;
}

describe('a follow-up carries what was asked about before', () => {
  it.each([
    ['the same field of another thing', 'When does wheel throwing start?', 'And hand building?', 'starts at 4:00 PM.'],
    ['another field of the same thing', 'When does hand building start?', 'And how many places?', '12'],
    ['the second of two', 'How many places do wheel throwing and hand building have?', 'How long is the second one?', '4 weeks'],
    ['the one of that kind', 'How long is wheel throwing?', 'What about the Marathi one?', '4 weeks'],
    ['a sentence about another', 'How far ahead do schools reserve?', 'And colleges?', 'Colleges reserve one week ahead.'],
    ['another word for a house', 'How far ahead do colleges reserve?', 'And schools?', 'Schools reserve three weeks ahead.'],
    ['another day of our hours', 'Are you open on Friday?', 'And on Saturday?', 'closed'],
  ])('%s', (_, before, question, told) => expect(lastAnswer('english', before, question)).toContain(told));

  it.each([
    ['hindi', 'क्या बच्चों को एप्रन मिलता है?', 'और बड़ों को?', 'नहीं मिलता'],
    ['hindi', 'wheel throwing और hand building में कितनी जगह हैं?', 'दूसरा वाला कितने हफ़्ते का है?', '4'],
    ['marathi', 'मुलांचा वर्ग किती तास असतो?', 'आणि मोठ्यांचा?', 'तीन तास'],
    ['marathi', 'शुक्रवारी किती वाजता उघडता?', 'आणि शनिवारी?', 'बंद'],
    ['hindi', 'shukrawar ko kab khulta hai?', 'aur shaniwar ko?', 'बंद'],
  ] as const)('in %s: %s', (language, before, question, told) => expect(lastAnswer(language, before, question)).toContain(told));

  it('another day of something else is not answered by our hours', () => {
    const told = lastAnswer('english', 'Is the big kiln fired on Friday?', 'And on Saturday?');
    expect(told).not.toMatch(/we are (?:open|closed)/iu);
    expect(told).toContain('on other days');
  });
});
