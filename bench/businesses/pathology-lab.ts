import { asker, type Business, honest, inDays, week } from './business';

const en = asker('english');
const hi = asker('hindi');
const mr = asker('marathi');
const hl = asker('hinglish');
const notHonest = { never: honest.split('|') };

const tests = `Test,Sample,Fasting before the test,Rate (Rs),Report ready in
Complete blood count (CBC),Blood,not needed,280,5 hours
Fasting sugar,Blood,8 hours,90,4 hours
HbA1c,Blood,not needed,520,6 hours
"Thyroid profile (T3, T4, TSH)",Blood,not needed,640,8 hours
Lipid profile,Blood,12 hours,560,8 hours
Liver function test,Blood,8 hours,690,8 hours
Kidney function test,Blood,not needed,720,8 hours
Vitamin D,Blood,not needed,1450,2 days
Vitamin B12,Blood,not needed,980,2 days
Routine urine examination,Urine,not needed,150,3 hours
Urine culture,Urine,not needed,680,3 days
Dengue NS1,Blood,not needed,850,4 hours
Pregnancy test (beta HCG),Blood,not needed,760,6 hours
`;

const information = `Information for patients

Home collection
Our phlebotomist comes to your house between 6 AM and 10 AM. Within Panchavati, College Road and Indira Nagar the visit costs ₹100, in the rest of Nashik city ₹200. The visit is free when the bill is above ₹1,500. Please book by 8 PM the evening before.

Preparing
While fasting you may drink plain water, but no tea, coffee or milk. Do not stop your blood pressure tablets. For urine culture bring the first urine of the morning in our sterile container, which is free at the counter.
Biotin tablets have to be stopped two days before a thyroid test.

Children and the elderly
Blood of children under two years is drawn by Sister Sheetal only, who is on duty from 9 AM to 1 PM. There is a couch for anybody who feels faint. The lab is on the ground floor and a wheelchair is kept at the door.

Reports
Reports come on WhatsApp and by e-mail. A printed copy can be collected at the counter; a second print costs ₹50. Results are never told over the phone. Reports are stored for five years.
If your name is spelt wrongly on the report, we correct it free of charge within seven days.

Pathologist
All reports are signed by Dr Madhavi Deshmane, MD. She explains reports to patients on Tuesdays and Fridays from 5 PM to 7 PM, without a fee.

X-ray and other examinations
X-rays are taken until 5 PM on working days and not on Sundays. Pregnant women are not X-rayed. Sonography and CT scans are not done here; Godavari Imaging opposite the post office does them.

Payment
Cash, UPI and cards are taken. There is no cashless insurance; we give a stamped bill with which you can claim. Patients above sixty get 10 percent off single tests on showing an Aadhaar card, but not on packages. A paid booking that you cancel is refunded within three working days.
`;

const weekdays = week(['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'], '07:00 AM', '08:00 PM') ?? [];

/** A pathology laboratory in Nashik that closes early on Sundays. */
export const pathologyLab: Business = {
  name: 'Nidaan Diagnostics',
  part: 'held-out',
  profile: {
    business_name: 'Nidaan Diagnostics',
    business_type: 'Pathology laboratory',
    industry: 'Health',
    company_description: 'Blood and urine tests, ECG and X-ray near Dwarka Circle, with home collection all over Nashik.',
    support_email: 'reports@nidaan.example',
    support_phone: '+912532597310',
    office_address: 'Ground floor, Sai Plaza, Dwarka Circle, Nashik 422011',
    working_hours: [
      ...weekdays.filter(({ is_open }) => is_open),
      { day: 'Sunday', is_open: true, open_time: '07:00 AM', close_time: '01:00 PM' },
    ],
    holidays: [
      { date: inDays(2), opens: '', closes: '', note: 'Machine calibration' },
      { date: inDays(12), opens: '07:00 AM', closes: '11:00 AM', note: 'Diwali Padwa' },
    ],
    timezone: 'Asia/Kolkata',
  },
  products: [
    { product_id: null, product_name: 'Glucometer', category: 'Devices', price: 1150, currency: 'INR', availability: true },
    {
      product_id: null,
      product_name: 'Sugar test strips, box of 50',
      category: 'Devices',
      price: 890,
      currency: 'INR',
      availability: true,
    },
    {
      product_id: null,
      product_name: 'Digital blood pressure monitor',
      category: 'Devices',
      price: 1850,
      currency: 'INR',
      availability: false,
    },
  ],
  services: [
    {
      service_id: null,
      service_name: 'Basic health package',
      service_description: 'CBC, fasting sugar, lipid profile and routine urine examination',
      service_duration: 20,
      service_price: 899,
      currency: 'INR',
      booking_required: false,
    },
    {
      service_id: null,
      service_name: 'Senior citizen package',
      service_description: 'All of the basic package with kidney function, vitamin D and ECG',
      service_duration: 45,
      service_price: 2799,
      currency: 'INR',
      booking_required: true,
    },
    { service_id: null, service_name: 'ECG', service_duration: 10, service_price: 300, currency: 'INR', booking_required: false },
    {
      service_id: null,
      service_name: 'Chest X-ray',
      service_duration: 10,
      service_price: 420,
      currency: 'INR',
      booking_required: false,
    },
  ],
  faqs: [
    {
      Question: 'Do I need a prescription from a doctor?',
      Answer: 'No, you can have any test without one, except the X-ray.',
    },
    {
      Question: 'Is the needle new for every patient?',
      Answer: 'Yes, needles and tubes are opened before your eyes and used once.',
    },
    { Question: 'Is the laboratory NABL accredited?', Answer: 'Yes, since 2018.' },
  ],
  documents: [
    { fileName: 'rates.csv', text: tests },
    { fileName: 'patients.txt', text: information },
  ],
  asked: [
    en('plain', 'Who signs the reports?', ['Madhavi Deshmane'], ['Madhavi|Deshmane']),
    en('plain', 'For how many hours must I fast before a lipid profile?', ['12 hours'], ['12|twelve']),
    en('plain', 'Can I drink water while fasting?', ['plain water'], ['yes|plain water|may drink|can drink'], notHonest),
    en('price', 'How much is the vitamin D test?', ['1450'], ['1,450|1450']),
    en('price', 'hi i just want to know the charges for a thyroid profile please', ['640'], ['640']),
    en('hours', 'Until what time can I come on a Sunday?', ['01:00 PM'], ['1:00 PM|1 PM']),
    en('hours', 'How early do you open on Mondays?', ['07:00 AM'], ['7:00 AM|7 AM|seven'], { never: ['6 AM'] }),
    en('exception', 'Are you working on the day of the machine calibration?', ['Machine calibration'], ['closed|not open'], {
      never: ['8:00 PM', ...notHonest.never],
    }),
    en('comparison', 'Which is costlier, vitamin B12 or vitamin D?', ['980', '1450'], ['Vitamin D']),
    en('comparison', 'How much more does the senior citizen package cost than the basic one?', ['2799', '899'], ['1,900|1900']),
    en('computing', 'What will a CBC and a routine urine examination come to together?', ['280', '150'], ['430']),
    en('computing', 'Four of us in the family want an HbA1c, what is the total?', ['520'], ['2,080|2080']),
    en('paraphrase', 'My baby is ten months old, which nurse pricks such little ones?', ['Sister Sheetal'], ['Sheetal']),
    en(
      'paraphrase',
      'There is a typing error in how I am called on the paper you sent, do I pay to have it put right?',
      ['seven days'],
      ['seven|7|correct it|free of charge|no charge'],
    ),
    en(
      'paraphrase',
      'My mother cannot climb stairs, will she manage at your place?',
      ['ground floor'],
      ['ground floor|wheelchair'],
    ),
    en('follow-up', 'And when will I get the result of it?', ['3 days'], ['3 days|three days'], {
      before: ['How much is a urine culture?'],
    }),
    en('follow-up', 'And if I live in Satpur, in another part of Nashik?', ['₹200'], ['200'], {
      before: ['What does home collection cost on College Road?'],
    }),
    en('negation', 'Which examinations do you not do?', ['Sonography and CT scans'], ['Sonography']),
    en('trap', 'Until when do you take X-rays?', ['until 5 PM'], ['5 PM|5:00 PM|five'], { never: ['8:00 PM', '8 PM'] }),
    en('trap', 'When can I talk to the pathologist about my report?', ['Tuesdays and Fridays'], ['Tuesday'], {
      never: ['8:00 PM', '7:00 AM'],
    }),
    en('unanswerable', 'How much is an allergy test?', []),
    en('unanswerable', 'Which company made your machines?', []),
    hi('price', 'डेंगू की जाँच कितने की है?', ['850'], ['850']),
    hi('plain', 'घर पर सैंपल लेने कितने बजे आते हैं?', ['between 6 AM and 10 AM'], ['6', '10'], { never: ['8:00 PM', '08:00'] }),
    hi('paraphrase', 'रिपोर्ट फ़ोन पर बता देंगे क्या?', ['never told over the phone'], ['never told|नहीं'], notHonest),
    hi('hours', 'रविवार को लैब कितने बजे बंद होती है', ['01:00 PM'], ['1:00|1 बजे|एक बजे']),
    hi('computing', 'सीबीसी और लिपिड प्रोफाइल दोनों कराने पर कितना लगेगा?', ['280', '560'], ['840']),
    hi('follow-up', 'उसके लिए खाली पेट आना पड़ेगा क्या?', ['8 hours'], ['8|आठ'], {
      before: ['लिवर फंक्शन टेस्ट कितने का है?'],
    }),
    hi('negation', 'क्या आपके यहाँ कैशलेस इंश्योरेंस नहीं चलता?', ['no cashless insurance'], ['no cashless|नहीं'], notHonest),
    hi('unanswerable', 'क्या आपके यहाँ दाँतों का एक्स-रे होता है?', []),
    mr('price', 'व्हिटॅमिन बी ट्वेल्व्हची तपासणी कितीला आहे?', ['980'], ['980']),
    mr('plain', 'रिपोर्ट किती वर्षं जपून ठेवता?', ['five years'], ['five|5|पाच']),
    mr('paraphrase', 'हॅलो माझे वडील सत्तर वर्षांचे आहेत त्यांना काही सूट मिळेल का', ['10 percent'], ['10|दहा']),
    mr('exception', 'दिवाळी पाडव्याला किती वाजेपर्यंत चालू आहे?', ['Diwali Padwa'], ['11:00|11 वाज|अकरा|11 AM']),
    mr('comparison', 'किडनीची तपासणी महाग की लिव्हरची?', ['720', '690'], ['Kidney|किडनी']),
    mr('computing', 'दोन स्ट्रिप्सचे डबे आणि एक ग्लुकोमीटर मिळून किती होतील?', ['890', '1150'], ['2,930|2930']),
    mr('follow-up', 'आणि रिपोर्ट कधी मिळेल?', ['4 hours'], ['4|चार'], { before: ['फास्टिंग शुगरचे किती पैसे?'] }),
    mr('unanswerable', 'तुमच्याकडे रक्तदान करता येतं का?', []),
    hl('price', 'chest xray ka kitna lagta hai', ['420'], ['420']),
    hl('plain', 'bina doctor ki parchi ke cbc ho jayega kya?', ['any test without one'], ['without|yes|haan|bina|हाँ'], notHonest),
    hl(
      'paraphrase',
      'bill pandrah sau se upar ho to ghar aane ka paisa lagega kya?',
      ['₹1,500'],
      ['free|nahi|muft|नहीं|मुफ़्त'],
      notHonest,
    ),
    hl('unanswerable', 'mri hota hai kya aapke yahan', []),
  ],
};
