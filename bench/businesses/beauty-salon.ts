import { asker, type Business, inDays, week } from './business';

const en = asker('english');
const hi = asker('hindi');
const mr = asker('marathi');
const hl = asker('hinglish');

const packages = `Package,Sessions,Price (INR),Valid for (months),Home visit
Glow,3,2700,4,no
Bridal Silver,5,9500,2,no
Bridal Gold,8,17500,3,yes
Monthly care,12,6600,12,no
`;

const handbook = `# Salon guide

## Appointments
Appointments are kept for fifteen minutes; after that the next guest is taken. Moving an appointment is free until four hours before.
On Saturday and Sunday we take nobody without an appointment.

## Hair
A haircut for women is ₹450, for men ₹250 and for children below ten ₹180. Colouring starts at ₹1,800 depending on length.
A keratin treatment takes three hours and lasts about five months. Do not wash your hair for three days after it.

## Skin
Facials take fifty minutes. We use herbal creams only; please tell us about allergies. A patch test is done a day before any new cream, free of charge.
Waxing of both arms is ₹350, of both legs ₹500.

## Bridal make-up
Bridal make-up is done by Rekha Pawar. A trial costs ₹1,500 and is taken off the bill when you book. Outside Satara she travels for ₹12 a kilometre.

## Men and children
Men are served in the room on the first floor. Children get a cartoon chair and a small gift.

## Paying
Pay in cash, by UPI or card. Packages can be paid in two parts. Unused sessions are not refunded, but may be given to somebody else.
Students with a card of their college get 15 percent off from Monday to Thursday.

## Complaints
If the colour does not please you, come back within five days and we correct it free of charge.

## Products
Opened shampoos cannot be exchanged.
`;

/** A beauty salon in Satara with packages of sessions. */
export const beautySalon: Business = {
  name: 'Roopali Salon',
  part: 'tuning',
  profile: {
    business_name: 'Roopali Salon',
    business_type: 'Beauty salon',
    industry: 'Beauty',
    company_description: 'Hair, skin and bridal make-up for women, men and children.',
    support_email: 'hello@roopali.example',
    support_phone: '+912162233445',
    office_address: 'Powai Naka, Satara 415001',
    working_hours: week(['Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'], '10:00 AM', '09:00 PM'),
    holidays: [
      { date: inDays(10), opens: '', closes: '', note: 'Gudi Padwa' },
      { date: inDays(12), opens: '10:00 AM', closes: '03:00 PM', note: 'Staff picnic' },
    ],
    timezone: 'Asia/Kolkata',
  },
  products: [
    {
      product_id: null,
      product_name: 'Hibiscus shampoo 200 ml',
      category: 'Hair care',
      price: 320,
      currency: 'INR',
      availability: true,
    },
    { product_id: null, product_name: 'Aloe face gel', category: 'Skin care', price: 240, currency: 'INR', availability: true },
    {
      product_id: null,
      product_name: 'Hair dryer',
      category: 'Tools',
      price: 1990,
      currency: 'INR',
      availability: false,
      warranty: 24,
    },
    {
      product_id: null,
      product_name: 'Coconut hair oil',
      category: 'Hair care',
      price: 190,
      currency: 'INR',
      availability: true,
    },
  ],
  services: [
    {
      service_id: null,
      service_name: 'Gold facial',
      service_duration: 50,
      service_price: 1400,
      currency: 'INR',
      booking_required: true,
    },
    {
      service_id: null,
      service_name: 'Fruit facial',
      service_duration: 50,
      service_price: 800,
      currency: 'INR',
      booking_required: true,
    },
    {
      service_id: null,
      service_name: 'Pedicure',
      service_duration: 40,
      service_price: 600,
      currency: 'INR',
      booking_required: false,
    },
    {
      service_id: null,
      service_name: 'Manicure',
      service_duration: 30,
      service_price: 450,
      currency: 'INR',
      booking_required: false,
    },
  ],
  faqs: [
    { Question: 'Do you use clean tools?', Answer: 'Every tool is sterilised after each guest; towels are used once.' },
    { Question: 'Can I bring my baby along?', Answer: 'Yes, we have a play corner, but nobody to watch it.' },
  ],
  documents: [
    { fileName: 'packages.csv', text: packages },
    { fileName: 'guide.md', text: handbook },
  ],
  asked: [
    en('plain', 'How long does a keratin treatment last?', ['five months'], ['five months']),
    en('plain', 'How much is a haircut for a child?', ['₹180'], ['180']),
    en('plain', 'Who does the bridal make-up?', ['Rekha Pawar'], ['Rekha']),
    en('plain', 'How long is my appointment kept when I am late?', ['fifteen minutes'], ['fifteen|15']),
    en('plain', 'What does a bridal trial cost?', ['₹1,500'], ['1,500']),
    en('plain', 'When may I wash my hair after keratin?', ['three days'], ['three']),
    en('plain', 'Do you sterilise your tools?', ['sterilised'], ['sterilised']),
    en('plain', 'Where are men served?', ['first floor'], ['first floor']),
    en('price', 'How much is the pedicure?', ['600']),
    en('price', 'What does the Bridal Gold package cost?', ['17500'], ['17,500']),
    en('price', 'Price of the hair dryer?', ['1990'], ['1,990']),
    en('price', 'How much is waxing for both legs?', ['₹500'], ['500']),
    en('hours', 'What time do you close on Sunday?', ['09:00 PM'], ['09:00|9:00|9 PM']),
    en('hours', 'Do you work on Mondays?', ['Monday'], ['closed']),
    en('hours', 'When are you open?', ['10:00 AM'], ['10:00|10 AM']),
    en('comparison', 'Which package has the most sessions?', ['12'], ['Monthly care']),
    en('comparison', 'Is the gold facial dearer than the fruit facial?', ['1400', '800'], ['1,400']),
    en('comparison', 'What takes longer, a manicure or a pedicure?', ['40', '30'], ['pedicure']),
    en('comparison', 'Which is the cheapest facial?', ['800'], ['Fruit']),
    en('computing', 'What do a manicure and a pedicure cost together?', ['450', '600'], ['1,050']),
    en('computing', 'How much for haircuts for two women?', ['₹450'], ['900']),
    en('computing', 'What is one session worth in the Glow package?', ['2700', '3'], ['900']),
    en('computing', 'How much are three bottles of hibiscus shampoo?', ['320'], ['960']),
    en('computing', 'I have 1000 rupees, how many fruit facials can I get?', ['800'], ['one|1 ']),
    en('paraphrase', 'I cannot make it today, can I come tomorrow instead without paying?', ['four hours'], ['four']),
    en('paraphrase', 'My skin gets red from creams, what can I do?', ['patch test'], ['allerg|patch']),
    en('paraphrase', 'I hate my new hair shade, will you fix it?', ['within five days'], ['five days']),
    en('paraphrase', 'Can my sister use the rest of my sessions?', ['somebody else'], ['somebody else']),
    en('paraphrase', 'Is there a reduction for college girls?', ['15 percent'], ['15']),
    en('paraphrase', 'Could I just drop in on Sunday?', ['nobody without'], ['without an appointment']),
    en('follow-up', 'And for men?', ['₹250'], ['250'], { before: ['How much is a haircut for women?'] }),
    en('follow-up', 'How long is it valid?', ['3'], ['3 months'], { before: ['How much is Bridal Gold?'] }),
    en('follow-up', 'And Silver?', ['9500'], ['9,500'], { before: ['What does Bridal Gold cost?'] }),
    en('follow-up', 'Is it in stock?', ['Not available'], ['not available'], { before: ['How much is the hair dryer?'] }),
    en('follow-up', 'And the legs?', ['₹500'], ['500'], { before: ['What do you charge for waxing the arms?'] }),
    en('follow-up', 'And Bridal Silver?', ['5'], ['5'], { before: ['How many sessions does Glow have?'], never: ['9,500'] }),
    en('follow-up', 'And Glow?', ['4'], ['4'], { before: ['How long is Monthly care valid?'] }),
    en('plain', 'Is a home visit included in Bridal Gold?', ['yes'], ['yes']),
    en('plain', 'How many sessions are in Bridal Gold?', ['8'], ['8']),
    en('plain', 'For how many months is Glow valid?', ['4'], ['4']),
    en('comparison', 'Which package is valid the longest?', ['12'], ['Monthly care']),
    en('comparison', 'Which package is cheaper, Glow or Monthly care?', ['2700', '6600'], ['Glow']),
    en('exception', 'Are you open on Gudi Padwa?', ['Gudi Padwa'], ['closed']),
    en('exception', 'When do you close on the day of the staff picnic?', ['picnic'], ['3:00|03:00|3 PM']),
    en('trap', 'When can I pay for the package?', ['two parts'], ['two parts|do not know']),
    en('trap', 'How much do I get off as a student?', ['15 percent'], ['15']),
    en('unanswerable', 'Do you do tattoos?', []),
    en('unanswerable', 'How much is laser hair removal?', []),
    en('unanswerable', 'Do you have a branch in Pune?', []),
    en('unanswerable', 'Can I pay in dollars?', []),
    hi('plain', 'महिलाओं के बाल काटने का कितना लगता है?', ['₹450'], ['450']),
    hi('price', 'गोल्ड फेशियल कितने का है?', ['1400'], ['1,400']),
    hi('hours', 'सोमवार को सैलून खुला है क्या?', ['Monday'], ['बंद']),
    hi('exception', 'गुड़ी पड़वा को खुले हैं?', ['Gudi Padwa'], ['बंद']),
    hi('paraphrase', 'क्या छात्रों को छूट मिलती है?', ['15 percent'], ['15']),
    hi('plain', 'क्या बच्चे को साथ ला सकते हैं?', ['play corner'], ['play']),
    hi('computing', 'मैनीक्योर और पेडीक्योर मिलाकर कितना होगा?', ['450', '600'], ['1,050']),
    hi('unanswerable', 'क्या आप मेहंदी लगाते हैं?', []),
    mr('plain', 'केराटिन किती महिने टिकते?', ['five months'], ['five|5']),
    mr('price', 'फ्रूट फेशियलचे किती पैसे?', ['800']),
    mr('plain', 'लहान मुलांच्या केस कापण्याचे किती घेता?', ['₹180'], ['180']),
    mr('hours', 'रविवारी किती वाजता बंद करता?', ['09:00 PM'], ['09:00|9']),
    mr('plain', 'नववधूचा मेकअप कोण करते?', ['Rekha Pawar'], ['Rekha']),
    mr('paraphrase', 'रंग आवडला नाही तर काय?', ['within five days'], ['five']),
    mr('plain', 'पुरुषांसाठी कुठे सोय आहे?', ['first floor'], ['first floor']),
    mr('comparison', 'गोल्ड फेशियल आणि फ्रूट फेशियलमध्ये स्वस्त कोणते?', ['800'], ['Fruit']),
    mr('exception', 'गुढीपाडव्याला सुरू आहे का?', ['Gudi Padwa'], ['बंद']),
    mr('unanswerable', 'तुम्ही टॅटू काढता का?', []),
    hl('price', 'pedicure kitne ka hai?', ['600']),
    hl('plain', 'gents ke baal katne ka kitna?', ['₹250'], ['250']),
    hl('paraphrase', 'student ko kuch kam karoge kya?', ['15 percent'], ['15']),
    hl('follow-up', 'aur manicure?', ['450'], ['450'], { before: ['pedicure kitne ka hai?'] }),
    hl('unanswerable', 'kya aap mehendi lagate ho?', []),
  ],
};
