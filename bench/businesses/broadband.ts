import { asker, type Business, honest, inDays, product, service, week } from './business';

const en = asker('english');
const hi = asker('hindi');
const mr = asker('marathi');
const hl = asker('hinglish');
const notHonest = { never: honest.split('|') };

const plans = `Plan,Speed (Mbps),Price per month (INR),Price per year (INR),TV channels,Free router
Starter,40,449,4790,none,no
Family,100,699,7490,150,no
Plus,200,999,10690,250,yes
Studio,500,1699,18290,300,yes
Office,300,2499,26990,none,yes
`;

const notes = `# Good to know

## Getting connected
A new line is laid within three working days after the survey. Laying the fibre costs ₹500 up to fifty metres and ₹8 for each metre more.
You need a copy of an identity card and of the electricity bill; tenants also bring a letter from the owner.

## Faults
Complaints before 4 PM are attended to the same day. If the line stays dead for more than forty-eight hours, a week's charge is credited.
First switch the router off for thirty seconds and on again. A red light on the box means that the fibre is broken; then only our engineer can help.
Broken routers are exchanged free in the first year; after that a new one has to be bought.

## Moving and pausing
You can take your line to another flat for ₹350. You may suspend your connection for up to three months in a year; that costs ₹50 a month.
To leave us, write an email one month before. Nothing is charged for leaving after the first six months; before that it is ₹1,000.

## Using it
There is no data limit on any plan. At night from 12 to 6 the speed doubles on Family and Plus. A fixed IP address costs ₹200 a month and is included in Office.

## Paying
Bills come on the 1st and are due on the 10th; after that ₹50 are added. Pay by UPI, card or at the counter. Paying a year at once gives you one month and a little more for nothing.

## People
Complaints that were not solved go to our nodal officer, Ms Revati Kulkarni.
`;

/** A provider of broadband in Satara. */
export const broadband: Business = {
  name: 'Sahyadri Fibernet',
  part: 'tuning',
  profile: {
    business_name: 'Sahyadri Fibernet',
    business_type: 'Internet service provider',
    industry: 'Telecommunications',
    company_description: 'Fibre internet for homes and offices in Satara and Karad.',
    support_email: 'care@sahyadrifiber.example',
    support_phone: '+912162234500',
    office_address: 'Radhika Road, near Powai Naka, Satara 415001',
    working_hours: week(['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'], '10:00 AM', '06:30 PM'),
    holidays: [
      { date: inDays(5), opens: '', closes: '', note: 'Republic Day' },
      { date: inDays(12), opens: '10:00 AM', closes: '03:00 PM', note: 'Annual audit' },
    ],
    timezone: 'Asia/Kolkata',
  },
  products: [
    product('Dual band router', 'Equipment', 1850),
    product('Wifi extender', 'Equipment', 1400),
    product('TV set-top box', 'Equipment', 1299),
    product('UPS for router', 'Equipment', 1100, false),
    product('Network cable 10 m', 'Accessories', 180),
  ],
  services: [service('Engineer visit for indoor wiring', 60, 300)],
  faqs: [
    {
      Question: 'Can I change my plan in the middle of the month?',
      Answer: 'Upgrades start at once; downgrades start with the next bill.',
    },
    { Question: 'Is Karad covered?', Answer: 'Yes, except Malkapur, where we come in spring.' },
  ],
  documents: [
    { fileName: 'plans.csv', text: plans },
    { fileName: 'notes.md', text: notes },
  ],
  asked: [
    en('price', 'How much is the Plus plan a month?', ['999'], ['999'], { never: ['10,690'] }),
    en('plain', 'What speed do I get with Studio?', ['500'], ['500'], { never: ['1,699'] }),
    en('plain', 'Which papers do I have to bring for a new connection?', ['identity card'], ['identity|electricity']),
    en('price', 'what would the family plan cost for a whole year', ['7490'], ['7,490|7490'], { never: ['₹699 '] }),
    en('hours', 'Can I visit your office at 7 in the evening?', ['06:30 PM'], ['6:30|half past six|closed|no,']),
    en('exception', 'Are you open on Republic Day?', ['Republic Day'], ['closed|not open|no,'], notHonest),
    en('comparison', 'Which has more TV channels, Plus or Studio?', ['250', '300'], ['Studio']),
    en('comparison', 'Which is your fastest plan?', ['500'], ['Studio']),
    en('computing', 'If I take Starter for six months, how much do I pay?', ['449'], ['2,694|2694']),
    en('computing', 'My house is seventy metres away, what will the fibre cost me?', ['₹8'], ['660|₹8']),
    en(
      'paraphrase',
      'We are going abroad for eight weeks, can we stop paying meanwhile?',
      ['₹50 a month'],
      ['three months|suspend|₹50'],
    ),
    en('paraphrase', 'My box is showing a red lamp and nothing works', ['fibre is broken'], ['fibre|engineer']),
    en('paraphrase', 'We are shifting house next week, what about the internet?', ['₹350'], ['350']),
    en('follow-up', 'Does it come with a router?', ['yes'], ['yes'], {
      before: ['How much is the Office plan?'],
      never: ['2,499'],
    }),
    en('unanswerable', 'Do you sell mobile SIM cards?', []),
    hi('price', 'स्टार्टर प्लान महीने का कितने का है?', ['449'], ['449']),
    hi('plain', 'फिक्स्ड आईपी का कितना लगता है?', ['₹200'], ['200']),
    hi('paraphrase', 'बिल देर से भरा तो जुर्माना लगेगा क्या?', ['₹50 are added'], ['50']),
    hi('negation', 'क्या डेटा की कोई लिमिट नहीं है?', ['no data limit'], ['no data limit|नहीं|no limit'], notHonest),
    hi('comparison', 'राउटर और वाईफाई एक्सटेंडर में सस्ता कौन सा है?', ['1400'], ['extender|एक्सटेंडर']),
    hi('unanswerable', 'क्या आप सीसीटीवी कैमरे लगाते हैं?', []),
    mr('plain', 'नवीन कनेक्शन किती दिवसात मिळतं?', ['three working days'], ['three|3|तीन']),
    mr('price', 'सेट टॉप बॉक्सची किंमत सांगा', ['1299'], ['1,299|1299']),
    mr('paraphrase', 'मला तुमची सेवा बंद करायची आहे, काय करावं लागेल?', ['one month before'], ['email|one month']),
    mr('hours', 'शनिवारी ऑफिस कधी बंद होतं?', ['06:30 PM'], ['6:30|साडेसहा']),
    mr('computing', 'तीन नेटवर्क केबल घेतल्या तर किती?', ['180'], ['540']),
    mr('follow-up', 'आणि फॅमिलीचा?', ['100'], ['100'], { before: ['प्लस प्लॅनचा स्पीड किती आहे?'], never: ['699'] }),
    hl('plain', 'plan beech mahine me badal sakte hai kya?', ['Upgrades start at once'], ['upgrades|at once']),
    hl('price', 'wifi extender kitne ka milega?', ['1400'], ['1,400|1400']),
    hl('hours', 'sunday ko office khula rehta hai?', ['Sunday'], ['closed|band|बंद'], notHonest),
  ],
};
