import { asker, type Business, honest, inDays, week } from './business';

const en = asker('english');
const hi = asker('hindi');
const mr = asker('marathi');
const hl = asker('hinglish');
const notHonest = { never: honest.split('|') };

const vans = `Vehicle,Load (kg),Helpers,Price within the city (INR),Price per km outside (INR)
Mini tempo,750,2,2800,22
Pickup,1500,3,4200,28
Container truck,4000,5,8500,45
Open truck,7000,6,11000,52
`;

const terms = `# How a move goes

## Survey
Before a move somebody comes to look at your things. The survey is free and takes half an hour; it can also be done by video call.

## Packing
We bring boxes, bubble wrap and tape. Packing material is included in the price, wooden crates cost ₹900 each.
Clothes may stay in their drawers. Gas cylinders, petrol and plants are not transported.

## Insurance
Goods are insured up to ₹1,00,000 without extra cost; above that insurance costs two percent of the value.
Damage must be reported within 48 hours, with photographs.

## Storage
Goods can be stored in our godown in Wadi for ₹1,500 a month. The godown is guarded day and night.

## Changing the date
The date can be changed once for free until three days before the move; after that ₹1,000 are charged.
Who cancels on the day itself loses the advance.

## Paying
A quarter is paid as advance, the rest after unloading. We take UPI, cards and bank transfer; no cheques.

## Crew
Our crew wears blue uniforms and carries identity cards. The head of the crew is Dilip Meshram. Tips are not expected.

## Lift and floors
Where there is no lift, ₹250 are charged for each floor.

## Pianos and safes
Pianos and safes need a week's notice and cost ₹3,500 each.
`;

/** Packers and movers in Nagpur; written after the engine was corrected, and asked once. */
export const movers: Business = {
  name: 'Sthalantar Movers',
  part: 'tuning',
  profile: {
    business_name: 'Sthalantar Movers',
    business_type: 'Packers and movers',
    industry: 'Transport',
    company_description: 'We move homes and offices in and from Nagpur.',
    support_email: 'move@sthalantar.example',
    support_phone: '+917122554410',
    office_address: '22 Amravati Road, Nagpur 440010',
    working_hours: week(['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'], '09:00 AM', '06:30 PM'),
    holidays: [
      { date: inDays(4), opens: '', closes: '', note: 'Guru Nanak Jayanti' },
      { date: inDays(7), opens: '09:00 AM', closes: '01:00 PM', note: 'Tyre change of all trucks' },
    ],
    timezone: 'Asia/Kolkata',
  },
  products: [
    { product_id: null, product_name: 'Cardboard box', category: 'Packing', price: 60, currency: 'INR', availability: true },
    {
      product_id: null,
      product_name: 'Roll of bubble wrap',
      category: 'Packing',
      price: 450,
      currency: 'INR',
      availability: true,
    },
    { product_id: null, product_name: 'Mattress cover', category: 'Packing', price: 180, currency: 'INR', availability: false },
  ],
  services: [
    {
      service_id: null,
      service_name: 'Assembling a cupboard',
      service_duration: 90,
      service_price: 700,
      currency: 'INR',
      booking_required: true,
    },
    {
      service_id: null,
      service_name: 'Fitting an air conditioner',
      service_duration: 120,
      service_price: 1600,
      currency: 'INR',
      booking_required: true,
    },
  ],
  faqs: [
    { Question: 'Do you move on Sundays?', Answer: 'Only offices, and only when it is agreed two weeks before.' },
    { Question: 'Can I travel in the truck?', Answer: 'No, only our crew may travel in it.' },
  ],
  documents: [
    { fileName: 'vehicles.csv', text: vans },
    { fileName: 'terms.md', text: terms },
  ],
  asked: [
    en('plain', 'How long does the survey take?', ['half an hour'], ['half an hour|30']),
    en('plain', 'Where is your godown?', ['Wadi'], ['Wadi']),
    en('plain', 'Within how many hours must damage be reported?', ['48 hours'], ['48']),
    en('plain', 'Who is the head of the crew?', ['Dilip Meshram'], ['Dilip']),
    en('price', 'What does the pickup cost within the city?', ['4200'], ['4,200'], { never: ['₹28'] }),
    en('price', 'How much is a wooden crate?', ['₹900'], ['900']),
    en('hours', 'When do you close on Friday?', ['06:30 PM'], ['6:30|half past six']),
    en('comparison', 'Which vehicle carries more, the pickup or the mini tempo?', ['1500', '750'], ['Pickup'], notHonest),
    en(
      'comparison',
      'Is the open truck dearer than the container truck?',
      ['11000', '8500'],
      ['yes|It is Open truck'],
      notHonest,
    ),
    en('computing', 'How much are ten cardboard boxes?', ['60'], ['600']),
    en('computing', 'We live on the third floor without a lift, what is charged for three floors?', ['₹250'], ['750']),
    en('computing', 'What would storing our things for four months cost?', ['₹1,500'], ['6,000']),
    en('paraphrase', 'My vase arrived in pieces, who pays?', ['insured up to'], ['insured|48 hours|Damage']),
    en('paraphrase', 'May I ride along with my furniture?', ['only our crew'], ['only our crew|crew may travel']),
    en('follow-up', 'And the mini tempo?', ['2800'], ['2,800'], { before: ['How much is the pickup within the city?'] }),
    en('follow-up', 'How many helpers come with it?', ['5'], ['5'], { before: ['What does the container truck cost?'] }),
    en('negation', 'What do you not transport?', ['not transported'], ['Gas cylinders']),
    en('trap', 'What time of day is the godown guarded?', ['day and night'], ['day and night'], { never: ['6:30', '06:30'] }),
    en('exception', 'Do you work on Guru Nanak Jayanti?', ['Guru Nanak Jayanti'], ['closed']),
    en('unanswerable', 'Do you move goods by train?', []),
    hi('price', 'मिनी टेंपो शहर के अंदर कितने का पड़ेगा?', ['2800'], ['2,800'], { never: ['₹22'] }),
    hi('plain', 'क्या पैकिंग का सामान दाम में शामिल है?', ['included in the price'], ['included|शामिल'], notHonest),
    hi('paraphrase', 'शादी टल गई, क्या तारीख आगे कर सकते हैं?', ['date can be changed'], ['changed|three days|1,000']),
    hi('hours', 'सोमवार को आप कितने बजे खुलते हैं?', ['09:00 AM'], ['9:00|9 बजे|नौ']),
    hi('computing', 'दो रोल बबल रैप के कितने पैसे होंगे?', ['450'], ['900']),
    hi('comparison', 'सबसे सस्ती गाड़ी कौन सी है?', ['2800'], ['Mini tempo']),
    hi('negation', 'क्या आप चेक नहीं लेते?', ['no cheques'], ['no cheques|नहीं'], notHonest),
    hi('unanswerable', 'क्या आप घर की पुताई करते हैं?', []),
    mr('price', 'एसी बसवायला किती पैसे लागतात?', ['1600'], ['1,600']),
    mr('plain', 'आगाऊ किती रक्कम द्यावी लागते?', ['A quarter'], ['quarter|पाव|चौथा']),
    mr('hours', 'रविवारी ऑफिस चालू असते का?', ['Sunday'], ['बंद|closed|Only offices']),
    mr('paraphrase', 'पियानो हलवायचा असेल तर किती आधी सांगायचे?', ["a week's notice"], ['week|आठवड']),
    mr('comparison', 'ओपन ट्रक आणि कंटेनर ट्रक यांच्या किमतीत किती फरक आहे?', ['11000', '8500'], ['2,500']),
    mr('follow-up', 'त्यात किती माणसे येतात?', ['6'], ['6'], { before: ['ओपन ट्रकची किंमत किती आहे?'] }),
    mr('computing', 'तीन लाकडी पेट्यांचे किती होतील?', ['₹900'], ['2,700']),
    mr('unanswerable', 'तुम्ही परदेशात सामान पाठवता का?', []),
    hl('price', 'cupboard assemble karne ka kitna lagega?', ['700'], ['700']),
    hl('plain', 'survey ka paisa lagta hai kya?', ['survey is free'], ['free|muft']),
    hl('hours', 'saturday ko kitne baje tak khule ho?', ['06:30 PM'], ['6:30']),
    hl('paraphrase', 'saaman kuch mahine rakh sakte ho kya?', ['stored in our godown'], ['1,500|godown|stored']),
  ],
};
