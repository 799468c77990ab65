import { aModelRequest, type Grounds } from '@parley/ports';
import { answerFrom } from '../answer';

const knowledge = `# The business
Name: Clear Panes
Kind: Shop for cleaning things
Telephone: +912024007788

# Products and services
- Glass polish, 100 ml. Price: 90 INR. Available.
- Glass polish, 500 ml. Price: 310 INR. Available.
- Floor soap, 1 kg. Price: 220 INR. Available.
- Floor soap, 250 g. Price: 70 INR. Available.
- Bucket. Price: 150 INR. Available.
- धूपबत्ती, 50 ग्राम. Price: 40 INR. Available.
- धूपबत्ती, 200 ग्राम. Price: 130 INR. Available.
- उटणे, 100 ग्रॅम. Price: 60 INR. Available.
- उटणे, 1 किलो. Price: 480 INR. Available.`;

function answer(question: string, language: Grounds['language'] = 'english'): string {
  const grounds: Grounds = { language, agentName: 'Maya', greeting: '', passages: [], knowledge, schedule: null };
  return answerFrom(aModelRequest({ messages: [{ role: 'user', text: question }], grounds }));
}

describe('of a thing in several amounts the small one is the least and the large one the most', () => {
  it.each([
    ['How much is the small glass polish?', 'english', '₹90', '₹310'],
    ['What does the large glass polish cost?', 'english', '₹310', '₹90'],
    ['What do two small glass polishes and one large one cost together?', 'english', '₹490', '₹620'],
    ['How much are two small glass polishes and a large one?', 'english', '₹490', '₹620'],
    ['What do one large glass polish and two buckets cost together?', 'english', '₹610', '₹90'],
    ['दो छोटी धूपबत्ती और एक बड़ी मिलाकर कितने की?', 'hindi', '₹210', '₹260'],
    ['बड़ी धूपबत्ती कितने की है?', 'hindi', '₹130', '₹40'],
    ['do chhoti dhoopbatti aur ek badi milakar kitne ki?', 'hindi', '₹210', '₹260'],
    ['लहान उटणे किती रुपये?', 'marathi', '₹60', '₹480'],
    ['दोन लहान उटणे आणि एक मोठे मिळून किती?', 'marathi', '₹600', '₹960'],
  ] as const)('%s', (question, language, told, untold) => {
    const said = answer(question, language);
    expect(said).toContain(told);
    expect(said).not.toContain(untold);
    expect(said).not.toContain('[unknown]');
  });
});

describe('a quantity of a thing in several amounts is of the one of that amount', () => {
  it.each([
    ['How much are 2 kg of floor soap?', 'english', '₹440'],
    ['What do three kilos of floor soap cost?', 'english', '₹660'],
    ['दोन किलो उटणे किती?', 'marathi', '₹960'],
    ['do kilo utane kitne ka?', 'hindi', '₹960'],
  ] as const)('%s', (question, language, told) => {
    const said = answer(question, language);
    expect(said).toContain(told);
    expect(said).not.toContain('[unknown]');
  });
});
