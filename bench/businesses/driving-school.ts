import { asker, type Business, honest, inDays, week } from './business';

const en = asker('english');
const hi = asker('hindi');
const mr = asker('marathi');
const hl = asker('hinglish');
const notHonest = { never: honest.split('|') };

const courses = `Course,Lessons,Minutes per lesson,Vehicle,Fee (INR)
Car beginner course,20,45,Maruti Swift,7500
Car refresher course,8,45,Hyundai i10,3600
Automatic car course,15,45,Honda Amaze,8200
Scooter course,10,30,Honda Activa,2400
Truck course,30,60,Tata 1512,18000
`;

const terms = `# Rules for learners

## Age and papers
Car learners have to be 18 years old, scooter learners without gear 16 years. Bring an Aadhaar card, two photographs and an address proof. A learner's licence is needed before the first lesson; we apply for it at the RTO for ₹850.

## Lessons
Lessons take place between 6:30 AM and 6:30 PM. A lesson that is cancelled at least four hours before can be taken later; otherwise it counts as taken. A course has to be finished within three months. One instructor teaches one learner at a time.

## Instructors
Women learners can ask for our instructor Kavita Rane. Truck lessons are given by Harjeet Singh only.

## Pick-up
Learners within three kilometres are picked up at home free of charge. Farther away it costs ₹50 per lesson.

## Test
The driving test is held at the RTO on Wednesdays and Saturdays. Our car for the test costs ₹600. Whoever fails gets two lessons free and may try again after seven days.

## Theory class
The theory class is on Thursday from 5 PM to 6:30 PM, in English and Hindi.

## Payment
Fees can be paid in two instalments: 60 percent on joining, the rest after the fifth lesson. Cards, UPI and cash are accepted. Fees are not refunded after the third lesson.

## Simulator
The simulator room is open from 10 AM to 2 PM and is closed on Monday. Half an hour costs ₹150.
`;

/** A driving school in Nagpur; its knowledge is written in English, with one question in Hindi. */
export const drivingSchool: Business = {
  name: 'Orange City Motor Driving School',
  part: 'tuning',
  profile: {
    business_name: 'Orange City Motor Driving School',
    business_type: 'Driving school',
    industry: 'Training',
    company_description: 'A driving school with nine vehicles and a simulator in Nagpur.',
    support_email: 'learn@orangecitydriving.example',
    support_phone: '+917122540990',
    office_address: '14 Dharampeth Extension, Nagpur 440010',
    working_hours: week(['Monday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'], '06:00 AM', '07:00 PM'),
    holidays: [{ date: inDays(4), opens: '10:00 AM', closes: '01:00 PM', note: 'Road safety day' }],
    timezone: 'Asia/Kolkata',
  },
  products: [
    { product_id: null, product_name: 'Traffic rules handbook', price: 150, currency: 'INR', availability: true },
    { product_id: null, product_name: 'Learner plate set', price: 90, currency: 'INR', availability: false },
  ],
  services: [
    {
      service_id: null,
      service_name: 'Licence renewal service',
      service_duration: 30,
      service_price: 1200,
      currency: 'INR',
      booking_required: false,
    },
    {
      service_id: null,
      service_name: 'Single practice lesson',
      service_duration: 45,
      service_price: 450,
      currency: 'INR',
      booking_required: true,
    },
  ],
  faqs: [
    { Question: 'Do your cars have dual controls?', Answer: 'Yes, every training car has dual brake and clutch pedals.' },
    { Question: 'क्या रविवार को क्लास होती है?', Answer: 'हाँ, रविवार को सुबह 7 बजे से दोपहर 1 बजे तक क्लास होती है।' },
  ],
  documents: [
    { fileName: 'courses.csv', text: courses },
    { fileName: 'terms.md', text: terms },
  ],
  asked: [
    en('plain', 'How many lessons are in the car beginner course?', ['Car beginner course'], ['20']),
    en('plain', 'Which car is used in the refresher course?', ['Hyundai i10'], ['i10']),
    en('plain', 'Who gives the truck lessons?', ['Harjeet Singh'], ['Harjeet']),
    en('plain', 'On which days is the driving test?', ['Wednesdays and Saturdays'], ['Wednesday', 'Saturday']),
    en('plain', 'How long is one scooter lesson?', ['Scooter course'], ['30']),
    en('price', 'What is the fee of the automatic car course?', ['8200'], ['8,200|8200']),
    en('price', 'How much is a single practice lesson?', ['450'], ['450']),
    en('price', 'What do you charge for renewing a licence?', ['1200|1,200'], ['1,200|1200']),
    en('hours', 'On which day are you closed?', ['Tuesday'], ['Tuesday']),
    en('hours', 'Until what time are you open on Saturday?', ['07:00 PM|7 PM|7:00 PM'], ['7 PM|7:00 PM|07:00 PM|seven']),
    en('comparison', 'Which costs more, the beginner course or the automatic course?', ['7500', '8200'], ['Automatic'], {
      never: ['beginner course costs more'],
    }),
    en('comparison', 'Which course has the most lessons?', ['Truck course'], ['Truck']),
    en('comparison', 'How much dearer is the beginner course than the refresher course?', ['7500', '3600'], ['3,900|3900']),
    en('computing', 'What do four practice lessons cost?', ['450'], ['1,800|1800']),
    en('computing', 'How much will five traffic rules handbooks be?', ['150'], ['750']),
    en('computing', 'What do I pay for the scooter course and the handbook together?', ['2400', '150'], ['2,550|2550']),
    en('paraphrase', 'I did not pass at the RTO, what now?', ['two lessons free'], ['two|2', 'seven|7']),
    en('paraphrase', 'Is there a lady who can teach me?', ['Kavita Rane'], ['Kavita']),
    en('paraphrase', 'Will somebody collect me from my house?', ['three kilometres'], ['three|3']),
    en('paraphrase', 'May I settle the bill in parts?', ['two instalments'], ['instalment']),
    en('paraphrase', 'How young may a pupil for the two-wheeler be?', ['16 years'], ['16|sixteen']),
    en('follow-up', 'Which vehicle does it use?', ['Tata 1512'], ['Tata'], { before: ['How much is the truck course?'] }),
    en('follow-up', 'And the scooter one?', ['2400'], ['2,400|2400'], { before: ['What does the car refresher course cost?'] }),
    en('follow-up', 'How many lessons does the cheaper one have?', ['Car refresher course'], ['8'], {
      before: ['Tell me about the car beginner course and the car refresher course'],
      never: ['20'],
    }),
    en('trap', 'When is the simulator room open?', ['10 AM to 2 PM'], ['10 AM|10:00', '2 PM|2:00'], {
      never: ['6:00 AM', '06:00'],
    }),
    en('trap', 'When is the theory class?', ['Thursday'], ['Thursday', '5 PM|5:00']),
    en('exception', 'Are you open on road safety day?', ['Road safety day'], ['10:00|10 AM', '1:00|1 PM|01:00'], {
      never: ['07:00 PM', '7 PM'],
    }),
    en('exception', 'Do I get my money back after five lessons?', ['not refunded'], ['not refunded|no,'], {
      never: ['yes', ...notHonest.never],
    }),
    en('unanswerable', 'Do you teach motorboat driving?', []),
    en('unanswerable', 'How much is insurance for my own car?', []),
    hi('price', 'ट्रक कोर्स की फीस कितनी है?', ['18000'], ['18,000|18000']),
    hi('plain', 'कार सीखने के लिए कितनी उम्र होनी चाहिए?', ['18 years'], ['18']),
    hi('plain', 'ड्राइविंग टेस्ट किस दिन होता है?', ['Wednesdays'], ['Wednesday|बुधवार', 'Saturday|शनिवार']),
    hi('hours', 'आपका ऑफिस किस दिन बंद रहता है?', ['Tuesday'], ['मंगलवार|Tuesday']),
    hi('paraphrase', 'क्या कोई महिला सिखाती है?', ['Kavita Rane'], ['Kavita|कविता']),
    hi('comparison', 'स्कूटर कोर्स और ऑटोमैटिक कार कोर्स में कौन सस्ता है?', ['2400'], ['Scooter|स्कूटर']),
    hi('follow-up', 'और रविवार को?', ['Sunday|रविवार'], ['06:00|6|7'], { before: ['मंगलवार को खुला रहता है क्या?'] }),
    hi('unanswerable', 'क्या आप हवाई जहाज उड़ाना सिखाते हैं?', []),
    mr('price', 'स्कूटर कोर्सची फी किती आहे?', ['2400'], ['2,400|2400']),
    mr('plain', 'सोबत कोणती कागदपत्रे आणायची?', ['Aadhaar card'], ['Aadhaar|आधार']),
    mr('plain', 'थिअरी क्लास कधी असतो?', ['Thursday'], ['Thursday|गुरुवार', '5']),
    mr('paraphrase', 'मला घरून घ्यायला गाडी येईल का?', ['three kilometres'], ['three|तीन|3']),
    mr('computing', 'तीन सराव धडे घेतले तर किती पैसे होतील?', ['450'], ['1,350|1350']),
    mr('hours', 'शनिवारी किती वाजेपर्यंत चालू असते?', ['07:00 PM|7 PM|7:00 PM'], ['07:00|7']),
    hl('price', 'automatic car course ki fees kitni hai?', ['8200'], ['8,200|8200']),
    hl('plain', 'test mein fail ho gaye to kya hoga?', ['two lessons free'], ['two|2|दो|do lesson|do class']),
    hl('hours', 'mangalwar ko khula hai kya?', ['Tuesday'], ['band|closed|nahi|बंद'], notHonest),
    hl('follow-up', 'aur truck course ki?', ['18000'], ['18,000|18000'], { before: ['scooter course ki fees kitni hai?'] }),
  ],
};
