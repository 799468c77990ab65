import { asker, type Business, honest, inDays, service, week, dateIn } from './business';

const en = asker('english');
const hi = asker('hindi');
const mr = asker('marathi');
const hl = asker('hinglish');

const guide = `Matter,Rule
Weight,"Donors weigh at least 45 kilos; for platelets at least 55"
Tattoos,"Wait twelve months after a tattoo; the same goes for piercings"
Certificate,"The certificate comes by post within ten days; a lost one is printed again without charge"
Camps,"Companies may host a camp from 30 donors; we bring beds and doctors"
`;

/** A blood centre in Kolhapur, written to test opposite questions, other subjects and dates. */
export const bloodCentre: Business = {
  name: 'Karveer Blood Centre',
  part: 'held-out',
  profile: {
    business_name: 'Karveer Blood Centre',
    business_type: 'Blood centre',
    industry: 'Health',
    company_description: 'We collect and test blood for the hospitals of Kolhapur. Medical head: Dr Sunita Ghorpade.',
    support_email: 'care@karveerblood.example',
    support_phone: '+912312550664',
    office_address: '5 Station Road, Kolhapur 416001',
    working_hours: [
      ...week(['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday'], '08:30 AM', '05:30 PM').filter(
        ({ day }) => day !== 'Saturday',
      ),
      { day: 'Saturday', is_open: true, open_time: '09:00 AM', close_time: '01:00 PM' },
    ],
    holidays: [
      { date: inDays(6), opens: '', closes: '', note: 'Audit day' },
      { date: inDays(11), opens: '12:00 PM', closes: '04:00 PM', note: 'Kolhapur marathon' },
    ],
    timezone: 'Asia/Kolkata',
  },
  products: [],
  services: [
    service('Blood group test', 15, 120),
    service('Platelet donation', 90, 0),
    service('Thalassemia screening', 30, 950),
  ],
  faqs: [
    { Question: 'Do I have to fast before donating blood?', Answer: 'No, eat a light meal two hours before.' },
    { Question: 'May I smoke after donating?', Answer: 'No, not for three hours.' },
    {
      Question: 'Is donating blood safe during medication for blood pressure?',
      Answer: 'Yes, if the pressure is normal on the day.',
    },
    { Question: 'Must I stay at the centre after donating?', Answer: 'Yes, for twenty minutes in the rest room.' },
    { Question: 'Are visitors allowed in the donation hall?', Answer: 'No, only donors; visitors wait at the reception.' },
    { Question: 'Can I donate without an appointment?', Answer: 'Yes, until an hour before closing.' },
    { Question: 'Is the donated blood given away free?', Answer: 'No, hospitals pay 1,450 rupees for testing a unit.' },
    { Question: 'How often can I donate?', Answer: 'Men every three months, women every four.' },
  ],
  documents: [{ fileName: 'guide.csv', text: guide }],
  asked: [
    en('opposite', 'May I eat before donating blood?', ['light meal'], ['light meal'], { notLed: ['no'] }),
    en('opposite', 'Should I have an empty stomach when I donate?', ['light meal'], ['light meal|not know|not sure'], {
      notLed: ['yes'],
    }),
    en('opposite', 'Can I leave right after donating?', ['twenty minutes'], ['twenty minutes'], { notLed: ['yes'] }),
    en('opposite', 'May I go home at once after donating?', ['twenty minutes'], ['twenty minutes|not sure|not know'], {
      notLed: ['yes'],
    }),
    en('opposite', 'Do I have to give up smoking after donating?', ['three hours'], ['three hours'], { notLed: ['no'] }),
    en('opposite', 'Is smoking after a donation forbidden?', ['three hours'], ['three hours'], { notLed: ['no'] }),
    en('opposite', 'Is donating dangerous with medication for blood pressure?', ['normal on the day'], ['normal'], {
      notLed: ['yes'],
    }),
    en('opposite', 'Is it unsafe to donate while on blood pressure medication?', ['normal on the day'], ['normal'], {
      notLed: ['yes'],
    }),
    en('opposite', 'Are visitors banned from the donation hall?', ['only donors'], ['reception'], { notLed: ['no'] }),
    en('opposite', 'Must visitors stay outside the donation hall?', ['only donors'], ['reception'], { notLed: ['no'] }),
    en('opposite', 'Do I need an appointment to donate?', ['before closing'], ['before closing|an hour'], { notLed: ['yes'] }),
    en('opposite', 'Do hospitals have to pay for the donated blood?', ['1,450'], ['1,450'], { notLed: ['no'] }),
    en('plain', 'Are visitors allowed into the donation hall?', ['only donors'], ['no', 'reception']),
    en('plain', 'Must I stay at the centre after donating?', ['twenty minutes'], ['yes', 'twenty minutes']),
    en('plain', 'May I smoke after I donate?', ['three hours'], ['no', 'three hours']),
    en('plain', 'After a tattoo, how long do I wait?', ['twelve months'], ['twelve months'], { never: ['matter:', 'rule:'] }),
    en('plain', 'What if I lose the certificate?', ['without charge'], ['without charge'], { never: ['matter:', 'rule:'] }),
    en('trap', 'Is the bank open on Audit day?', [], [honest], { never: ['we are open', 'we are closed'] }),
    en('trap', 'Is the hospital open on Sunday?', [], [honest], { never: ['we are open', 'we are closed'] }),
    en('trap', `Do buses run on ${dateIn(6)}?`, [], [honest], { never: ['we are open', 'we are closed'] }),
    en('trap', 'Is the pharmacy open tomorrow?', [], [honest], { never: ['we are open', 'we are closed'] }),
    en('trap', 'Are the colleges closed on the day of the Kolhapur marathon?', [], [honest], {
      never: ['we are open', 'we are closed'],
    }),
    en('hours', 'Is the blood centre open on Saturday?', ['01:00 PM|1:00 PM'], ['1:00 PM|1 pm']),
    en('hours', 'Are you open on Sundays?', ['Sunday'], ['closed on Sunday|Sundays we are closed']),
    en('exception', 'Do you have holidays this month?', ['Audit day'], ['Audit day']),
    en('exception', 'Are you open at 10 am on the day of the Kolhapur marathon?', ['marathon'], ['no', '12:00'], {
      notLed: ['yes'],
    }),
    en('exception', 'Can I come at 2 pm on the day of the marathon?', ['marathon'], ['yes', '4:00'], { notLed: ['no'] }),
    en('exception', `Are you open at 9 am on ${dateIn(6)}?`, ['Audit day'], ['closed'], { notLed: ['yes'] }),
    en('unanswerable', 'Do you have parking?', []),
    en('unanswerable', 'Do you have a website for donors?', []),
    en('unanswerable', 'Do you offer eye donation?', []),
    hi('opposite', 'क्या रक्तदान से पहले खाना खा सकते हैं?', ['light meal'], ['light meal|जानकारी'], { notLed: ['नहीं', 'no'] }),
    hi('hours', 'शनिवार को कब से कब तक खुला है?', ['9:00|09:00'], ['सुबह 9 बजे', 'दोपहर 1 बजे']),
    hi('trap', 'क्या रविवार को बैंक खुला है?', [], [honest], { never: ['हम बंद', 'खुले हैं'] }),
    hi('exception', 'छुट्टियाँ कब हैं?', ['Audit day'], ['Audit day']),
    mr('hours', 'शुक्रवारी किती वाजेपर्यंत उघडे असते?', ['05:30 PM|5:30 PM'], ['संध्याकाळी 5:30']),
    mr('opposite', 'रक्तदानानंतर लगेच घरी जाता येते का?', ['twenty minutes'], ['twenty minutes|माहिती'], { notLed: ['हो', 'yes'] }),
    mr('trap', 'उद्या पोस्ट ऑफिस उघडे आहे का?', [], [honest], { never: ['आम्ही बंद', 'उघडे आ', 'उघडे अस'] }),
    hl('hours', 'Somvar ko kitne baje tak khule ho?', ['05:30 PM|5:30 PM'], ['shaam 5:30 baje']),
    hl('trap', 'kya Ravivar ko library khuli hai?', [], [honest], { never: ['hum band', 'khule hain', 'amhi band', 'ughde as'] }),
  ],
};
