import { asker, type Business, inDays, week } from './business';

const en = asker('english');
const hi = asker('hindi');
const mr = asker('marathi');
const hl = asker('hinglish');

const halls = `Hall,Guests (max),Rent per day (INR),Rent half day (INR),AC
Rangmahal,600,85000,50000,yes
Darbar,250,42000,26000,yes
Baithak,80,16000,9500,no
Open lawn,900,60000,38000,no
`;

const rules = `# Terms of the hall

## Booking
A date is held for five days without payment. It is booked when a quarter of the rent is paid. The second half is due fifteen days before the event.
A refundable deposit of ₹10,000 is taken for damage and returned within a week.

## Cancelling
Whoever cancels thirty days before gets everything back but ₹5,000. Later than that the advance is lost. A date can be moved once without a charge.

## Food
Our kitchen cooks vegetarian and Jain food. Outside caterers are allowed in the Open lawn only and pay ₹8,000 for the kitchen.
A plate costs ₹450 for the Classic menu and ₹700 for the Royal menu. The least is one hundred plates.
A tasting for four people is free once the date is booked.

## Music and fireworks
Music stops at 10 PM by order of the police. Fireworks are forbidden; cold sparklers are allowed on the lawn.
Our sound engineer is Imran Mulla; a DJ of your own needs his consent.

## Decoration
Decorators may start at 6 AM on the day of the event. Nails in the walls cost ₹2,000 each.

## Rooms
Eight rooms for guests are free with Rangmahal; with other halls each costs ₹1,800 a night. Keys are returned by noon.

## Power and parking
A generator takes over within ten seconds; diesel is charged at ₹1,500 an hour. There is parking for 120 cars, with four attendants.
`;

const visit = `# हॉल देखने के लिए

हॉल देखने के लिए पहले फ़ोन करें। हॉल सुबह 11 बजे से शाम 6 बजे तक दिखाया जाता है, मंगलवार को नहीं।
शादी के लिए वर और वधू दोनों का आधार कार्ड चाहिए।
मंडप और कुर्सियाँ किराये में शामिल हैं, फूलों का खर्च अलग है।
`;

/** A wedding hall in Solapur, with one document in Hindi. */
export const banquetHall: Business = {
  name: 'Shubh Mangal Hall',
  part: 'tuning',
  profile: {
    business_name: 'Shubh Mangal Hall',
    business_type: 'Banquet hall',
    industry: 'Events',
    company_description: 'Four halls for weddings and meetings beside the Siddheshwar lake.',
    support_email: 'book@shubhmangal.example',
    support_phone: '+912172310077',
    office_address: 'Lake Road, Solapur 413001',
    working_hours: week(['Monday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'], '10:30 AM', '07:30 PM'),
    holidays: [{ date: inDays(6), opens: '12:00 PM', closes: '04:00 PM', note: 'Annual painting' }],
    timezone: 'Asia/Kolkata',
  },
  products: [],
  services: [
    {
      service_id: null,
      service_name: 'Flower stage',
      service_duration: 240,
      service_price: 18000,
      currency: 'INR',
      booking_required: true,
    },
    {
      service_id: null,
      service_name: 'Wedding photographer',
      service_duration: 480,
      service_price: 25000,
      currency: 'INR',
      booking_required: true,
    },
    {
      service_id: null,
      service_name: 'Horse for the groom',
      service_duration: 90,
      service_price: 6500,
      currency: 'INR',
      booking_required: true,
    },
  ],
  faqs: [
    { Question: 'Is alcohol allowed?', Answer: 'No, alcohol is not allowed anywhere on the premises.' },
    {
      Question: 'Do you have a room for the bride?',
      Answer: 'Yes, every hall has a dressing room with a mirror and a washroom.',
    },
  ],
  documents: [
    { fileName: 'halls.csv', text: halls },
    { fileName: 'terms.md', text: rules },
    { fileName: 'visit.md', text: visit },
  ],
  asked: [
    en('plain', 'How long do you hold a date for me without payment?', ['five days'], ['five|5']),
    en('plain', 'What is the deposit for damage?', ['₹10,000'], ['10,000']),
    en('plain', 'When does the music have to stop?', ['10 PM'], ['10 PM']),
    en('plain', 'What does a plate of the Royal menu cost?', ['₹700'], ['700']),
    en('plain', 'From what time can decorators start?', ['6 AM'], ['6 AM']),
    en('plain', 'How many cars can park?', ['120 cars'], ['120']),
    en('price', 'What is the rent of Darbar for a full day?', ['42000'], ['42,000']),
    en('price', 'How much is the Baithak for half a day?', ['9500'], ['9,500']),
    en('price', 'What does the photographer charge?', ['25000'], ['25,000']),
    en('hours', 'On which day is your office closed?', ['Tuesday']),
    en('hours', 'What are your office hours?', ['10:30 AM'], ['10:30|half past ten']),
    en('comparison', 'Which hall takes the most guests?', ['900'], ['Open lawn']),
    en('comparison', 'Is Rangmahal bigger than the Open lawn?', ['600', '900'], ['900']),
    en('comparison', 'Which is the cheapest hall?', ['16000'], ['Baithak']),
    en('computing', 'What would 200 plates of the Classic menu cost?', ['₹450'], ['90,000']),
    en('computing', 'How much is the lawn for two days?', ['60000'], ['1,20,000']),
    en('computing', 'What do the horse and the photographer cost together?', ['6500', '25000'], ['31,500']),
    en('computing', 'How much advance do I pay to book Darbar?', ['quarter'], ['quarter|10,500']),
    en('paraphrase', 'What if the lights go out during the ceremony?', ['generator'], ['generator']),
    en('paraphrase', 'May we serve whisky?', ['alcohol'], ['not allowed|no']),
    en('paraphrase', 'Can our own cook prepare the dinner?', ['Outside caterers'], ['lawn']),
    en('paraphrase', 'We have to shift the wedding to another day, is there a fee?', ['moved once'], ['without a charge']),
    en('paraphrase', 'Can my relatives sleep there?', ['Eight rooms'], ['rooms']),
    en('paraphrase', 'Are crackers okay?', ['Fireworks are forbidden'], ['forbidden']),
    en('follow-up', 'And for half a day?', ['50000'], ['50,000'], { before: ['What is the rent of Rangmahal?'] }),
    en('follow-up', 'And the Open lawn?', ['900'], ['900'], { before: ['How many guests does Darbar take?'] }),
    en('follow-up', 'How many guests fit in the smaller one?', ['80'], ['80'], { before: ['What do Darbar and Baithak cost?'] }),
    en('follow-up', 'And of Baithak?', ['9500'], ['9,500'], { before: ['What is the half day rent of Darbar?'] }),
    en('follow-up', 'And Rangmahal?', ['600'], ['600'], { before: ['How many guests can Baithak hold?'] }),
    en('follow-up', 'And the open lawn?', ['no'], ['no'], { before: ['Does Rangmahal have AC?'], never: ['yes'] }),
    en('follow-up', 'And for half a day?', ['26000'], ['26,000'], { before: ['How much is Darbar for a day?'] }),
    en('plain', 'Does Baithak have AC?', ['no'], ['no']),
    en('comparison', 'Which hall has the lowest half-day rent?', ['9500'], ['Baithak']),
    en('comparison', 'Which holds fewer people, Darbar or Baithak?', ['80'], ['Baithak', '80']),
    en('exception', 'Are you there on the day of the annual painting?', ['Annual painting'], ['12:00|4 PM|4:00|04:00']),
    en('trap', 'When can I come to see the hall?', ['11 बजे'], ['11|शाम 6']),
    en('trap', 'What does diesel cost?', ['₹1,500'], ['1,500']),
    en('unanswerable', 'Do you have a swimming pool?', []),
    en('unanswerable', 'Can you arrange a helicopter?', []),
    en('unanswerable', 'What does a wedding card cost?', []),
    hi('plain', 'हॉल कितने बजे से देख सकते हैं?', ['11 बजे'], ['11']),
    hi('price', 'दरबार हॉल का एक दिन का किराया कितना है?', ['42000'], ['42,000']),
    hi('paraphrase', 'क्या शराब पिला सकते हैं?', ['alcohol'], ['not allowed|नहीं']),
    hi('plain', 'शादी के लिए कौन से कागज़ चाहिए?', ['आधार'], ['आधार']),
    hi('plain', 'क्या फूलों का पैसा किराये में शामिल है?', ['फूलों'], ['अलग']),
    hi('comparison', 'सबसे बड़ा हॉल कौन सा है?', ['900'], ['Open lawn']),
    hi('follow-up', 'और बैठक?', ['16000'], ['16,000'], { before: ['दरबार का किराया कितना है?'] }),
    hi('unanswerable', 'क्या आप पंडित जी का इंतज़ाम करते हैं?', []),
    mr('plain', 'गाणी किती वाजेपर्यंत वाजवता येतात?', ['10 PM'], ['10 PM|10']),
    mr('price', 'रंगमहालचे भाडे किती आहे?', ['85000'], ['85,000']),
    mr('plain', 'अनामत रक्कम किती आहे?', ['₹10,000'], ['10,000']),
    mr('paraphrase', 'लाईट गेली तर काय सोय आहे?', ['generator'], ['generator']),
    mr('plain', 'पार्किंगमध्ये किती गाड्या मावतात?', ['120 cars'], ['120']),
    mr('hours', 'तुम्ही कोणत्या दिवशी बंद असता?', ['Tuesday'], ['मंगळवार']),
    mr('unanswerable', 'तुमच्याकडे बँड पथक आहे का?', []),
    hl('price', 'royal thali kitne ki hai?', ['₹700'], ['700']),
    hl('plain', 'apna caterer la sakte hain kya?', ['Outside caterers'], ['lawn']),
    hl('plain', 'booking cancel ki to paisa wapas milega?', ['thirty days'], ['thirty|30']),
    hl('computing', '300 classic plate ka kitna hoga?', ['₹450'], ['1,35,000']),
    hl('unanswerable', 'kya aap hotel pickup dete ho?', []),
  ],
};
