import { aModelRequest, type Grounds } from '@parley/ports';
import { answerFrom } from '../answer';

const knowledge = `# The business
Name: Corner Works
Kind: Shop
Telephone: +912024001199

# Products and services
- Serum, 30 ml. Price: 300 INR. Available.
- Serum, 90 ml. Price: 750 INR. Available.
- Basmati rice. Price: 600 INR per bag of 5 kg. Available.
- Brown sugar, 500 g. Price: 45 INR. Available.
- Incense, pack of 12. Price: 60 INR. Available.
- Candles, pack of 50. Price: 200 INR. Available.
- Saffron tin. Price: 900 INR. Available.
- Canoe. Price: 400 INR per day. Available.
- Kayak. Price: 300 INR per day. Available.`;

function answer(question: string, language: Grounds['language'] = 'english'): string {
  const grounds: Grounds = { language, agentName: 'Maya', greeting: '', passages: [], knowledge, schedule: null };
  return answerFrom(aModelRequest({ messages: [{ role: 'user', text: question }], grounds }));
}

describe('prices per unit are set against each other by the sizes of the packages', () => {
  it.each([
    [
      'Is the 90 ml serum cheaper per ml than the 30 ml one?',
      'english',
      /^Yes\. It is Serum, 90 ml; .*₹8\.33 per ml.*₹10 per ml/u,
    ],
    ['Which serum is cheaper per ml?', 'english', /^It is Serum, 90 ml; the difference is ₹1\.67/u],
    ['90 ml serum प्रति ml 30 ml से सस्ता है क्या?', 'hindi', /Serum, 90 ml.*₹8\.33/u],
    [
      'Which is cheaper per kg, the basmati rice or the brown sugar?',
      'english',
      /^It is Brown sugar, 500 g; .*₹90 per.*₹120 per/u,
    ],
    ['Which is cheaper per piece, the incense or the candles?', 'english', /^It is Candles.*₹4 per.*₹5 per/u],
    ['Which is cheaper per day, the canoe or the kayak?', 'english', /^It is Kayak; the difference is ₹100/u],
    ['Which serum is cheaper?', 'english', /^It is Serum, 30 ml; the difference is ₹450/u],
  ] as const)('%s', (question, language, told) => expect(answer(question, language)).toMatch(told));

  it('and which is cheaper is not known where a size is not told', () => {
    const told = answer('Which is cheaper per gram, the saffron tin or the brown sugar?');
    expect(told).not.toMatch(/It is|difference/u);
    expect(told).toContain('[unknown]');
  });
});
