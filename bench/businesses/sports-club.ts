import { asker, type Business, honest, inDays, product, service, week } from './business';

const en = asker('english');
const hi = asker('hindi');
const mr = asker('marathi');
const hl = asker('hinglish');
const notHonest = { never: honest.split('|') };

const memberships = `Membership,Monthly (INR),Yearly (INR),Pool,Badminton hours per week,Guests per month
Swimmer,1200,11500,yes,0,1
Racket,950,9200,no,6,1
Complete,1900,18400,yes,8,3
Family of four,3600,34800,yes,10,6
Student,700,6600,yes,2,0
`;

const rules = `# House rules

## In the water
A cap and a nylon costume are compulsory in the pool; cotton is not allowed. Everybody showers first. Children below ten swim only with an adult.
The pool is 25 metres long and 1.2 to 1.8 metres deep. A lifeguard is always on duty. The water is warmed to 28 degrees from November to February.

## Ladies' hour
From 11 AM to noon on weekdays the pool is for women only, with a woman as lifeguard.

## Learning
Coach Anand Bhosale teaches beginners in batches of eight. A course has sixteen lessons in a month and costs ₹2,800. Private lessons cost ₹450 each.
Children can begin at five. Whoever cannot swim ten metres after a course repeats it without paying.

## Courts
Shuttles are not included. Only shoes with light soles may be worn on the wooden floor. Courts are booked on our app up to four days ahead; a booking that nobody uses costs ₹100.

## Joining and leaving
Joining needs a doctor's note and two photographs. The joining fee of ₹500 is paid once. Memberships can be frozen for thirty days a year because of illness or travel.
A yearly membership that is given up in its first three months is refunded by half, later not at all.

## Not allowed
No food at the pool, no photographs in the changing rooms, no pets. Lockers are emptied every night; what is found goes to the reception and is kept for ten days.

## Trial
Anybody can try the pool or a court once for ₹150.
`;

/** A club with a pool and courts in Aurangabad. */
export const sportsClub: Business = {
  name: 'Jalpari Sports Club',
  part: 'held-out',
  profile: {
    business_name: 'Jalpari Sports Club',
    business_type: 'Sports club',
    industry: 'Sports',
    company_description: 'A swimming pool and four badminton courts in CIDCO.',
    support_email: 'desk@jalpari.example',
    support_phone: '+912402485510',
    office_address: 'N-5, CIDCO, Aurangabad 431003',
    working_hours: week(['Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'], '06:00 AM', '09:00 PM'),
    holidays: [
      { date: inDays(3), opens: '', closes: '', note: 'Pool cleaning' },
      { date: inDays(10), opens: '06:00 AM', closes: '11:00 AM', note: 'District tournament' },
    ],
    timezone: 'Asia/Kolkata',
  },
  products: [
    product('Swimming goggles', 'Gear', 420),
    product('Silicone cap', 'Gear', 260),
    product('Feather shuttles tube of 10', 'Gear', 890),
    product('Nylon shuttles tube of 6', 'Gear', 540),
    product('Kickboard', 'Gear', 650, false),
  ],
  services: [service('Racket stringing', 60, 300), service('Sports massage', 45, 800)],
  faqs: [
    { Question: 'Is there a canteen?', Answer: 'Yes, with tea, juices and sandwiches, from 7 to 11 AM.' },
    { Question: 'Can I hire a racket?', Answer: 'Yes, ₹40 for an hour.' },
  ],
  documents: [
    { fileName: 'memberships.csv', text: memberships },
    { fileName: 'rules.md', text: rules },
  ],
  asked: [
    en('price', 'How much is the student membership for a year?', ['6600'], ['6,600|6600'], { never: ['700'] }),
    en('plain', 'How deep is your swimming pool?', ['1.8'], ['1.8']),
    en('plain', 'Who teaches swimming there?', ['Anand Bhosale'], ['Anand']),
    en('hours', 'How early can I come for a swim on a Sunday?', ['06:00 AM'], ['6:00 AM|6 AM|six']),
    en('hours', 'Is Monday your weekly off?', ['Monday'], ['closed|yes'], notHonest),
    en('exception', 'Can I swim on the day of pool cleaning?', ['Pool cleaning'], ['closed|no,|not open'], notHonest),
    en('comparison', 'Which membership lets me bring the most guests?', ['6'], ['Family']),
    en('comparison', 'Is it cheaper to pay monthly for a year or yearly for Complete?', ['1900', '18400'], ['18,400|yearly']),
    en('computing', 'Two pairs of goggles and two caps please, what is the total?', ['420', '260'], ['1,360|1360']),
    en('computing', 'What would five private lessons cost?', ['₹450'], ['2,250|2250']),
    en('paraphrase', 'May I wear my cotton shorts while swimming?', ['cotton is not allowed'], ['cotton|nylon']),
    en('paraphrase', 'My daughter is seven, can she go into the pool on her own?', ['below ten'], ['ten|adult']),
    en('paraphrase', 'I left my watch in the locker last week, do you still have it?', ['ten days'], ['ten days|10|reception']),
    en('follow-up', 'And if I still cannot swim at the end?', ['repeats it'], ['repeat|without paying'], {
      before: ['How many lessons has a beginners course?'],
    }),
    en('unanswerable', 'Do you have a tennis court?', []),
    hi('price', 'रैकेट वाली मेंबरशिप महीने की कितनी है?', ['950'], ['950'], { never: ['9,200'] }),
    hi('plain', 'ट्रायल का कितना पैसा लगेगा?', ['₹150'], ['150']),
    hi('paraphrase', 'क्या औरतों के लिए अलग समय है?', ['women only'], ['11|women']),
    hi('negation', 'पूल पर क्या-क्या मना है?', ['No food'], ['food|photographs|cotton']),
    hi('computing', 'तीन ट्यूब नायलॉन शटल कितने की पड़ेंगी?', ['540'], ['1,620|1620']),
    hi('unanswerable', 'क्या आपके यहाँ योगा क्लास है?', []),
    mr('price', 'फॅमिली मेंबरशिप वर्षाला किती?', ['34800'], ['34,800|34800'], { never: ['3,600'] }),
    mr('plain', 'स्विमिंग पूल किती लांब आहे?', ['25'], ['25']),
    mr('paraphrase', 'हिवाळ्यात पाणी थंड असतं का?', ['28 degrees'], ['28|warmed']),
    mr('exception', 'स्पर्धेच्या दिवशी क्लब किती वाजेपर्यंत उघडा आहे?', ['District tournament'], ['11']),
    mr('follow-up', 'आणि खासगी शिकवणीचे?', ['₹450'], ['450'], { before: ['पोहायचा कोर्स किती रुपयांचा आहे?'], never: ['2,800'] }),
    mr('unanswerable', 'तुमच्याकडे जिम आहे का?', []),
    hl('plain', 'racket kiraye pe milta hai kya?', ['₹40'], ['40']),
    hl('price', 'goggles ka rate batao', ['420'], ['420']),
    hl('paraphrase', 'court book karke nahi aaya to paise katenge?', ['₹100'], ['100']),
  ],
};
