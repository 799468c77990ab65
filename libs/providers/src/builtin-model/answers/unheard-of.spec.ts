import { aModelRequest, type Grounds, unknownMark } from '@parley/ports';
import { answerFrom } from '../answer';

const knowledge = `# The business
Name: Nandi Stables
Kind: Riding school
Telephone: +912024457799

# Products and services
- Riding lesson. Price: 700 INR. Duration: 45 minutes.
- Saddle (Leather). Price: 9800 INR. Available.

# Questions and answers
Q: Is there a roof over the track?
A: Yes, and benches for parents.

# Document: rules.md
## On the track
Helmets are lent by the stable. Dogs stay outside the gate.
घोड़ों को गाजर खिला सकते हैं।
घोड्यांना सकाळी चारा दिला जातो.`;

function answer(question: string, language: Grounds['language'] = 'english'): string {
  const grounds: Grounds = { language, agentName: 'Maya', greeting: '', passages: [], knowledge, schedule: null };
  return answerFrom(aModelRequest({ messages: [{ role: 'user', text: question }], grounds }));
}

describe('what no fact says is not answered by what is nearest', () => {
  it.each([
    ['english', 'Is there wifi at the track?', 'I am sorry, I do not know about wifi.'],
    ['english', 'Do you sell leather boots?', 'I am sorry, I do not know about leather boots.'],
    ['english', 'Are cats allowed on the track?', 'I am sorry, I do not know about cats.'],
    ['english', 'Does the lesson include a photograph?', 'I am sorry, I do not know about a photograph.'],
    ['english', 'What colour is the saddle?', 'I am sorry, I do not know that.'],
    ['english', 'How heavy is the saddle?', 'I am sorry, I do not know that.'],
    ['hindi', 'क्या आप घोड़ों की दवा बेचते हैं?', '“घोड़ों की दवा” के बारे में जानकारी नहीं है'],
    ['marathi', 'तुमच्याकडे राहण्यासाठी खोली आहे का?', 'माहिती नाही'],
    ['hindi', 'kya aap helmet ka beema dete ho?', 'जानकारी नहीं'],
  ] as const)('%s: %s', (language, question, told) => {
    expect(answer(question, language)).toContain(told);
    expect(answer(question, language)).not.toMatch(/track\.|saddle costs|गाजर|चारा|Helmets/iu);
    expect(answer(question, language)).toContain('+912024457799');
    expect(answer(question, language).endsWith(unknownMark)).toBe(true);
  });
});

it('a pronoun names nothing', () => expect(answer('Do you have it in blue?')).not.toContain('about it'));

it.each([
  ['Is there a roof over the track?', 'benches'],
  ['Do you have helmets?', 'Helmets are lent'],
  ['My daughter is afraid of dogs, do they come near?', 'Dogs stay outside'],
])('what a fact says is told, surely or not: %s', (question, told) => expect(answer(question)).toContain(told));
