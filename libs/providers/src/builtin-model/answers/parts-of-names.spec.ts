import { aModelRequest, type Grounds } from '@parley/ports';
import { answerFrom } from '../answer';

const knowledge = `# The business
Name: Parth Stationers
Kind: Stationery shop
Telephone: +912012345678

# Products and services
- Spiral notebook ruled (Paper). Price: 60 INR. Available.
- Spiral notebook plain (Paper). Price: 55 INR. Available.
- Leather photo album (Gifts). Price: 900 INR. Available.
- Geometry compass box (School). Price: 180 INR. Available.
- Fountain pen with converter (Pens). Price: 450 INR. Available.
- Fluorescent highlighter (Pens). Price: 35 INR. Available.
- Wooden easel for painting (Art). Price: 1250 INR. Available.
- Scientific calculator (School). Price: 1150 INR. Available.`;

function answer(language: Grounds['language'], question: string): string {
  const grounds: Grounds = { language, agentName: 'A', greeting: '', passages: [], knowledge, schedule: null };
  return answerFrom(aModelRequest({ messages: [{ role: 'user', text: question }], grounds }));
}

describe('a thing is known by the part of its name that tells it from others', () => {
  it.each([
    ['english', 'How much is the easel?', ['Wooden easel for painting costs ₹1,250.']],
    ['english', 'How much are the easels?', ['₹1,250']],
    ['english', 'Price of the compass', ['Geometry compass box costs ₹180.']],
    ['english', 'What does the pen cost?', ['Fountain pen with converter costs ₹450.']],
    ['english', 'How much is the easel and the calculator?', ['₹1,250', '₹1,150']],
    ['english', 'How much is the albumn?', ['Leather photo album costs ₹900.']],
    ['english', 'How much is the eazel?', ['₹1,250']],
    ['hindi', 'कैलकुलेटर का दाम?', ['₹1,150']],
    ['hindi', 'easel kitne ka hai?', ['₹1,250']],
    ['hindi', 'album aur easel kitne ke hain?', ['₹900', '₹1,250']],
    ['marathi', 'कॅल्क्युलेटर कितीला?', ['₹1,150']],
  ] as const)('%s: %s', (language, question, parts) => {
    const told = answer(language, question);
    for (const part of parts) expect(told).toContain(part);
    expect(told).not.toMatch(/not sure|पक्की|नक्की|do not know/u);
  });

  it.each([
    ['english', 'How much is the notebook?'],
    ['english', 'notebooks price'],
    ['hindi', 'नोटबुक कितने की?'],
  ] as const)('and all are told that share it: %s %s', (language, question) => {
    const told = answer(language, question);
    for (const price of ['₹60', '₹55']) expect(told).toContain(price);
    expect(told).not.toMatch(/not sure|पक्की|मिलाकर|together/u);
  });

  it('and not by who asks for what is left out', () =>
    expect(answer('english', 'How much is a set without the easel?')).not.toMatch(/^Wooden easel/u));

  it.each([
    'How much is a painting?',
    'How much is the converter?',
    'How much is the leather bag?',
    'How much is a wooden chair?',
  ])('and none is surely meant by what it is made of or goes with: %s', (question) =>
    expect(answer('english', question)).toMatch(/not sure|do not know/u),
  );
});
