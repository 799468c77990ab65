import { asker, type Business, inDays, week } from './business';

const en = asker('english');
const hi = asker('hindi');
const mr = asker('marathi');
const hl = asker('hinglish');

const handbook = `# Patient handbook

## Before your visit
Please arrive ten minutes early and bring a photo identity card. Patients who take blood thinners must tell us two days before an extraction.
Children below twelve years must come with a parent.

## After an extraction
Bite on the gauze for 45 minutes. Do not rinse, spit or smoke for 24 hours. Eat soft, cold food such as curd or ice cream on the first day.
If bleeding lasts longer than four hours, call the emergency number 98220 11445.

## After whitening
Avoid tea, coffee, turmeric and red wine for 48 hours.

## Our dentists
Dr Anjali Deshmukh treats root canals and is here on Monday, Wednesday and Friday from 10 AM to 2 PM.
Dr Rohit Kulkarni is the orthodontist for braces and is here on Tuesday and Saturday from 4 PM to 8 PM.
Dr Farah Shaikh treats children and is here on Thursday from 11 AM to 5 PM.

## Insurance and payment
We bill Star Health and HDFC Ergo directly for extractions and root canals; cosmetic work is never covered.
Payment in three parts without interest is possible above ₹15,000. We take cash, UPI and cards, no cheques.

## X-ray room
The X-ray room works from 10 AM to 1 PM only, on weekdays.
`;

/** A dental clinic in Nashik whose knowledge is written in English. */
export const dentalClinic: Business = {
  name: 'Smile Square Dental',
  part: 'tuning',
  profile: {
    business_name: 'Smile Square Dental',
    business_type: 'Dental clinic',
    industry: 'Healthcare',
    company_description: 'A family dental clinic with three chairs, since 2009.',
    support_email: 'care@smilesquare.example',
    support_phone: '+912532571122',
    office_address: '2nd floor, Canada Corner, Nashik 422005',
    working_hours: week(['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'], '09:30 AM', '08:00 PM'),
    holidays: [
      { date: inDays(4), opens: '', closes: '', note: 'Founder’s day' },
      { date: inDays(9), opens: '10:00 AM', closes: '01:00 PM', note: 'Staff training' },
    ],
    timezone: 'Asia/Kolkata',
  },
  products: [
    {
      product_id: null,
      product_name: 'Electric toothbrush',
      category: 'Oral care',
      price: 1850,
      currency: 'INR',
      availability: true,
    },
    { product_id: null, product_name: 'Whitening kit', category: 'Oral care', price: 3200, currency: 'INR', availability: false },
  ],
  services: [
    {
      service_id: null,
      service_name: 'Consultation',
      service_duration: 20,
      service_price: 300,
      currency: 'INR',
      booking_required: true,
    },
    {
      service_id: null,
      service_name: 'Root canal',
      service_duration: 90,
      service_price: 4500,
      service_price_range: '₹4,500–₹7,000',
      currency: 'INR',
      booking_required: true,
    },
    {
      service_id: null,
      service_name: 'Scaling and polishing',
      service_duration: 40,
      service_price: 1200,
      currency: 'INR',
      booking_required: true,
    },
    {
      service_id: null,
      service_name: 'Metal braces',
      service_duration: 60,
      service_price: 32000,
      currency: 'INR',
      booking_required: true,
    },
    {
      service_id: null,
      service_name: 'Tooth extraction',
      service_duration: 30,
      service_price: 900,
      currency: 'INR',
      booking_required: true,
    },
  ],
  faqs: [
    { Question: 'Is there parking?', Answer: 'Yes, free parking for patients in the basement, gate B.' },
    { Question: 'Can I cancel an appointment?', Answer: 'Yes, free of charge up to six hours before; later we charge ₹100.' },
    {
      Question: 'Do you treat emergencies at night?',
      Answer: 'Call 98220 11445; a dentist on duty calls back within twenty minutes.',
    },
  ],
  documents: [{ fileName: 'handbook.md', text: handbook }],
  asked: [
    en('plain', 'How long should I bite on the gauze after an extraction?', ['45 minutes']),
    en('plain', 'Which insurers do you bill directly?', ['Star Health', 'HDFC Ergo'], ['Star Health']),
    en('plain', 'When is Dr Rohit Kulkarni here?', ['Tuesday and Saturday'], ['Tuesday', '4']),
    en('paraphrase', 'I had a tooth pulled this morning, may I have a cigarette tonight?', ['smoke for 24 hours'], ['24']),
    en('paraphrase', 'What may I eat on the day the tooth came out?', ['soft, cold food'], ['soft|curd']),
    en('paraphrase', 'Can I spread the cost of my braces over some months?', ['three parts without interest'], ['three|15,000']),
    en('hours', 'When are you open?', ['09:30 AM|9:30 AM', '08:00 PM|8:00 PM'], ['9:30|09:30|half past nine']),
    en('price', 'How much is a root canal?', ['₹4,500'], ['4,500']),
    en('price', 'What does scaling and polishing cost?', ['1200|1,200']),
    en('exception', 'Are you open on Founder’s day?', ['Founder’s day'], ['closed'], { never: ['09:30', '9:30'] }),
    en('exception', 'What are your hours on the day of the staff training?', ['Staff training'], ['1:00|01:00|1 PM|one']),
    en('trap', 'When is the X-ray room open?', ['10 AM to 1 PM'], ['1 PM|1:00'], { never: ['8:00 PM', '08:00 PM'] }),
    en('trap', 'Which day are you closed?', ['Sunday'], ['Sunday'], { never: ['Monday: open'] }),
    en('trap', 'When does Dr Shaikh come?', ['Thursday from 11 AM'], ['Thursday'], { never: ['09:30'] }),
    en('unanswerable', 'Do you do hair transplants?', []),
    en('unanswerable', 'Which university did Dr Deshmukh study at?', []),
    en('follow-up', 'And for braces?', ['32000|32,000'], ['32,000|32000'], { before: ['How much is a root canal?'] }),
    en('follow-up', 'Does he also come on Saturday?', ['Tuesday and Saturday'], ['Saturday'], { before: ['Who does braces?'] }),
    hi('plain', 'दाँत निकलवाने के बाद कितनी देर गॉज़ दबाकर रखना है?', ['45 minutes'], ['45']),
    hi('plain', 'बच्चों के दाँत कौन देखता है?', ['Dr Farah Shaikh'], ['Farah|फ़राह|फराह']),
    hi('paraphrase', 'दाँत सफ़ेद कराने के बाद चाय पी सकते हैं?', ['48 hours'], ['48']),
    hi('price', 'रूट कैनाल कितने का है?', ['₹4,500'], ['4,500']),
    hi('trap', 'एक्स-रे रूम कब खुला रहता है?', ['10 AM to 1 PM'], ['1'], { never: ['08:00 PM'] }),
    hi('follow-up', 'और वह किस दिन आते हैं?', ['Tuesday and Saturday'], ['मंगल|Tuesday'], { before: ['ब्रेसेस कौन लगाता है?'] }),
    hi('unanswerable', 'क्या आप चश्मा भी बनाते हैं?', []),
    mr('plain', 'तुम्ही चेक घेता का?', ['no cheques'], ['no cheques|चेक']),
    mr('plain', 'दात काढल्यानंतर रक्त थांबले नाही तर कोणाला फोन करायचा?', ['98220 11445'], ['98220']),
    mr('paraphrase', 'गाडी कुठे लावायची?', ['basement'], ['basement|तळघर']),
    mr('price', 'दात काढायला किती पैसे लागतात?', ['900'], ['900']),
    mr('unanswerable', 'तुम्ही कुत्र्यांचे दात तपासता का?', []),
    hl('plain', 'daant nikalne ke baad kitne ghante smoking nahi karni?', ['smoke for 24 hours'], ['24']),
    hl('paraphrase', 'kya main kisto me payment kar sakta hu?', ['three parts without interest'], ['three|15,000|teen']),
    hl('price', 'root canal ka kitna charge hai?', ['₹4,500'], ['4,500']),
    hl('trap', 'doctor rohit kab aate hain?', ['Tuesday and Saturday'], ['Tuesday|mangal'], { never: ['09:30'] }),
  ],
};
