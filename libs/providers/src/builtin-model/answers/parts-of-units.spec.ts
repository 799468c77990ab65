import { aModelRequest, type Grounds } from '@parley/ports';
import { answerFrom } from '../answer';

const knowledge = `# The business
Name: Peak and Pantry
Kind: Camping shop with a kitchen
Telephone: +912024007788

# Products and services
- Charcoal. Price: 80 INR per kg. Available.
- Paraffin. Price: 110 INR per litre. Available.
- Rope. Price: 40 INR per metre. Available.
- Head torch. Price: 450 INR. Available.
- Climbing wall. Price: 600 INR per hour. Booking required.
- Group barbecue. Price: 320 INR per person. Booking required.
- Trekking poles. Price: 900 INR per pair of 2. Available.
- काजू कतली. Price: 960 INR per किलो. Available.
- तूप. Price: 700 INR per किलो. Available.
- सभागृह. Price: 900 INR per तास. Booking required.
- शादी का खाना. Price: 350 INR per व्यक्ति. Booking required.
- स्नेहभोजन. Price: 250 INR per व्यक्ती. Booking required.

# Document: rules.md
A group pays 40 percent of its price when it books.`;

function answer(question: string, language: Grounds['language'] = 'english'): string {
  const grounds: Grounds = { language, agentName: 'Maya', greeting: '', passages: [], knowledge, schedule: null };
  return answerFrom(aModelRequest({ messages: [{ role: 'user', text: question }], grounds }));
}

describe('a part of what a price is for costs that part of it', () => {
  it.each([
    ['How much is half a kilo of charcoal?', 'english', '0.5 kg × Charcoal comes to ₹40, at ₹80 per kg.'],
    ['What do 1.5 kg of charcoal cost?', 'english', '₹120'],
    ['How much are 1½ kg of charcoal?', 'english', '₹120'],
    ['1/2 kg charcoal price?', 'english', '₹40'],
    ['price of 500 g of charcoal', 'english', '₹40'],
    ['two and a half litres of paraffin, how much?', 'english', '₹275'],
    ['How much is 2.5 metres of rope?', 'english', '₹100'],
    ['What does the climbing wall cost for an hour and a half?', 'english', '₹900'],
    ['What does the climbing wall cost for 90 minutes?', 'english', '₹900'],
    ['आधा किलो काजू कतली कितने की?', 'hindi', '0.5 किलो × काजू कतली के ₹480 होंगे, दाम ₹960 प्रति किलो।'],
    ['ढाई किलो काजू कतली कितने की?', 'hindi', '₹2,400'],
    ['250 ग्राम काजू कतली कितने की होगी?', 'hindi', '₹240'],
    ['aadha kilo kaju katli kitne ki?', 'hindi', '₹480'],
    ['अडीच किलो तूप किती?', 'marathi', '₹1,750'],
    ['पाव किलो तूप किती रुपये?', 'marathi', '₹175'],
    ['दीड तास सभागृह किती?', 'marathi', '₹1,350'],
    ['साडेतीन तास सभागृह कितीला?', 'marathi', '₹3,150'],
    ['What do two climbing walls cost for half an hour?', 'english', '2 × 0.5 hours × Climbing wall comes to ₹600'],
    ['What do two kilos of charcoal and half a litre of paraffin cost together?', 'english', '₹215'],
    ['दो किलो काजू कतली और आधा किलो तूप मिलाकर कितने का?', 'hindi', '₹2,270'],
  ] as const)('%s', (question, language, told) => {
    expect(answer(question, language)).toContain(told);
    expect(answer(question, language)).not.toContain('[unknown]');
  });

  it.each(['How much is half a head torch?', 'What does half a litre of charcoal cost?', 'Half a kilo of rope, how much?'])(
    'and nothing of the kind is computed for another measure: %s',
    (question) => expect(answer(question)).not.toMatch(/×/u),
  );
});

describe('people are the unit of what costs so much for each', () => {
  it.each([
    ['How much is a barbecue for 40 people?', 'english', '40 × Group barbecue comes to ₹12,800, at ₹320 per person.'],
    ['What would the group barbecue cost for 40 guests?', 'english', '₹12,800'],
    ['40 लोगों के शादी के खाने का कितना होगा?', 'hindi', '₹14,000'],
    ['शादी का खाना 40 मेहमानों के लिए कितने का?', 'hindi', '₹14,000'],
    ['40 logon ke liye shaadi ka khana kitne ka?', 'hindi', '₹14,000'],
    ['40 जणांसाठी स्नेहभोजन किती?', 'marathi', '₹10,000'],
    ['चाळीस माणसांच्या स्नेहभोजनाचे किती होतील?', 'marathi', '₹10,000'],
  ] as const)('%s', (question, language, told) => {
    expect(answer(question, language)).toContain(told);
    expect(answer(question, language)).not.toMatch(/40 percent|\[unknown\]/u);
  });
});

describe('a price is worded for what it is for', () => {
  it('of several that are one', () => {
    expect(answer('What do trekking poles cost?')).toMatch(/^Trekking poles cost ₹900/u);
    expect(answer('What do 3 pairs of trekking poles cost?')).toBe('3 × Trekking poles come to ₹2,700, at ₹900 per pair.');
  });

  it('in a language by its own words', () => expect(answer('What does kaju katli cost?')).toContain('₹960 per kg'));
});
