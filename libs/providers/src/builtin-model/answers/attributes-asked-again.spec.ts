import { aModelRequest, type Grounds } from '@parley/ports';
import { answerFrom } from '../answer';

const knowledge = `# The business
Name: Timberline
Kind: Camping shop
Telephone: +912024003344

# Products and services
- Gas stove rental. Price: 120 INR per day. Available.
- Three-man tent rental. Price: 500 INR per day. Available.
- Three-man tent deposit. Price: 2000 INR. Available.
- Head torch. Price: 450 INR. Available.
- कथक वर्ग. Price: 1500 INR per महिना. Booking required.
- लावणी वर्ग. Price: 1200 INR per महिना. Booking required.
- ढोल किराया. Price: 300 INR per दिन. Available.

# Document: rules.md
The deposit for a gas stove is ₹500.
A 30 percent advance is paid when a group books.
कथकसाठी अनामत रक्कम ₹1,000 आहे.
ढोल की जमानत राशि ₹900 है।
The warranty of a sleeping bag is two years.`;

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

describe('what is asked again of the thing spoken of', () => {
  it.each([
    ['english', ['How much is the gas stove?', 'And the deposit?'], '₹500'],
    ['english', ['How much is the three-man tent rental?', 'And the deposit?'], '₹2,000'],
    ['marathi', ['कथक वर्गाचे किती?', 'आणि अनामत?'], '₹1,000'],
    ['hindi', ['ढोल का किराया कितना है?', 'और जमानत राशि?'], '₹900'],
    ['hindi', ['dhol ka kiraya kitna hai?', 'aur deposit?'], '₹900'],
  ] as const)('is that of it: %s %j', (language, questions, told) => {
    const said = lastAnswer(language, ...questions);
    expect(said).toContain(told);
    for (const other of ['₹500', '₹2,000', '₹1,000', '₹900'].filter((one) => one !== told)) expect(said).not.toContain(other);
  });

  it.each([
    ['english', ['How much is the head torch?', 'And the deposit?']],
    ['english', ['How much is the head torch?', 'And the warranty?']],
    ['marathi', ['लावणी वर्गाचे किती?', 'आणि अनामत?']],
    ['hindi', ['ढोल का किराया कितना है?', 'और वारंटी?']],
  ] as const)('is not known where only other things have it: %s %j', (language, questions) => {
    const said = lastAnswer(language, ...questions);
    expect(said).toMatch(/not know|जानकारी नहीं|माहिती नाही/u);
    expect(said).not.toMatch(/₹|two years/u);
  });

  it.each([
    ['english', ['What is the deposit for a gas stove?', 'And for two of them?'], '₹1,000'],
    ['english', ['What is the deposit for a gas stove?', 'How much is that for three gas stoves?'], '₹1,500'],
    ['hindi', ['ढोल की जमानत राशि कितनी है?', 'और दो की?'], '₹1,800'],
    ['marathi', ['कथकसाठी अनामत किती?', 'आणि दोन घेतले तर?'], '₹2,000'],
  ] as const)('is counted, and not the price of the thing: %s %j', (language, questions, told) =>
    expect(lastAnswer(language, ...questions)).toContain(told),
  );
});
