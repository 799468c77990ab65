import { asker, type Business, honest, inDays, product, service, week } from './business';

const en = asker('english');
const hi = asker('hindi');
const mr = asker('marathi');
const hl = asker('hinglish');
const notHonest = { never: honest.split('|') };

const rates = `Job,Paper,Smallest order,Rate per 100 (INR),Working days
Visiting cards,Matt 350 gsm,100,180,2
Visiting cards with gold foil,Textured 400 gsm,200,640,6
Letterheads,Bond 100 gsm,500,240,3
Wedding invitations,Handmade,50,2900,9
Handbills,Art 90 gsm,1000,95,2
Bill books,Carbonless,500,310,5
Stickers,Vinyl,100,420,3
`;

const terms = `# How we work

## Artwork
Send your design as a PDF with three millimetres of bleed. Designs in Word cannot be printed as they are; our designer Farida sets them anew for ₹400.
If you have no design at all, a new one costs ₹900 with two rounds of changes. Each further change costs ₹150.

## Proof
Before every job we send a proof by email. Nothing is printed until you have approved it. Mistakes you have approved are yours; mistakes that are ours we print again at no cost.

## Paying
Sixty percent is paid with the order and the rest on collection. Government offices may pay within thirty days. We do not accept cheques.

## Urgent work
Work wanted in half the time costs 25 percent more. Wedding invitations cannot be hurried.

## Delivery
Parcels inside Indore cost ₹120 by our van; other cities go by Trackon at actual cost. Collection from the press is free.

## What we refuse
We do not print currency look-alikes, election material without the publisher's name, or certificates of other institutions.

## Storage and waste
Plates are kept for one year, so a reprint within that time costs 15 percent less. Paper offcuts go to Aarambh School for drawing.

## Visits
Schools can see the machines on the first Saturday of each month at 11 AM, at most twenty pupils.
`;

/** A printing press in Indore with rates by the hundred. */
export const printingPress: Business = {
  name: 'Akshar Printing Press',
  part: 'tuning',
  profile: {
    business_name: 'Akshar Printing Press',
    business_type: 'Printing press',
    industry: 'Printing',
    company_description: 'Offset and digital printing near Rajwada, family run since 1968.',
    support_email: 'jobs@akshar.example',
    support_phone: '+917312540188',
    office_address: '44 Jail Road, Indore 452007',
    working_hours: week(['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'], '09:30 AM', '07:00 PM'),
    holidays: [
      { date: inDays(4), opens: '', closes: '', note: 'Machine servicing' },
      { date: inDays(10), opens: '09:30 AM', closes: '01:30 PM', note: 'Ahilya Utsav' },
    ],
    timezone: 'Asia/Kolkata',
  },
  products: [
    product('Desk calendar', 'Stationery', 140),
    product('Wall calendar', 'Stationery', 85),
    product('Diary 2027', 'Stationery', 230),
    product('Rubber stamp self-inking', 'Stamps', 450),
    product('Flex banner 6 by 4 feet', 'Banners', 520),
    product('Trophy label', 'Stamps', 35, false),
  ],
  services: [service('Spiral binding', 15, 50), service('Lamination A4', 5, 20)],
  faqs: [
    { Question: 'Can you print on T-shirts?', Answer: 'No, we print on paper, vinyl and flex only.' },
    { Question: 'Do you print in Urdu and Gujarati?', Answer: 'Yes, in Hindi, English, Urdu, Gujarati and Marathi.' },
  ],
  documents: [
    { fileName: 'rates.csv', text: rates },
    { fileName: 'terms.md', text: terms },
  ],
  asked: [
    en('plain', 'How many days do wedding invitations take?', ['9'], ['9|nine']),
    en('price', "What's the price of the self inking stamp?", ['450'], ['450']),
    en('plain', 'What is the minimum quantity for letterheads?', ['500'], ['500']),
    en('computing', 'How much for 500 ordinary visiting cards?', ['180'], ['900'], { never: ['3,200'] }),
    en('computing', 'I need thirty desk calendars for my clients, what would that be?', ['140'], ['4,200|4200']),
    en('comparison', 'Which one is cheaper, a wall calendar or a desk calendar?', ['85'], ['wall']),
    en('paraphrase', 'I only have my logo in my head, can somebody draw it up for me?', ['₹900'], ['900']),
    en(
      'paraphrase',
      'There was a spelling error that you people made. Do I have to pay for it?',
      ['again at no cost'],
      ['no cost|free'],
    ),
    en('paraphrase', 'I need it by tomorrow, will that be extra?', ['25 percent'], ['25']),
    en('follow-up', 'And what about the gold foil ones?', ['6'], ['6 |six'], {
      before: ['How many days for visiting cards?'],
      never: ['640'],
    }),
    en('negation', 'What kind of jobs do you turn down?', ['currency look-alikes'], ['currency|election|certificates']),
    en('hours', 'How late are you there on Saturdays?', ['07:00 PM'], ['7:00 PM|7 PM|seven']),
    en('exception', 'Is the press working on Ahilya Utsav?', ['Ahilya Utsav'], ['1:30|half past one']),
    en('trap', 'When can our pupils come to look at the machines?', ['first Saturday'], ['first Saturday'], { never: ['9:30'] }),
    en('unanswerable', 'Do you do 3D printing?', []),
    hi('price', 'डायरी का क्या दाम है?', ['230'], ['230']),
    hi('plain', 'क्या आप चेक लेते हैं?', ['do not accept cheques'], ['not accept|नहीं|no'], notHonest),
    hi('paraphrase', 'ऑर्डर देते समय कितना पैसा जमा करना पड़ेगा?', ['Sixty percent'], ['sixty|60|साठ']),
    hi('comparison', 'सबसे सस्ता काम कौन सा है, पर्चे या स्टिकर?', ['95'], ['Handbill|पर्चे']),
    hi('computing', 'दस पन्ने लैमिनेशन कराने हैं, कितना होगा?', ['20'], ['200']),
    hi('unanswerable', 'क्या आप मोबाइल कवर छापते हैं?', []),
    mr('price', 'स्पायरल बाइंडिंगचे किती घेता?', ['50'], ['50']),
    mr('plain', 'हँडबिल कमीत कमी किती छापावे लागतात?', ['1000'], ['1,000|1000']),
    mr('hours', 'रविवारी छापखाना सुरू असतो का?', ['Sunday'], ['बंद|closed|नाही'], notHonest),
    mr('paraphrase', 'मागच्या वर्षीचंच कार्ड परत छापलं तर स्वस्त पडेल का?', ['15 percent'], ['15']),
    mr('follow-up', 'आणि बिल बुकला?', ['5'], ['5'], { before: ['स्टिकरला किती दिवस लागतात?'], never: ['310', '420'] }),
    mr('unanswerable', 'तुमच्याकडे किती कामगार आहेत?', []),
    hl('plain', 'tshirt pe print karte ho kya?', ['paper, vinyl and flex only'], ['no,|nahi|नहीं|only'], notHonest),
    hl('price', 'flex banner ka kya rate hai', ['520'], ['520']),
    hl('paraphrase', 'word file me design hai, chal jayega?', ['Word cannot be printed'], ['cannot|400']),
  ],
};
