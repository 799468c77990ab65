import { asker, type Business, inDays, week } from './business';

const en = asker('english');
const hi = asker('hindi');
const mr = asker('marathi');
const hl = asker('hinglish');

const towers = ['Aster', 'Banyan', 'Cedar'];
const kinds: readonly [kind: string, carpet: number, lakh: number][] = [
  ['1 BHK', 432, 46],
  ['2 BHK', 668, 71],
  ['2 BHK corner', 702, 76],
  ['3 BHK', 915, 104],
];

/** Flats in three towers with fourteen floors and four flats per floor, one row each; some are sold. */
const flats = [
  'Tower,Floor,Flat,Type,Carpet area (sq ft),Price (₹ lakh),Status',
  ...towers.flatMap((tower, t) =>
    Array.from({ length: 14 }, (_, f) => f + 1).flatMap((floor) =>
      kinds.map(([kind, carpet, lakh], k) => {
        const status = (t * 5 + floor * 3 + k * 2) % 7 === 0 ? 'sold' : 'available';
        const price = (lakh + floor * 0.4 + t * 1.5).toFixed(1);
        return `${tower},${floor},${tower.charAt(0)}-${floor * 100 + k + 1},${kind},${carpet},${price},${status}`;
      }),
    ),
  ),
].join('\n');

const brochure = `# Vanraj Heights, Wakad

## The site
Vanraj Heights stands on 4.2 acres in Wakad, 900 metres from the Mumbai–Bangalore highway. The MahaRERA number is P52100047712.
Possession of Aster is promised for June 2027, of Banyan for December 2027 and of Cedar for March 2028.

## What a flat has
Floors are of vitrified tiles, kitchens have a granite platform and a gas pipeline, bathrooms have solar hot water in the morning.
One car park goes with a 2 BHK, two with a 3 BHK. A second car park for a 2 BHK costs ₹3.5 lakh.

## Amenities
There are a swimming pool of 25 metres, a gymnasium, a crèche, a walking track of 400 metres and a hall for 150 guests.
The swimming pool is open from 6 AM to 9 AM and from 5 PM to 8 PM and is closed on Tuesdays.
Dogs are welcome on a leash.

## Paying
Ten percent is paid at booking, the agreement is made within thirty days, and the rest follows the progress of the building in nine steps.
Stamp duty of 7 percent, registration of ₹30,000 and GST of 5 percent come on top of the price.
SBI, HDFC and Axis Bank have approved the project for home loans up to 80 percent.

## Cancelling
Before the agreement ₹50,000 is kept; after it 10 percent of the flat's price.

## Upkeep
The upkeep is ₹4.5 per square foot a month, paid two years ahead at possession.

## Visiting the site
The sample flat is on the second floor of Aster. A car fetches visitors from Hinjawadi metro station free of charge when they call a day before.
The sales manager is Neha Bhosale, 90110 45678.
`;

/** A housing developer near Pune whose list of flats is too long for a prompt. */
export const housingDeveloper: Business = {
  name: 'Vanraj Developers',
  part: 'tuning',
  profile: {
    business_name: 'Vanraj Developers',
    business_type: 'Housing developer',
    industry: 'Real estate',
    company_description: 'Builders of homes in Pune since 1988; eleven projects handed over.',
    support_email: 'homes@vanraj.example',
    support_phone: '+912067890123',
    office_address: 'Survey 61, Wakad, Pune 411057',
    working_hours: week(['Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'], '10:00 AM', '07:00 PM'),
    holidays: [{ date: inDays(5), opens: '', closes: '', note: 'Company outing' }],
    timezone: 'Asia/Kolkata',
  },
  products: [],
  services: [
    {
      service_id: null,
      service_name: 'Site visit',
      service_duration: 60,
      service_price: 0,
      service_price_range: 'free of charge',
      currency: 'INR',
      booking_required: true,
    },
  ],
  faqs: [
    {
      Question: 'Do you take NRI buyers?',
      Answer: 'Yes; payments must come from an NRE or NRO account, and a power of attorney may sign.',
    },
    {
      Question: 'Is the price negotiable?',
      Answer: 'The list price is final; whoever pays 40 percent at booking gets 2 percent off.',
    },
  ],
  documents: [
    { fileName: 'flats.csv', text: flats },
    { fileName: 'brochure.md', text: brochure },
  ],
  asked: [
    en('plain', 'What does flat B-702 cost?', ['75.3'], ['75.3']),
    en('plain', 'What is the carpet area of a 3 BHK?', ['915']),
    en('plain', 'When will Banyan be ready?', ['December 2027']),
    en('plain', 'What is your RERA number?', ['P52100047712']),
    en('paraphrase', 'I change my mind a week after booking, what do you keep?', ['₹50,000'], ['50,000']),
    en('paraphrase', 'May I bring my puppy when I move in?', ['leash'], ['welcome|yes|leash']),
    en('paraphrase', 'What comes on top for the government?', ['Stamp duty of 7 percent'], ['7']),
    en('paraphrase', 'Which banks would lend me the money?', ['SBI, HDFC and Axis'], ['SBI']),
    en('hours', 'What are your office hours?', ['10:00 AM', '07:00 PM|7:00 PM'], ['10:00|ten']),
    en('exception', 'Will the office be open on the company outing?', ['Company outing'], ['closed|no'], { never: ['07:00 PM'] }),
    en('trap', 'When is the swimming pool open?', ['6 AM to 9 AM'], ['6 AM'], { never: ['10:00 AM'] }),
    en('trap', 'On which day is the pool closed?', ['closed on Tuesdays'], ['Tuesday'], { never: ['Monday: closed'] }),
    en('trap', 'What does a second car park cost?', ['₹3.5 lakh'], ['3.5']),
    en('unanswerable', 'Is there a school inside the project?', []),
    en('unanswerable', 'What is the ceiling height of the flats?', []),
    en('follow-up', 'And of a 2 BHK?', ['668'], ['668'], { before: ['What is the carpet area of a 3 BHK?'] }),
    en('follow-up', 'And Cedar?', ['March 2028'], ['March 2028'], { before: ['When will Banyan be ready?'] }),
    en('follow-up', 'What is her number?', ['90110 45678'], ['90110'], { before: ['Who is the sales manager?'] }),
    hi('plain', 'फ्लैट A-503 की कीमत क्या है?', ['78.0'], ['78']),
    hi('plain', 'एस्टर टावर कब तक तैयार होगा?', ['June 2027'], ['June 2027|जून 2027']),
    hi('plain', 'स्विमिंग पूल किस दिन बंद रहता है?', ['closed on Tuesdays'], ['Tuesday|मंगल'], { never: ['सोमवार: बंद'] }),
    hi('paraphrase', 'हर महीने रखरखाव का कितना देना होगा?', ['₹4.5 per square foot'], ['4.5']),
    hi('paraphrase', 'कौन सा बैंक लोन देगा?', ['SBI, HDFC and Axis'], ['SBI']),
    hi('follow-up', 'और सीडर?', ['March 2028'], ['March 2028|मार्च 2028'], { before: ['बनयान टावर कब तैयार होगा?'] }),
    hi('unanswerable', 'क्या छत पर हेलीपैड है?', []),
    mr('plain', 'फ्लॅट C-1104 ची किंमत किती आहे?', ['111.4'], ['111.4']),
    mr('plain', '2 BHK सोबत किती पार्किंग मिळतात?', ['One car park'], ['one|एक|1']),
    mr('paraphrase', 'बुकिंगच्या वेळी किती पैसे भरायचे?', ['Ten percent'], ['ten|10|दहा']),
    mr('paraphrase', 'साइट बघायला गाडी पाठवता का?', ['Hinjawadi'], ['Hinjawadi|हिंजवडी']),
    mr('hours', 'तुमचे ऑफिस किती वाजता उघडते?', ['10:00 AM'], ['10:00|दहा']),
    mr('unanswerable', 'तुम्ही बंगले विकता का?', []),
    hl('plain', 'flat b-702 kitne ka hai?', ['75.3'], ['75.3']),
    hl('plain', 'swimming pool kab khula rehta hai?', ['6 AM to 9 AM'], ['6 AM'], { never: ['10:00 AM'] }),
    hl('paraphrase', 'booking ke time kitna dena padega?', ['Ten percent'], ['ten|10']),
    hl('paraphrase', 'kaunse bank se loan mil jayega?', ['SBI, HDFC and Axis'], ['SBI']),
    hl('unanswerable', 'kya aap dukan bhi bechte ho?', []),
  ],
};
