import { asker, type Business, honest, inDays, week } from './business';

const en = asker('english');
const hi = asker('hindi');
const mr = asker('marathi');
const hl = asker('hinglish');
const notHonest = { never: honest.split('|') };

const garments = `Garment,Wash and iron (INR),Dry clean (INR),Ready in (days)
Shirt,30,70,2
Trousers,35,80,2
Cotton saree,90,180,3
Silk saree,150,350,5
Blazer,120,260,4
Double blanket,200,420,6
Curtain panel,60,140,4
`;

const handbook = `# How we work

## Collecting and bringing back
Our van collects clothes between 9 and 11 in the morning and brings them back between 5 and 8 in the evening.
Collecting is free for bills above ₹400; below that it costs ₹40. We collect in Kothrud, Erandwane and Karve Nagar only.

## Express
Express work is ready on the next day and costs half as much again. Silk and leather are never done as express work.

## Stains
Tell us about stains when you hand over the clothes. Ink and turmeric do not always come out; we do not charge for a stain that stays.
We do not wash leather jackets.

## Damage and loss
If we lose or spoil a garment, we pay ten times the price of its cleaning. Complaints are taken within three days with the bill.
Buttons that come off are sewn on for free.

## Things left behind
Clothes that nobody fetches are given away after ninety days.

## Monthly plan
The monthly plan costs ₹1,499 and covers forty garments, washed and ironed. What is not used does not carry over to the next month.

## Paying
We take cash and UPI, no cards. You pay when the clothes come back. Hotels and hostels get a bill once a month.

## Starch and softener
Starch is added on request for ₹5 a piece. Our detergent has no perfume, so it suits babies and sensitive skin.

## People
Vandana Kulkarni has run the laundry since 1998. Twelve people work here.
`;

const days = ['Monday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];

/** A laundry in Pune with a table of garments. */
export const laundry: Business = {
  name: 'Shubhra Laundry',
  part: 'tuning',
  profile: {
    business_name: 'Shubhra Laundry',
    business_type: 'Laundry',
    industry: 'Services',
    company_description: 'Washing, ironing and dry cleaning in Kothrud.',
    support_email: 'care@shubhra.example',
    support_phone: '+912025436610',
    office_address: '14 Paud Road, Kothrud, Pune 411038',
    working_hours: week(days, '08:00 AM', '09:00 PM'),
    holidays: [
      { date: inDays(4), opens: '', closes: '', note: 'Dev Diwali' },
      { date: inDays(9), opens: '08:00 AM', closes: '01:00 PM', note: 'Maintenance of the machines' },
    ],
    timezone: 'Asia/Kolkata',
  },
  products: [
    { product_id: null, product_name: 'Laundry bag', category: 'Things', price: 150, currency: 'INR', availability: true },
    { product_id: null, product_name: 'Stain remover', category: 'Care', price: 220, currency: 'INR', availability: false },
    { product_id: null, product_name: 'Set of ten hangers', category: 'Things', price: 340, currency: 'INR', availability: true },
  ],
  services: [
    {
      service_id: null,
      service_name: 'Ironing at home',
      service_duration: 60,
      service_price: 499,
      currency: 'INR',
      booking_required: true,
    },
    {
      service_id: null,
      service_name: 'Shoe cleaning',
      service_duration: 30,
      service_price: 250,
      currency: 'INR',
      booking_required: false,
    },
    {
      service_id: null,
      service_name: 'Carpet shampooing',
      service_duration: 120,
      service_price: 1800,
      currency: 'INR',
      booking_required: true,
    },
  ],
  faqs: [
    { Question: 'Do you wash clothes by hand?', Answer: 'Woollens and lace are washed by hand at no extra charge.' },
    { Question: 'Can I track my order?', Answer: 'Yes, by the link in the SMS that you get when your clothes are collected.' },
  ],
  documents: [
    { fileName: 'garments.csv', text: garments },
    { fileName: 'how-we-work.md', text: handbook },
  ],
  asked: [
    en('plain', 'What does the monthly plan cost?', ['₹1,499'], ['1,499']),
    en('plain', 'When are clothes given away that nobody fetches?', ['ninety days'], ['ninety|90']),
    en('plain', 'Which areas do you collect in?', ['Kothrud, Erandwane'], ['Erandwane']),
    en('price', 'How much is dry cleaning a silk saree?', ['350'], ['350'], { never: ['150 ', '₹180'] }),
    en('price', 'What do you charge to wash and iron a blazer?', ['120'], ['120'], { never: ['260'] }),
    en('hours', 'Until when are you open on Sunday?', ['09:00 PM'], ['9:00 PM|9 PM|nine'], notHonest),
    en('hours', 'Which day are you closed?', ['Tuesday'], ['Tuesday']),
    en('comparison', 'Which takes longer, a blazer or a double blanket?', ['6'], ['blanket'], notHonest),
    en('comparison', 'How much cheaper is washing a cotton saree than dry cleaning it?', ['90', '180'], ['90']),
    en('computing', 'What would five shirts washed and ironed come to?', ['30'], ['150']),
    en('computing', 'How much are two laundry bags and a set of hangers together?', ['150', '340'], ['640']),
    en('paraphrase', 'My little one has eczema, is your soap mild?', ['no perfume'], ['perfume|sensitive|babies']),
    en('paraphrase', 'You ruined my dress, do I get money for it?', ['ten times'], ['ten times|10 times']),
    en('follow-up', 'And dry cleaned?', ['420'], ['420'], { before: ['How much is washing a double blanket?'] }),
    en('follow-up', 'How many garments does it cover?', ['forty garments'], ['forty|40'], {
      before: ['Do you have a monthly plan?'],
    }),
    en('negation', 'Is there anything you never do as express work?', ['Silk and leather'], ['Silk']),
    en('negation', 'Can’t I pay by card?', ['no cards'], ['no cards|cash and UPI|no, '], notHonest),
    en('exception', 'Are you open on Dev Diwali?', ['Dev Diwali'], ['closed']),
    en('trap', 'When does the van bring the clothes back?', ['between 5 and 8'], ['5 and 8'], { never: ['9:00 PM', '09:00 PM'] }),
    en('unanswerable', 'Do you dye faded jeans?', []),
    hi('price', 'कंबल ड्राई क्लीन कराने के कितने पैसे लगेंगे?', ['420'], ['420'], { never: ['200 '] }),
    hi('plain', 'क्या आप कपड़े घर से ले जाते हैं?', ['free for bills above'], ['400|Kothrud|कोथरूड']),
    hi('paraphrase', 'मेरी कमीज़ का बटन टूट गया तो?', ['sewn on for free'], ['free|मुफ़्त|मुफ्त']),
    hi('hours', 'मंगलवार को दुकान खुली है क्या?', ['Tuesday'], ['बंद|closed']),
    hi('computing', 'तीन पैंट धुलवाने और इस्त्री कराने का कुल कितना होगा?', ['35'], ['105']),
    hi('comparison', 'सबसे जल्दी कौन सा कपड़ा तैयार होता है?', ['Shirt'], ['Shirt|Trousers']),
    hi('negation', 'क्या आप चमड़े की जैकेट नहीं धोते?', ['do not wash leather'], ['not wash leather|नहीं'], notHonest),
    hi('unanswerable', 'क्या आप पर्दे सिलते भी हैं?', []),
    mr('price', 'बूट साफ करायला किती पैसे लागतात?', ['250'], ['250']),
    mr('plain', 'तक्रार किती दिवसांत करायची?', ['within three days'], ['three|3|तीन']),
    mr('hours', 'शुक्रवारी किती वाजता उघडता?', ['08:00 AM'], ['8:00|8 AM|8 वाज|आठ']),
    mr('computing', 'चार शर्ट ड्राय क्लीन करायचे किती होतील?', ['70'], ['280']),
    mr('paraphrase', 'कपड्यांना कडक इस्त्रीसाठी कांजी लावता का?', ['Starch'], ['Starch|₹5']),
    mr('follow-up', 'आणि सिल्क साडीचे?', ['350'], ['350'], { before: ['कॉटन साडी ड्राय क्लीन करायचे किती?'] }),
    mr('exception', 'देव दिवाळीला दुकान उघडे आहे का?', ['Dev Diwali'], ['बंद']),
    mr('unanswerable', 'तुम्ही कपडे शिवता का?', []),
    hl('price', 'blazer dry clean ka kya rate hai?', ['260'], ['260'], { never: ['120'] }),
    hl('plain', 'UPI se payment hota hai kya?', ['cash and UPI'], ['UPI'], notHonest),
    hl('paraphrase', 'kal tak chahiye kapde, jaldi ho jayega kya?', ['next day'], ['next day|Express']),
    mr('comparison', 'शर्ट आणि ब्लेझरपैकी कशाला जास्त दिवस लागतात?', ['4'], ['Blazer|ब्लेझर'], notHonest),
  ],
};
