import { asker, type Business, inDays, week } from './business';

const en = asker('english');
const hi = asker('hindi');
const mr = asker('marathi');
const hl = asker('hinglish');

const prospectus = `# Prospectus 2026–27

## Batches
The morning batch for JEE runs from 7 AM to 11 AM, the evening batch from 4 PM to 8 PM. NEET is taught from 11:30 AM to 3:30 PM.
The foundation course for class 9 and 10 meets on weekends only.
A batch has at most 35 students.

## Admission
Admission is by a written test on the first Sunday of each month. The form costs ₹250 and is sold at the counter until 5 PM.
Bring the mark sheet of the last examination, two photographs and the Aadhaar card of a parent.

## Scholarships
Students above 95 percent in the board examination pay half the fee. Daughters of soldiers study free.
Brothers and sisters of a student get 10 percent off.

## Refunds
Who leaves within seven days gets everything back but ₹1,000. Within a month half is paid back, afterwards nothing.

## Hostel
The girls' hostel is in Tilak Nagar, ten minutes on foot, with 60 beds. A bed costs ₹6,500 a month with meals. There is no hostel for boys; we keep a list of paying guest rooms.
The gate of the hostel closes at 9 PM.

## Tests and doubts
A test is written every Saturday at 3 PM; the marks are sent to the parents by SMS on Monday.
Teachers answer doubts from 2 PM to 4 PM without an appointment.

## Library
The reading room has 80 seats and is open from 6 AM to 11 PM, also on holidays. It is free for students; others pay ₹700 a month.

## Our teachers
Physics is taught by Sunil Rao, who was at IIT Bombay for 12 years. Chemistry is taught by Dr Meera Joshi, mathematics by Imran Pathan, biology by Dr Asha Nair.
`;

/** A coaching institute in Kolhapur whose knowledge is written in English. */
export const coachingInstitute: Business = {
  name: 'Pragati Classes',
  part: 'tuning',
  profile: {
    business_name: 'Pragati Classes',
    business_type: 'Coaching institute',
    industry: 'Education',
    company_description: 'Coaching for JEE, NEET and the classes 9 and 10, founded in 2001.',
    support_email: 'office@pragati.example',
    support_phone: '+912312654321',
    office_address: 'Station Road, opposite the post office, Kolhapur 416001',
    working_hours: week(['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'], '09:00 AM', '06:30 PM'),
    holidays: [
      { date: inDays(3), opens: '', closes: '', note: 'Teachers’ meeting' },
      { date: inDays(11), opens: '09:00 AM', closes: '12:00 PM', note: 'Annual day' },
    ],
    timezone: 'Asia/Kolkata',
  },
  products: [
    { product_id: null, product_name: 'JEE question bank', category: 'Books', price: 950, currency: 'INR', availability: true },
    {
      product_id: null,
      product_name: 'NEET question bank',
      category: 'Books',
      price: 1100,
      currency: 'INR',
      availability: false,
    },
  ],
  services: [
    {
      service_id: null,
      service_name: 'JEE two-year course',
      service_duration: 0,
      service_price: 145000,
      currency: 'INR',
      booking_required: true,
    },
    {
      service_id: null,
      service_name: 'NEET two-year course',
      service_duration: 0,
      service_price: 128000,
      currency: 'INR',
      booking_required: true,
    },
    {
      service_id: null,
      service_name: 'Foundation course',
      service_duration: 0,
      service_price: 42000,
      currency: 'INR',
      booking_required: true,
    },
    {
      service_id: null,
      service_name: 'Crash course',
      service_duration: 0,
      service_price: 18500,
      currency: 'INR',
      booking_required: false,
    },
  ],
  faqs: [
    { Question: 'Can I pay in instalments?', Answer: 'Yes, in four parts: at admission, in September, December and February.' },
    { Question: 'Is there a demo lecture?', Answer: 'Yes, two lectures may be attended free before admission.' },
    { Question: 'Do you teach online?', Answer: 'Recordings are in our app; live classes are held in Kolhapur only.' },
  ],
  documents: [{ fileName: 'prospectus.md', text: prospectus }],
  asked: [
    en('plain', 'What does a bed in the hostel cost?', ['₹6,500'], ['6,500']),
    en('plain', 'Who teaches chemistry?', ['Meera Joshi']),
    en('plain', 'What do I have to bring for admission?', ['Aadhaar'], ['mark sheet', 'photograph']),
    en('plain', 'How many students are in a batch?', ['at most 35'], ['35']),
    en('paraphrase', 'My daughter got 96 in the boards, does that make it cheaper?', ['pay half the fee'], ['half']),
    en('paraphrase', 'I quit after three weeks, how much money do I see again?', ['Within a month half'], ['half']),
    en('paraphrase', 'How do mum and dad learn about the results?', ['SMS'], ['SMS']),
    en('paraphrase', 'Could my son sit in once to see how it is?', ['two lectures'], ['two']),
    en('hours', 'When is your office open?', ['09:00 AM|9:00 AM', '06:30 PM|6:30 PM'], ['9:00|09:00|nine']),
    en('price', 'How much is the crash course?', ['18500|18,500']),
    en('price', 'What is the price of the NEET question bank?', ['1100|1,100']),
    en('exception', 'Is there anybody in the office on the annual day?', ['Annual day'], ['12:00|12 PM|noon'], {
      never: ['6:30', '06:30'],
    }),
    en('exception', 'Do you close for the teachers’ meeting?', ['Teachers’ meeting'], ['closed|yes'], { never: ['06:30'] }),
    en('trap', 'When is the library open?', ['6 AM to 11 PM'], ['11 PM|11:00'], { never: ['6:30', '06:30'] }),
    en('trap', 'Until when does the hostel open its gate?', ['9 PM'], ['9 PM|9:00 PM'], { never: ['6:30', '06:30'] }),
    en('trap', 'Which day are you closed?', ['Sunday'], ['Sunday'], { never: ['Monday: open'] }),
    en('trap', 'When are you not open?', ['Sunday'], ['Sunday'], { never: ['Monday: open'] }),
    en('unanswerable', 'Do you coach for the civil services?', []),
    en('unanswerable', 'How many of your students reached an IIT last year?', []),
    en('follow-up', 'And for NEET?', ['128000|1,28,000|128,000'], ['1,28,000|128,000|128000'], {
      before: ['How much is the JEE two-year course?'],
    }),
    en('follow-up', 'Is there one for boys too?', ['no hostel for boys'], ['no '], { before: ['Where is the girls’ hostel?'] }),
    en('follow-up', 'And when does it begin?', ['4 PM to 8 PM'], ['4 PM|4:00'], {
      before: ['Is there an evening batch for JEE?'],
    }),
    hi('plain', 'हॉस्टल का किराया कितना है?', ['₹6,500'], ['6,500']),
    hi('plain', 'गणित कौन पढ़ाता है?', ['Imran Pathan'], ['Imran|इमरान']),
    hi('plain', 'हर शनिवार टेस्ट कितने बजे होता है?', ['Saturday at 3 PM'], ['3']),
    hi('paraphrase', 'फ़ौजी की बेटी को कितनी फ़ीस देनी पड़ेगी?', ['Daughters of soldiers'], ['free|मुफ़्त|मुफ्त']),
    hi('paraphrase', 'अगर पसंद न आए तो पाँच दिन में पैसे वापस मिलेंगे?', ['but ₹1,000'], ['1,000']),
    hi('hours', 'आपका ऑफिस कब खुलता है?', ['09:00 AM|9:00 AM'], ['9:00|09:00|नौ']),
    hi('price', 'क्रैश कोर्स की फ़ीस कितनी है?', ['18500|18,500'], ['18,500|18500']),
    hi('trap', 'लाइब्रेरी कितने बजे तक खुली रहती है?', ['6 AM to 11 PM'], ['11'], { never: ['06:30'] }),
    hi('follow-up', 'और नीट का?', ['128000|1,28,000'], ['1,28,000|128000'], { before: ['जेईई दो साल के कोर्स की फ़ीस कितनी है?'] }),
    hi('unanswerable', 'क्या आप यूपीएससी की तैयारी कराते हैं?', []),
    mr('plain', 'प्रवेश परीक्षा कधी असते?', ['first Sunday'], ['first Sunday|पहिल्या रविवारी|पहिला रविवार']),
    mr('plain', 'रसायनशास्त्र कोण शिकवते?', ['Meera Joshi'], ['Meera|मीरा']),
    mr('paraphrase', 'भाऊ आधीच शिकतो, मला सवलत मिळेल का?', ['10 percent'], ['10']),
    mr('paraphrase', 'हप्त्यांमध्ये फी भरता येते का?', ['four parts'], ['four|चार']),
    mr('price', 'फाउंडेशन कोर्सची फी किती आहे?', ['42000|42,000'], ['42,000|42000']),
    mr('trap', 'वसतिगृहाचे गेट किती वाजता बंद होते?', ['9 PM'], ['9'], { never: ['06:30'] }),
    mr('unanswerable', 'तुम्ही जर्मन भाषा शिकवता का?', []),
    hl('plain', 'hostel ka kitna lagta hai mahine ka?', ['₹6,500'], ['6,500']),
    hl('paraphrase', 'beech me chhod du to paise wapas milenge?', ['Within a month half'], ['half|1,000']),
    hl('price', 'crash course ki fees kitni hai?', ['18500|18,500'], ['18,500|18500']),
    hl('trap', 'library kab tak khuli rehti hai?', ['6 AM to 11 PM'], ['11'], { never: ['06:30'] }),
    hl('follow-up', 'aur neet ka?', ['128000|1,28,000'], ['1,28,000|128000'], {
      before: ['jee two-year course ki fees kitni hai?'],
    }),
  ],
};
