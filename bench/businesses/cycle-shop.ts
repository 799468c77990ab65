import { asker, type Business, dateIn, honest, inDays, product, service, week } from './business';

const en = asker('english');
const hi = asker('hindi');
const mr = asker('marathi');
const hl = asker('hinglish');
const notHonest = { never: honest.split('|') };

const rentals = `Cycle,Gears,Frame size (inch),Price per hour (INR),Price per day (INR),Deposit (INR),Cycles in stock
City single,none,18,40,220,500,14
Hybrid,21,17,70,380,1500,9
Mountain,27,19,90,520,2500,6
Tandem,7,20,120,650,3000,2
Kids 20 inch,none,12,30,150,500,8
`;

const notes = `# How we work

## Repairs
Punctures are mended while you wait. A full service takes two days; in the rains it takes four. We keep a repaired cycle for ten days without charge, then it is ₹15 a day.
Work on electric cycles is done on Wednesdays only, when our electrician Salim Qureshi is here.
We do not weld carbon frames; aluminium and steel are welded.

## Hiring
Bring a photo identity card; a copy stays with us until the cycle is back. Riders below fourteen need a parent who signs.
A cycle that comes back more than half an hour late is charged another hour. A lost key costs ₹100, a lost lock ₹350.
Helmets are lent with every hired cycle at no charge, child seats for ₹60 a day.
Groups of eight and more get 15 percent off the hire.

## Buying
New cycles have a warranty of two years on the frame and six months on moving parts. Tyres are not covered.
We take old cycles in part exchange: between ₹300 and ₹1,500, as our mechanic judges.
Cycles are delivered within Mysuru for ₹200; beyond the ring road we do not deliver.
Card payments from ₹500. EMI is possible from ₹10,000 with HDFC cards only.
`;

/** A shop that sells, repairs and hires out bicycles. */
export const cycleShop: Business = {
  name: 'Chamundi Cycles',
  part: 'tuning',
  profile: {
    business_name: 'Chamundi Cycles',
    business_type: 'Cycle shop',
    industry: 'Retail',
    company_description: 'Cycles sold, repaired and hired out in Mysuru since 1986, run by the sisters Asha and Usha Gowda.',
    support_email: 'ride@chamundicycles.example',
    support_phone: '+918212455301',
    office_address: '9 Sayyaji Rao Road, opposite the clock tower, Mysuru 570001',
    working_hours: [
      ...week(['Monday', 'Tuesday', 'Wednesday', 'Friday', 'Saturday'], '09:00 AM', '08:00 PM').filter(
        ({ day }) => day !== 'Sunday',
      ),
      { day: 'Sunday', is_open: true, open_time: '07:00 AM', close_time: '12:00 PM' },
    ],
    holidays: [
      { date: inDays(6), opens: '', closes: '', note: 'Dasara procession' },
      { date: inDays(9), opens: '09:00 AM', closes: '01:00 PM', note: 'Cycle rally' },
    ],
    timezone: 'Asia/Kolkata',
  },
  products: [
    product('Roadster cycle', 'Cycles', 7200),
    product('Hybrid cycle, 21 gears', 'Cycles', 16800),
    product('Kids cycle 16 inch', 'Cycles', 4900, false),
    product('Helmet', 'Accessories', 950),
    product('Number lock', 'Accessories', 420),
    product('Tube 26 inch', 'Parts', 180),
    product('Tyre 26 inch', 'Parts', 560),
  ],
  services: [
    service('Puncture repair', 15, 60),
    service('Full service', 120, 650),
    service('Wheel truing', 30, 150),
    service('Brake adjustment', 20, 90),
  ],
  faqs: [
    {
      Question: 'Can I return a cycle that I bought?',
      Answer: 'Within seven days if it has not been ridden; the money goes back to your account in five days.',
    },
    { Question: 'Do you fit the parts that I buy?', Answer: 'Yes, parts bought here are fitted free, others for ₹50 each.' },
    {
      Question: 'Do you have cycles for people who have never ridden?',
      Answer: 'On Sundays from 7 to 9 AM we teach adults on the ground behind the shop, ₹300 a lesson.',
    },
    { Question: 'How many cycles can we hire at once?', Answer: 'Up to twenty, if you tell us two days ahead.' },
  ],
  documents: [
    { fileName: 'hire.csv', text: rentals },
    { fileName: 'notes.md', text: notes },
  ],
  asked: [
    en('plain', 'How long is the warranty on the frame?', ['two years'], ['two years|2 years']),
    en('plain', 'Who repairs electric cycles?', ['Salim Qureshi'], ['Salim']),
    en('plain', 'How many gears has the mountain bike that you hire out?', ['27'], ['27']),
    en('price', 'What does the tandem cost for a day?', ['650'], ['650'], { never: ['₹120 per hour'] }),
    en('price', 'How much is a hybrid by the hour?', ['70'], ['₹70'], { never: ['16,800'] }),
    en('price', 'What is the price of a new hybrid?', ['16800'], ['16,800'], { never: ['₹380'] }),
    en('price', 'How much deposit do I leave for a mountain cycle?', ['2500'], ['2,500'], { never: ['₹520'] }),
    en('price', 'What do you charge to deliver a cycle to Bengaluru?', ['we do not deliver'], ['do not deliver|' + honest]),
    en('price', 'How much is a helmet if I hire a cycle?', ['no charge'], ['no charge|free|' + honest]),
    en('price', 'What do you charge for fitting a tyre that I bought elsewhere?', ['₹50 each'], ['₹50']),
    en('comparison', 'Which of your hire cycles has the smallest frame?', ['12'], ['Kids']),
    en('comparison', 'Which takes longer, a full service or truing a wheel?', ['120'], ['Full service|120']),
    en('comparison', 'Is the tandem dearer per hour than the mountain bike?', ['120', '90'], ['yes|tandem|120']),
    en('comparison', 'Of which cycle do you have the most?', ['14'], ['City']),
    en('comparison', 'Which deposit is higher, hybrid or tandem?', ['1500', '3000'], ['tandem']),
    en('comparison', 'What is the difference between a day and an hour on the hybrid?', ['380', '70'], ['310|₹70|380']),
    en('computing', 'Two hybrids and one tandem for a day, what do we pay?', ['380', '650'], ['1,410']),
    en(
      'computing',
      'We are ten and want city cycles for a day. What will it be with the group discount?',
      ['15 percent'],
      ['1,870|15 percent'],
    ),
    en(
      'computing',
      'My repaired cycle stayed with you for fourteen days. What do I owe for keeping it?',
      ['₹15 a day'],
      ['₹60|₹15 a day'],
    ),
    en('computing', 'How much are three tubes and two tyres?', ['180', '560'], ['1,660']),
    en('computing', 'A child seat for four days?', ['₹60 a day'], ['240']),
    en('paraphrase', 'My ten year old wants to ride one of yours, is that possible?', ['below fourteen'], ['parent|fourteen']),
    en('paraphrase', 'I bought the wrong size, will you take it back?', ['Within seven days'], ['seven days']),
    en('paraphrase', 'I cannot find the key of the cycle I hired', ['₹100'], ['100']),
    en('paraphrase', 'Could I pay for the bike in monthly parts?', ['EMI'], ['EMI|10,000']),
    en('paraphrase', 'Is there somebody who could show me how to cycle? I am forty.', ['₹300 a lesson'], ['teach|300']),
    en('paraphrase', 'What do you give me for my rusty old bicycle?', ['part exchange'], ['300|1,500|exchange']),
    en('follow-up', 'And on moving parts?', ['six months'], ['six months|6 months'], {
      before: ['How long is the warranty on the frame?'],
    }),
    en('follow-up', 'What about carbon?', ['do not weld carbon'], ['not weld|carbon'], {
      before: ['Do you weld aluminium frames?'],
    }),
    en('follow-up', 'Is he there on Fridays?', ['Wednesdays only'], ['Wednesday'], { before: ['Who repairs electric cycles?'] }),
    en('follow-up', 'And the lock?', ['₹350'], ['350'], { before: ['What does a lost key cost?'], never: ['₹420'] }),
    en('follow-up', 'How long does it take in the rains?', ['four'], ['four|4'], {
      before: ['How long does a full service take?'],
    }),
    en('follow-up', 'And the deposit?', ['3000'], ['3,000'], { before: ['How much is the tandem for a day?'] }),
    en('negation', 'What is not covered by the warranty?', ['Tyres are not covered'], ['Tyre']),
    en('negation', 'Which frames can you not weld?', ['carbon'], ['carbon']),
    en('negation', 'Which day are you closed?', ['Thursday'], ['Thursday']),
    en('trap', 'When is the clock tower open?', [], [honest]),
    en('trap', 'How much is the bus to Bengaluru?', [], [honest]),
    en('trap', 'Is the ring road open on Sunday?', [], [honest], { notLed: ['Yes', 'On Sunday'] }),
    en('unanswerable', 'Do you sell electric scooters?', []),
    en('unanswerable', 'What does the roadster weigh?', []),
    en('unanswerable', 'Do you paint frames in another colour?', []),
    en('unanswerable', 'How old is Usha Gowda?', []),
    en('unanswerable', 'Does the hybrid have disc brakes?', []),
    en('hours', 'Until when can I come on Sunday?', ['12:00 PM'], ['12|noon|twelve']),
    en('exception', `Are you open on ${dateIn(6)}?`, ['Dasara'], ['closed|not open|no,'], notHonest),
    hi('price', 'टैंडेम का एक घंटे का कितना लगता है?', ['120'], ['120'], { never: ['650'] }),
    hi('plain', 'किराये पर लेने के लिए क्या लाना पड़ेगा?', ['photo identity card'], ['identity|पहचान']),
    hi('computing', 'पाँच पंक्चर के कितने होंगे?', ['60'], ['300']),
    hi('comparison', 'हेलमेट और नंबर लॉक में कौन महँगा है?', ['950', '420'], ['हेलमेट|Helmet']),
    hi('unanswerable', 'क्या आप मोटरसाइकिल ठीक करते हैं?', []),
    hi('follow-up', 'और टायर की?', ['Tyres are not covered'], ['not covered|नहीं|560'], { before: ['फ्रेम की वारंटी कितनी है?'] }),
    mr('price', 'हायब्रिड सायकल एका दिवसाला किती भाडे?', ['380'], ['380'], { never: ['70'] }),
    mr('plain', 'जुनी सायकल घेता का?', ['part exchange'], ['exchange|300']),
    mr('computing', 'तीन टायर घेतले तर किती?', ['560'], ['1,680']),
    mr('unanswerable', 'तुमच्याकडे गाडी धुऊन मिळते का?', []),
    mr('hours', 'गुरुवारी दुकान उघडे असते का?', ['Thursday'], ['बंद|closed'], notHonest),
    hl('price', 'full service kitne ki hai?', ['650'], ['650']),
    hl('plain', 'helmet kiraye ki cycle ke saath milta hai kya?', ['no charge'], ['no charge|free|milta|Helmets are lent']),
    hl('negation', 'kya card se 300 ka payment nahi hoga?', ['from ₹500'], ['500']),
    hl('unanswerable', 'kya aap cycle par insurance dete ho?', []),
  ],
};
