import { asker, type Business, honest, inDays, week } from './business';

const en = asker('english');
const hi = asker('hindi');
const mr = asker('marathi');
const hl = asker('hinglish');
const notHonest = { never: honest.split('|') };

const treks = `Trek,Difficulty,Days,Height (m),Group size,Price per person (INR)
Kalsubai,Moderate,1,1646,25,1100
Harishchandragad,Hard,2,1424,20,2400
Rajmachi,Easy,1,826,30,950
Torna fort,Moderate,1,1403,25,1250
Sandhan valley,Hard,2,1200,15,3200
Andharban,Easy,1,640,30,1350
`;

const rules = `# Before you walk with us

## What the price covers
The price covers the bus from Dadar and back, a guide, breakfast and lunch. Tents are included on treks of two days. Entry fees of forts are paid by you.

## Who may come
Children from ten years may walk with a parent. Above sixty years we ask for a certificate from a doctor. Dogs cannot come.
Pregnant women cannot join hard treks.

## Changing your mind
Who cancels seven days before gets everything back, three days before half; after that nothing is returned.
If we cancel because of rain, you choose another date or get all your money back.

## What to bring
Bring two litres of water, shoes with a good grip, a torch and a raincoat. Alcohol and loudspeakers are forbidden.
Jeans are a bad idea: they do not dry.

## Food
All meals are vegetarian. Jain food is cooked if you tell us two days before.

## Meeting point
The bus leaves from Dadar, in front of the Swaminarayan temple, at 5:30 in the morning. It waits ten minutes and no longer.

## Safety
Each group has two guides, one with a course in first aid. Insurance up to ₹2,00,000 is included. The nearest hospital is written on your ticket.

## Night walks
On nights of the full moon we walk to Rajmachi; it begins at 9 in the evening and costs ₹1,150.

## Paying
₹500 are paid on booking, the rest by UPI two days before. There is no discount for students; groups of ten or more get ten percent off.

## Who we are
Tanaji Shelar and Mithila Rane founded the company in 2011. So far 18,000 people have walked with us.
`;

/** A trekking company in Mumbai, with a table of treks. */
export const trekOperator: Business = {
  name: 'Sahyawata Treks',
  part: 'tuning',
  profile: {
    business_name: 'Sahyawata Treks',
    business_type: 'Trek operator',
    industry: 'Travel',
    company_description: 'Guided treks in the Sahyadri mountains.',
    support_email: 'walk@sahyawata.example',
    support_phone: '+912224301177',
    office_address: '3 Gokhale Road, Dadar West, Mumbai 400028',
    working_hours: week(['Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'], '11:00 AM', '07:30 PM'),
    holidays: [
      { date: inDays(2), opens: '', closes: '', note: 'Guides’ training' },
      { date: inDays(6), opens: '11:00 AM', closes: '03:00 PM', note: 'Annual meeting' },
    ],
    timezone: 'Asia/Kolkata',
  },
  products: [
    { product_id: null, product_name: 'Trekking pole', category: 'Gear', price: 850, currency: 'INR', availability: true },
    { product_id: null, product_name: 'Head torch', category: 'Gear', price: 620, currency: 'INR', availability: true },
    { product_id: null, product_name: 'Raincoat', category: 'Gear', price: 780, currency: 'INR', availability: false },
    {
      product_id: null,
      product_name: 'Rucksack of 40 litres',
      category: 'Gear',
      price: 2150,
      currency: 'INR',
      availability: true,
    },
  ],
  services: [
    {
      service_id: null,
      service_name: 'Sleeping bag on hire',
      service_duration: 1440,
      service_price: 180,
      currency: 'INR',
      booking_required: true,
    },
    {
      service_id: null,
      service_name: 'Private guide for a day',
      service_duration: 600,
      service_price: 2600,
      currency: 'INR',
      booking_required: true,
    },
  ],
  faqs: [
    { Question: 'Are there toilets on the way?', Answer: 'Only at the base village; on two-day treks we put up a toilet tent.' },
    { Question: 'Does a phone work up there?', Answer: 'On Rajmachi and Torna mostly, elsewhere hardly.' },
  ],
  documents: [
    { fileName: 'treks.csv', text: treks },
    { fileName: 'rules.md', text: rules },
  ],
  asked: [
    en('plain', 'Where does the bus leave from?', ['Swaminarayan temple'], ['Swaminarayan|Dadar']),
    en('plain', 'What is the youngest age for children?', ['ten years'], ['ten|10']),
    en('plain', 'How high is Kalsubai?', ['1646'], ['1,646|1646']),
    en('plain', 'Who founded the company?', ['Tanaji Shelar'], ['Tanaji']),
    en('price', 'How much is the Sandhan valley trek?', ['3200'], ['3,200']),
    en('price', 'What does hiring a sleeping bag cost?', ['180'], ['180']),
    en('hours', 'When does your office open on Wednesday?', ['11:00 AM'], ['11']),
    en('hours', 'Is the office open on Monday?', ['Monday'], ['closed']),
    en('comparison', 'Which of your treks is the cheapest?', ['950'], ['Rajmachi']),
    en('comparison', 'Is Torna higher than Harishchandragad?', ['1403', '1424'], ['Harishchandragad'], notHonest),
    en('computing', 'What do three people pay for Andharban?', ['1350'], ['4,050']),
    en('computing', 'I want a head torch and a trekking pole, how much in all?', ['620', '850'], ['1,470']),
    en(
      'paraphrase',
      'It is pouring and you call the trip off, what about my money?',
      ['because of rain'],
      ['another date|money back'],
    ),
    en('paraphrase', 'Can I take my labrador along?', ['Dogs cannot come'], ['Dogs cannot|no dogs|cannot']),
    en('paraphrase', 'What if somebody twists an ankle up there?', ['first aid'], ['first aid|hospital|Insurance']),
    en('follow-up', 'And how many days does it take?', ['2'], ['2|two'], { before: ['How hard is Harishchandragad?'] }),
    en('follow-up', 'And the easy one that costs less?', ['950'], ['Rajmachi|950'], { before: ['How much is Andharban?'] }),
    en('negation', 'Which things are forbidden on a trek?', ['loudspeakers'], ['Alcohol']),
    en('trap', 'At what time does the night walk begin?', ['9 in the evening'], ['9'], { never: ['11:00', '07:30', '7:30'] }),
    en('unanswerable', 'Do you run treks in the Himalayas?', []),
    hi('price', 'राजमाची ट्रेक कितने का है?', ['950'], ['950']),
    hi('plain', 'क्या खाना शाकाहारी होता है?', ['vegetarian'], ['vegetarian|शाकाहारी'], notHonest),
    hi('paraphrase', 'बस कितनी देर रुकेगी अगर मुझे देर हो जाए?', ['ten minutes'], ['ten|10|दस']),
    hi('computing', 'दो लोगों के लिए कळसूबाई का कुल कितना खर्च होगा?', ['1100'], ['2,200']),
    hi('comparison', 'सबसे महंगा ट्रेक कौन सा है?', ['3200'], ['Sandhan']),
    hi('follow-up', 'और तोरणा का?', ['1250'], ['1,250'], { before: ['कलसूबाई ट्रेक का दाम क्या है?'] }),
    hi('negation', 'क्या छात्रों को छूट नहीं मिलती?', ['no discount for students'], ['no discount|नहीं'], notHonest),
    hi('unanswerable', 'क्या आप पासपोर्ट बनवाते हैं?', []),
    mr('price', 'ट्रेकिंग पोल केवढ्याला मिळेल?', ['850'], ['850']),
    mr('plain', 'बस सकाळी किती वाजता निघते?', ['5:30'], ['5:30|साडेपाच'], { never: ['11:00', '11 वाज'] }),
    mr('paraphrase', 'माझ्या आजोबांचे वय ६५ आहे, त्यांना येता येईल का?', ['sixty years'], ['sixty|doctor|डॉक्टर']),
    mr('hours', 'शनिवारी कार्यालय कधी बंद होते?', ['07:30 PM'], ['7:30|साडेसात']),
    mr('comparison', 'सगळ्यात उंच ट्रेक कोणता?', ['1646'], ['Kalsubai|कळसूबाई']),
    mr('exception', 'वार्षिक सभेच्या दिवशी किती वाजेपर्यंत उघडे आहे?', ['03:00 PM'], ['3:00|3 PM|तीन']),
    mr('negation', 'किल्ल्याचे प्रवेश शुल्क किंमतीत धरलेले नाही का?', ['Entry fees'], ['Entry fees|नाही'], notHonest),
    mr('unanswerable', 'तुमच्याकडे सायकली भाड्याने मिळतात का?', []),
    hl('price', 'rucksack kitne ka hai?', ['2150'], ['2,150']),
    hl('plain', 'jain khana milega kya?', ['Jain food'], ['Jain'], notHonest),
    hl('comparison', 'sabse aasan trek kaunsa hai?', ['Easy'], ['Rajmachi|Andharban']),
    hl('paraphrase', 'group mein 12 log hain, kuch kam hoga kya?', ['ten percent'], ['ten percent|10']),
  ],
};
