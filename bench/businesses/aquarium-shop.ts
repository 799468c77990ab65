import { asker, type Business, honest, inDays, product, service, week, dateIn } from './business';

const en = asker('english');
const hi = asker('hindi');
const mr = asker('marathi');
const hl = asker('hinglish');

const care = `topic,rule
Water,"Change a quarter of the water every week; never all of it at once"
Transport,"Fish travel in bags with oxygen for up to six hours; longer trips need a box"
Returns,"A fish that dies within three days is replaced; the bag must be shown"
`;

/** A shop for fish and tanks in Nagpur, written to test opposite questions, other subjects and dates. */
export const aquariumShop: Business = {
  name: 'Neelkanth Aquarium',
  part: 'tuning',
  profile: {
    business_name: 'Neelkanth Aquarium',
    business_type: 'Aquarium shop',
    industry: 'Retail',
    company_description: 'Fish, plants and tanks in Sitabuldi since 1991, owned by Prakash Raut.',
    support_email: 'fish@neelkanth.example',
    support_phone: '+917122550931',
    office_address: '8 Temple Road, Sitabuldi, Nagpur 440012',
    working_hours: week(['Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'], '10:00 AM', '08:00 PM'),
    holidays: [
      { date: inDays(5), opens: '', closes: '', note: 'Stock taking' },
      { date: inDays(9), opens: '10:00 AM', closes: '02:00 PM', note: 'Founders Day' },
    ],
    timezone: 'Asia/Kolkata',
  },
  products: [
    product('Glass tank 60 litres', 'Tanks', 3400),
    product('Goldfish', 'Fish', 90),
    product('Betta', 'Fish', 220),
    product('Internal filter', 'Equipment', 780),
  ],
  services: [service('Tank cleaning at home', 75, 600), service('Setting up a tank', 120, 1500)],
  faqs: [
    { Question: 'Must I switch the filter off at night?', Answer: 'No, it has to run day and night.' },
    { Question: 'Is the water conditioner safe for shrimps?', Answer: 'Yes, at half the dose.' },
    { Question: 'May children feed the fish in the shop?', Answer: 'Yes, with the food from the counter only.' },
    { Question: 'Do I have to let a new tank stand before fish go in?', Answer: 'Yes, for two weeks with the filter on.' },
    { Question: 'Is it allowed to bring dogs into the shop?', Answer: 'No, they frighten the fish.' },
    { Question: 'Can a betta live together with other fish?', Answer: 'No, it attacks them; keep it alone.' },
    { Question: 'How do I get to you?', Answer: 'Take the metro to Sitabuldi; we are opposite the temple.' },
  ],
  documents: [{ fileName: 'care.csv', text: care }],
  asked: [
    en('opposite', 'Can I leave the filter running at night?', ['run day and night'], ['day and night'], { notLed: ['no'] }),
    en('opposite', 'May the filter stay on overnight?', ['run day and night'], ['day and night'], { notLed: ['no'] }),
    en('opposite', 'Is the water conditioner dangerous for shrimps?', ['half the dose'], ['half the dose'], { notLed: ['yes'] }),
    en('opposite', 'Is the conditioner unsafe for my shrimps?', ['half the dose'], ['half the dose'], { notLed: ['yes'] }),
    en('opposite', 'Is it forbidden for children to feed the fish?', ['counter only'], ['counter'], { notLed: ['yes'] }),
    en('opposite', 'Can I put fish into a new tank at once?', ['two weeks'], ['two weeks'], { notLed: ['yes'] }),
    en('opposite', 'Can I skip the waiting with a new tank?', ['two weeks'], ['two weeks|not know|not sure'], {
      notLed: ['yes'],
    }),
    en('opposite', 'Are dogs banned from the shop?', ['frighten'], ['frighten'], { notLed: ['no'] }),
    en('opposite', 'Does a betta have to be kept alone?', ['attacks them'], ['alone'], { notLed: ['no'] }),
    en('opposite', 'Must dogs stay outside?', ['frighten'], ['frighten|not know|not sure'], { notLed: ['no'] }),
    en('plain', 'May children feed the fish in your shop?', ['counter only'], ['yes', 'counter']),
    en('plain', 'Do I have to let a new tank stand before the fish go in?', ['two weeks'], ['yes', 'two weeks']),
    en('plain', 'Is the water conditioner safe for shrimps?', ['half the dose'], ['yes', 'half the dose']),
    en('trap', 'Is the bank open on Founders Day?', [], [honest], { never: ['we are open', 'we are closed'] }),
    en('trap', `Is the metro running on ${dateIn(5)}?`, [], [honest], { never: ['we are open', 'we are closed'] }),
    en('trap', 'Is the temple open tomorrow?', [], [honest], { never: ['we are open', 'we are closed'] }),
    en('trap', 'Is the post office closed on Mondays?', [], [honest], { never: ['we are open', 'we are closed'] }),
    en('trap', 'When does the school open?', [], [honest], { never: ['we are open', 'we are closed'] }),
    en('exception', 'Do you have any holidays?', ['Stock taking'], ['Stock taking', 'Founders Day']),
    en('exception', 'Which holidays are coming up?', ['Stock taking'], ['Stock taking', 'Founders Day']),
    en('exception', 'Are you open at 4 pm on Founders Day?', ['Founders Day'], ['no', '2:00|2 pm'], { notLed: ['yes'] }),
    en('exception', 'Can I come to the shop at 11 am on Founders Day?', ['Founders Day'], ['yes', '2:00|2 pm'], {
      notLed: ['no'],
    }),
    en('hours', 'Are you open on Monday?', ['Monday'], ['closed on Monday|Mondays we are closed']),
    en('unanswerable', 'Do you have a car park?', []),
    en('unanswerable', 'Do you have an app?', []),
    en('unanswerable', 'Is there a toilet?', []),
    en('unanswerable', 'Do you need a security guard?', []),
    en('plain', 'How much of the water should I change, and how often?', ['a quarter of the water'], ['quarter'], {
      never: ['topic:', 'rule:'],
    }),
    en('plain', 'What happens if a fish dies on the second day?', ['within three days'], ['replaced'], {
      never: ['topic:', 'rule:'],
    }),
    hi('opposite', 'क्या रात को फ़िल्टर चालू रख सकते हैं?', ['run day and night'], ['day and night'], { notLed: ['नहीं', 'no'] }),
    hi('hours', 'रविवार को कितने बजे तक खुले हो?', ['8:00|08:00'], ['रात 8 बजे']),
    hi('trap', 'क्या स्टॉक टेकिंग के दिन बैंक खुला है?', [], [honest], { never: ['हम बंद', 'खुले हैं'] }),
    hi('exception', 'कौन सी छुट्टियाँ हैं?', ['Stock taking'], ['Stock taking', 'Founders Day']),
    mr('hours', 'शनिवारी किती वाजता उघडता?', ['10:00'], ['सकाळी 10']),
    mr('trap', 'उद्या शाळा उघडी आहे का?', [], [honest], { never: ['आम्ही बंद', 'उघडे आ', 'उघडे अस'] }),
    mr('opposite', 'दुकानात कुत्रे आणायला बंदी आहे का?', ['frighten'], ['frighten|माहिती'], { notLed: ['नाही', 'no'] }),
    hl('hours', 'Shukravar ko kab tak khula rehta hai?', ['8:00|08:00'], ['raat 8 baje']),
    hl('trap', 'kya kal bank khula hai?', [], [honest], { never: ['hum band', 'khule hain', 'amhi band', 'ughde as'] }),
  ],
};
