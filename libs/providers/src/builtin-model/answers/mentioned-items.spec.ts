import { aModelRequest, type Grounds } from '@parley/ports';
import { answerFrom } from '../answer';

const knowledge = `# The business
Name: Mahadev Sports
Kind: Sports shop
Telephone: +912027411800

# Products and services
- Carrom board (Games). Price: 1800 INR. Available.
- Skipping rope (Fitness). Price: 120 INR. Available.
- Yoga mat (Fitness). Price: 650 INR. Not available.
- Chess set (Games). Price: 400 INR. Available.

# Document: nets.csv
Net: Cricket net; Price (INR per metre): 90; Height (m): 3
Net: Football net; Price (INR per metre): 140; Height (m): 4

# Document: rules.md
Bills above ₹2,000 get 5% off.
GST of 12% is extra on all bills.
Members get 20% off on coaching.
Delivery costs ₹60 for orders below ₹500.`;

/** What was asked, one after another, and the last answer. */
function lastAnswer(language: Grounds['language'], ...questions: readonly string[]): string {
  const grounds: Grounds = { language, agentName: 'Maya', greeting: '', passages: [], knowledge, schedule: null };
  return questions.reduce<{ messages: { role: 'user' | 'assistant'; text: string }[]; said: string }>(
    ({ messages }, text) => {
      const asked = [...messages, { role: 'user' as const, text }];
      const said = answerFrom(aModelRequest({ messages: asked, grounds }));
      return { messages: [...asked, { role: 'assistant' as const, text: said }], said };
    },
    { messages: [], said: '' },
  ).said;
}

const oneByOne = {
  english: ['What does the carrom board cost?', 'And the chess set?'],
  hindi: ['कैरम बोर्ड कितने का है?', 'और चेस सेट?'],
  marathi: ['कॅरम बोर्ड कितीला आहे?', 'आणि चेस सेट?'],
} as const;

describe('things that were told one after another', () => {
  it.each([
    ['english', 'Which of them is cheaper?', ['Chess set', '₹1,400']],
    ['english', 'how much for both together?', ['₹2,200']],
    ['english', 'The difference?', ['₹1,400']],
    ['english', 'and two of each?', ['₹4,400']],
    ['english', 'Three of the second and one of the first?', ['₹3,000']],
    ['english', 'Is the first one dearer than the second?', ['Yes', '₹1,400']],
    ['hindi', 'दोनों मिलाकर?', ['₹2,200']],
    ['hindi', 'इनमें सस्ता कौन सा है?', ['Chess set']],
    ['hindi', 'दो-दो लें तो?', ['₹4,400']],
    ['hindi', 'dono milakar kitna?', ['₹2,200']],
    ['hindi', 'pehle ka ek aur doosre ke teen?', ['₹3,000']],
    ['marathi', 'दोन्ही मिळून किती?', ['₹2,200']],
    ['marathi', 'यात महाग कोणते?', ['Carrom board']],
    ['marathi', 'प्रत्येकी दोन?', ['₹4,400']],
    ['marathi', 'donhi milun kiti?', ['₹2,200']],
  ] as const)('are meant by %s "%s"', (language, question, parts) => {
    const told = lastAnswer(language, ...oneByOne[language], question);
    for (const part of parts) expect(told).toContain(part);
  });

  it('are added up once, and not as two of one', () =>
    expect(lastAnswer('english', 'Price of the chess set and the skipping rope?', 'Both together?')).toContain(
      'together come to ₹520 (₹120 + ₹400)',
    ));

  it.each([
    ['english', 'And the skipping rope?', 'How much for both?', 'Which of them do you mean?'],
    ['hindi', 'और स्किपिंग रोप?', 'दोनों का कितना?', 'कौन-से पूछ रहे हैं?'],
    ['marathi', 'आणि स्किपिंग रोप?', 'दोन्ही मिळून?', 'कोणते विचारत आहात?'],
  ] as const)('are not guessed where there are more of them than the %s pronoun says', (language, third, question, asks) => {
    const told = lastAnswer(language, ...oneByOne[language], third, question);
    expect(told).toContain(asks);
    for (const price of ['₹1,800', '₹400', '₹120']) expect(told).toContain(price);
    expect(told).not.toContain('₹520');
  });

  it('are not guessed where there are fewer', () =>
    expect(lastAnswer('english', 'What does the carrom board cost?', 'How much for both?')).toContain('do not know'));

  it('need their own measure: a metre of each is not said by "both"', () => {
    const nets = ['How much is the cricket net?', 'And the football net?'] as const;
    expect(lastAnswer('english', ...nets, 'Both together?')).not.toContain('₹230');
    expect(lastAnswer('english', ...nets, 'Ten metres of each?')).toContain('₹2,300');
    expect(lastAnswer('english', ...nets, 'Five metres of the first?')).toContain('₹450');
  });

  it('are not added to what no table has', () =>
    expect(lastAnswer('english', ...oneByOne.english, 'What does delivery cost?', 'And both together?')).not.toContain('₹2,200'));

  it('leave other questions alone', () => {
    expect(lastAnswer('english', ...oneByOne.english, 'Do you deliver them to Satara?')).not.toContain('together');
    expect(lastAnswer('english', ...oneByOne.english, 'Which is the cheapest thing you sell?')).not.toMatch(/^It is Chess set/u);
  });
});

describe('a total is told with the rules that concern it', () => {
  it.each([
    ['above its limit', ['What do two carrom boards cost?'], ['₹3,600', 'Bills above ₹2,000 get 5% off.', '12%'], ['₹60']],
    ['below the limit of another', ['What do three skipping ropes cost?'], ['₹360', 'below ₹500', '12%'], ['5% off']],
    ['after other questions', [...oneByOne.english, 'Together?'], ['₹2,200', '5% off', '12%'], ['₹60']],
  ] as const)('%s', (_, questions, parts, never) => {
    const told = lastAnswer('english', ...questions);
    for (const part of parts) expect(told).toContain(part);
    for (const part of [...never, 'Members']) expect(told).not.toContain(part);
  });

  it('and one price without them', () => expect(lastAnswer('english', 'What does the carrom board cost?')).not.toContain('5%'));
});

it('"compare" chooses none of two', () =>
  expect(lastAnswer('english', 'Compare the carrom board and the chess set')).toMatch(/^The difference is ₹1,400\./u));

it('a follow-up after a price and its stock asks for the price', () =>
  expect(lastAnswer('english', 'How much is the yoga mat?', 'And the chess set?')).toContain('₹400'));

describe('what is asked of several things is told, and no sum', () => {
  const both = ['How much is the cricket net?', 'And the football net?'] as const;
  it.each([
    [
      ['What does the carrom board cost?', 'And the yoga mat?'],
      'Are both available?',
      ['Carrom board is available', 'Yoga mat is not available'],
    ],
    [both, 'How high are they?', ['3 m', '4 m']],
    [['What does the carrom board cost?', 'And the chess set?', 'And the skipping rope?'], 'And the first two?', ['₹2,200']],
    [
      ['What does the carrom board cost?', 'And the chess set?', 'And the skipping rope?'],
      'All, without the last one?',
      ['₹2,200'],
    ],
    [['Price of the carrom board and the chess set?'], 'Which is the cheapest?', ['Chess set']],
    [[...oneByOne.english, 'The difference?'], 'And two of the first and one of the second?', ['₹4,000']],
  ] as const)('after %j: %s', (before, question, parts) => {
    const told = lastAnswer('english', ...before, question);
    for (const part of parts) expect(told).toContain(part);
    if (!parts.some((part) => part.startsWith('₹'))) expect(told).not.toContain('together');
  });
});
