import { asker, type Business, honest, inDays, product, service, week } from './business';

const en = asker('english');
const hi = asker('hindi');
const mr = asker('marathi');
const hl = asker('hinglish');
const notHonest = { never: honest.split('|') };

const work = `Work,Making charge (percent),Ready in (days),Smallest weight (g)
Plain bangles,8,5,10
Temple necklace,18,25,40
Mangalsutra,12,7,6
Nose pin,15,3,1
Kolhapuri saaj,20,30,35
Toe rings in silver,10,2,5
`;

const guide = `# For our customers

## Purity
All our gold carries the hallmark of the Bureau of Indian Standards; we make 22 and 18 carat, never 14. Every piece can be tested on our machine while you wait, without charge.
Our silver is 92.5 percent pure.

## Old gold
We buy old gold at the day's rate less 2 percent when you take cash, and at the full rate when you exchange it for new. Bring the bill and your PAN card; without a bill we buy at most twenty grams.

## Savings plan
You pay in at least ₹1,000 every month for eleven months, and we add the twelfth instalment. Whoever stops earlier gets back what was paid, without the bonus. The plan can only be taken out in gold, not in cash.

## Repairs
Soldering a chain costs ₹150 and takes an hour. Making a ring larger costs ₹300 and takes two days; stones are re-set for ₹50 each. Polishing is free once a year for pieces bought here.

## Paying
Up to ₹1,99,000 may be paid in cash; above that by bank transfer, cheque or card. Card payments bear no surcharge.

## Orders
For things made to order half is paid in advance. An order can be cancelled until melting has begun, usually on the third day.

## Returning
Gold is exchanged within seven days with its tag; diamonds within fifteen. Silver is not exchanged.

## In the shop
Piercing of ears is done by Mrs Shobha Karekar on Wednesdays and Saturdays for ₹250, with a gold stud at its price. There is a play corner for children. Photographs of pieces may be taken only with our leave.
`;

/** A jeweller in Ratnagiri. */
export const jeweller: Business = {
  name: 'Karekar Jewellers',
  part: 'held-out',
  profile: {
    business_name: 'Karekar Jewellers',
    business_type: 'Jeweller',
    industry: 'Retail',
    company_description: 'Gold and silver made by four generations in Ratnagiri.',
    support_email: 'shop@karekar.example',
    support_phone: '+912352223300',
    office_address: 'Ram Ali, Ratnagiri 415612',
    working_hours: week(['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Saturday', 'Sunday'], '10:30 AM', '08:00 PM'),
    holidays: [
      { date: inDays(4), opens: '', closes: '', note: 'Family wedding' },
      { date: inDays(8), opens: '08:00 AM', closes: '11:00 PM', note: 'Akshaya Tritiya' },
    ],
    timezone: 'Asia/Kolkata',
  },
  products: [
    product('Silver anklets', 'Silver', 3400),
    product('Silver puja plate', 'Silver', 8200),
    product('Gold coin 1 g', 'Gold', 7450),
    product('Pearl string', 'Pearls', 2600),
    product('Diamond studs', 'Diamonds', 28500, false),
  ],
  services: [service('Valuation certificate', 30, 500), service('Rhodium polish', 90, 700)],
  faqs: [
    { Question: 'Do you make jewellery from a photo?', Answer: 'Yes, bring or send a photo; the drawing is free if you order.' },
    { Question: 'Do you lend money on gold?', Answer: 'No, we are not money lenders.' },
  ],
  documents: [
    { fileName: 'work.csv', text: work },
    { fileName: 'guide.md', text: guide },
  ],
  asked: [
    en('plain', 'What is the making charge on a mangalsutra?', ['12'], ['12']),
    en('price', 'How much are the silver anklets?', ['3400'], ['3,400|3400']),
    en('plain', 'How many days will a temple necklace take?', ['25'], ['25']),
    en('hours', 'Are you open on Fridays?', ['Friday'], ['closed|not open|no,'], notHonest),
    en('hours', 'When do you open in the morning?', ['10:30 AM'], ['10:30|half past ten']),
    en('exception', 'How long are you open on Akshaya Tritiya?', ['Akshaya'], ['11:00 PM|11 PM|eleven']),
    en('comparison', 'Which work has the highest making charge?', ['20'], ['Kolhapuri saaj']),
    en('comparison', 'What is ready earlier, a nose pin or plain bangles?', ['3', '5'], ['nose pin']),
    en('computing', 'How much would four one gram gold coins be?', ['7450'], ['29,800|29800']),
    en(
      'computing',
      'If I pay 2000 a month into the savings plan, how much have I paid in after eleven months?',
      ['eleven'],
      ['22,000|22000'],
    ),
    en('paraphrase', 'My ring has become too tight, what can you do?', ['ring larger'], ['₹300|larger']),
    en(
      'paraphrase',
      'I want to sell some ornaments of my mother, what do you give for them?',
      ['less 2 percent'],
      ['2 percent|full rate'],
    ),
    en('paraphrase', 'How can I be sure the gold is genuine?', ['hallmark'], ['hallmark|tested']),
    en('negation', 'Which carat do you not make?', ['never 14'], ['14']),
    en('unanswerable', 'Do you repair wrist watches?', []),
    hi('price', 'मोती की माला कितने की है?', ['2600'], ['2,600|2600']),
    hi('plain', 'क्या आप सोने पर कर्ज़ देते हैं?', ['not money lenders'], ['no,|not money|नहीं'], notHonest),
    hi('paraphrase', 'मेरी चेन टूट गई है, जोड़ने का क्या लगेगा?', ['₹150'], ['150']),
    hi('comparison', 'चाँदी की थाली और पायल में महँगा क्या है?', ['8200', '3400'], ['plate|थाली']),
    hi('follow-up', 'और हीरा?', ['fifteen'], ['fifteen|15|पंद्रह'], { before: ['सोना कितने दिन में बदल सकते हैं?'], never: ['28,500'] }),
    hi('unanswerable', 'आज सोने का भाव क्या है?', []),
    mr('plain', 'कान टोचायचे किती पैसे लागतात?', ['₹250'], ['250']),
    mr('price', 'चांदीच्या पूजेच्या ताटाची किंमत काय?', ['8200'], ['8,200|8200']),
    mr('paraphrase', 'दीड लाख रोख दिले तर चालतील का?', ['₹1,99,000'], ['1,99,000']),
    mr('negation', 'चांदी बदलून मिळत नाही का?', ['Silver is not exchanged'], ['not exchanged|नाही'], notHonest),
    mr('exception', 'घरच्या लग्नाच्या दिवशी दुकान चालू आहे का?', ['Family wedding'], ['बंद|closed'], notHonest),
    mr('unanswerable', 'तुमची पुण्यात शाखा आहे का?', []),
    hl('plain', 'photo dikhane par banaoge kya?', ['bring or send a photo'], ['yes|photo|haan']),
    hl('price', 'rhodium polish ka kitna lete ho?', ['700'], ['700']),
    hl('paraphrase', 'order cancel karna ho to kab tak kar sakte hai?', ['until melting'], ['melting|third day']),
  ],
};
